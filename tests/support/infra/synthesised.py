"""The stack's template, with the questions that the tests ask of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aws_cdk import App

from andon.cdk.checks import nag
from andon.cdk.names import pascal
from andon.dynamodb.schema import TableSchema
from andon.packages.discovery import packages, services, views
from andon.packages.package import Package
from infra.stack import Andon

PROJECT = Path(__file__).parents[3]

Properties = dict[str, Any]


SERVICES, VIEWS, PACKAGES = services(), views(), packages()
TAKES = ("ReceiveMessage", "ChangeMessageVisibility", "GetQueueUrl", "DeleteMessage", "GetQueueAttributes")
"""What Lambda does on a queue that feeds a listener."""

KEPT = "RetainExceptOnCreate"
"""What happens to data when their stack is deleted: they stay, except those of a first deployment that fails."""

STREAM_FIRST = {"services/equipment/command"}

LISTENING = [service for service in SERVICES if service.plays("listener")]
CONTROL = [service for service in SERVICES if service.has("control")]
SWEPT = [service for service in SERVICES if service.plays("sweep")]
READERS = LISTENING + VIEWS
"""The services and views with a queue of domain events."""


def files(package: Package) -> list[str]:
    """The handler files of a package, as `services/equipment/command`."""
    return [package.path(role) for role in package.roles]


FILES = [file for package in PACKAGES for file in files(package)]


def declared_tables(package: Package) -> dict[str, TableSchema]:
    """The tables of a package by their output, as `StateLogTable`."""
    return {pascal(variable): schema for variable, schema in package.tables.items()}


FUNCTION = "AWS::Lambda::Function"

WITH_PATHS = "aws:cdk:enable-asset-metadata"  # the files of nested templates, as the command line does

STAGES = {
    "stages": json.loads((PROJECT / "cdk.json").read_text())["context"]["stages"],
    "alarmTopic": "pager",
}
"""The context that every app on AWS has."""

OTHER_SETTINGS: dict[str, Any] = {
    "alarmTopic": "arn:aws:sns:eu-central-1:000000000000:pager",
    "customerKey": True,
    "holdBackSeconds": 0,
    "lakeLockDays": 365,
    "liveOrigin": "wss://a1-ats.iot.eu-west-1.amazonaws.com",
    "origin": "https://andon.example.com",
    "runbooks": "https://example.com/runbooks",
}
"""Settings that do not depend on each other, none as by default."""

FLAGS = {"target", "stage", "layer", "bytecode", "alarmTopic"}
"""What `-c` sets; all else is a setting of the stage."""


def synthesise(layer: Path, *, audited: bool = False, stage: str = "dev", **settings: Any) -> "Synthesised":  # noqa: ANN401
    """Synthesise as `cdk synth` does; an empty folder stands for the layer, and nothing is compiled.

    settings: of the stage, or flags. Not audited by default: what these tests assert must hold without cdk-nag.
    """
    context = json.loads((PROJECT / "cdk.json").read_text())["context"]
    flags = {name: value for name, value in settings.items() if name in FLAGS or settings.get("target") == "local"}
    context["stages"][stage] |= {name: value for name, value in settings.items() if name not in flags}
    given = {"layer": str(layer), "bytecode": "none", "alarmTopic": "pager", "stage": stage, WITH_PATHS: True} | flags
    app = App(context=context | given)
    stack = Andon(app)
    if audited:
        nag.audit(app)
    made = app.synth()
    own = made.get_stack_by_name(stack.stack_name).template
    resources, outputs = _flat(own, Path(made.directory))
    files = sorted(Path(made.directory).glob("*.template.json"))
    templates = {file.name: json.loads(file.read_text()) for file in files}
    everything = {"Resources": resources, "Outputs": outputs}
    return Synthesised(everything, protected=bool(stack.termination_protection), templates=templates)


def _flat(template: Properties, folder: Path) -> tuple[Properties, Properties]:
    """Return the resources and outputs of a template and of those nested in it, whose resources begin with their name.

    What crosses from one template to another, by output and parameter, refers to the resource itself again.
    """
    resources, outputs = dict(template["Resources"]), dict(template.get("Outputs", {}))
    while nested := [name for name, made in resources.items() if made["Type"] == "AWS::CloudFormation::Stack"]:
        name = next(one for one in nested if not _is_waiting(resources[one]))
        made = resources.pop(name)
        inner = json.loads((folder / made["Metadata"]["aws:asset:path"]).read_text())
        known = {own: {"Ref": f"{name}{own}"} for own in inner["Resources"]} | made["Properties"].get("Parameters", {})
        inside = _replaced({"r": inner["Resources"], "o": inner.get("Outputs", {})}, known, prefix=name)
        told = {f"Outputs.{key}": one["Value"] for key, one in inside["o"].items()}
        resources, outputs = (_without(one, name, told) for one in (resources, outputs))
        resources |= {f"{name}{key}": one for key, one in inside["r"].items()}
        outputs |= {key: one for key, one in inside["o"].items() if "Description" in one}
    return resources, outputs


def _is_waiting(nested: Properties) -> bool:
    """True if a parameter of a nested stack is an output of another one that is not flat yet."""
    return "Outputs." in json.dumps(nested["Properties"].get("Parameters", {}))


def _replaced(value: Any, known: Properties, *, prefix: str) -> Any:  # noqa: ANN401  any part of a template
    """Write what the names of a nested template stand for, outside of it."""
    match value:
        case {"Ref": str(name)} if name in known:
            return known[name]
        case {"Fn::GetAtt": [str(name), attribute]}:
            return {"Fn::GetAtt": [f"{prefix}{name}", attribute]}
        case dict():
            return {
                key: [f"{prefix}{name}" for name in listed(one)]
                if key == "DependsOn"
                else _replaced(one, known, prefix=prefix)
                for key, one in value.items()
            }
        case list():
            return [_replaced(one, known, prefix=prefix) for one in value]
        case _:
            return value


def _without(value: Any, nested: str, told: Properties) -> Any:  # noqa: ANN401
    """Write what the outputs of a nested stack stand for."""
    match value:
        case {"Fn::GetAtt": [str(name), str(output)]} if name == nested:
            return told[output]
        case dict():
            return {key: _without(one, nested, told) for key, one in value.items()}
        case list():
            return [_without(one, nested, told) for one in value]
        case _:
            return value


class Synthesised:
    """Everything that is deployed, nested stacks flat; `templates` are as CDK wrote them."""

    def __init__(
        self, template: Properties, *, protected: bool = False, templates: dict[str, Properties] | None = None
    ) -> None:
        self.protected = protected
        self.templates = templates or {}
        self.resources: dict[str, Properties] = template["Resources"]
        self.outputs: dict[str, Properties] = template["Outputs"]

    def of_type(self, resource_type: str) -> dict[str, Properties]:
        """The properties of each resource of a type, by logical id."""
        return {
            name: resource.get("Properties", {})
            for name, resource in self.resources.items()
            if resource["Type"] == resource_type
        }

    def functions(self) -> dict[str, Properties]:
        """Each function by its file, as `services/equipment/command`."""
        return {made["Description"]: made for made in self.of_type(FUNCTION).values()}

    def id_of_function(self, file: str) -> str:
        return next(name for name, made in self.of_type(FUNCTION).items() if made["Description"] == file)

    def statements(self, file: str) -> Iterator[Properties]:
        """What the role of a function allows or denies."""
        role = self.functions()[file]["Role"]["Fn::GetAtt"][0]
        for policy in self.of_type("AWS::IAM::Role")[role]["Policies"]:
            yield from policy["PolicyDocument"]["Statement"]
        for policy in self.of_type("AWS::IAM::Policy").values():
            if {"Ref": role} in policy["Roles"]:
                yield from policy["PolicyDocument"]["Statement"]

    def allowed(self, file: str) -> set[tuple[str, str]]:
        """Pairs of action and resource."""
        return {(action, resource) for action, resource, _ in self.grants(file)}

    def grants(self, file: str) -> Iterator[tuple[str, str, Properties]]:
        """Each action, resource and what it is conditional on."""
        for statement in self.statements(file):
            for action in listed(statement["Action"]):
                for resource in listed(statement["Resource"]):
                    yield action, text(resource), statement.get("Condition", {})

    def mappings(self, file: str) -> list[Properties]:
        """What calls a function from a stream or a queue."""
        function = self.id_of_function(file)
        mappings = self.of_type("AWS::Lambda::EventSourceMapping").values()
        return [made for made in mappings if self.behind(made["FunctionName"]) == function]

    def behind(self, called: object) -> str:
        """The id of a function that is called by its name, its ARN or its alias."""
        name = next(
            name for name in (*self.of_type("AWS::Lambda::Alias"), *self.of_type(FUNCTION)) if name in text(called)
        )
        alias = self.of_type("AWS::Lambda::Alias").get(name)
        return str(alias["FunctionName"]["Ref"]) if alias else name

    def output(self, name: str) -> str:
        """The logical id of the resource that an output speaks of."""
        return str(self.outputs[name]["Value"]["Ref"])


def listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def text(value: object) -> str:
    """`{"Fn::GetAtt": ["Bus", "Arn"]}` as `Bus.Arn`, joins as what they join."""
    match value:
        case {"Fn::GetAtt": [name, attribute]}:
            return f"{name}.{attribute}"
        case {"Ref": name}:
            return str(name)
        case {"Fn::Select": [_, {"Fn::Split": [_, whole]}]}:
            return text(whole)
        case {"Fn::Join": [separator, parts]}:
            return str(separator).join(text(part) for part in parts)
        case _:
            return str(value)


def rolls_back(made: Properties) -> bool:
    """Whether an alarm ends a deployment and wakes nobody: see test_canary."""
    return "rolled-back" in made["AlarmDescription"]
