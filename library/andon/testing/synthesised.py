"""A synthesised template, nested stacks and all, with the questions that tests ask of it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from andon.project import project
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.nested import NESTED
from andon.tools.stack.processes import refusal_in

Properties = dict[str, Any]
FUNCTION: Final = "AWS::Lambda::Function"
POLICIES: Final = ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy")
WITH_PATHS: Final = "aws:cdk:enable-asset-metadata"  # the files of nested templates, as the command line does
EMULATOR: Final = {"target": "local"}

UNTRACED: Final = {
    "aws:cdk:disable-asset-staging": True,
    "aws:cdk:disable-creation-stack-traces": True,
    "aws:cdk:disable-logicalId-metadata": True,
    "aws:cdk:disable-stack-trace": True,
}
"""Context of a synth whose templates are only looked at: no copies of assets, no notes of where a resource was made.

It takes a third less.
"""


NOBODY: Final = {"alarmTopic": "nobody", "liveOrigin": "wss://nobody.example"}
"""Settings of a stage that is looked at and not deployed."""


class NotSynthesised(ToolFailed):
    """The project's stack was refused, and why."""


def synthesised(folder: Path, context: Mapping[str, Any] = EMULATOR) -> "Synthesised":
    """Synthesise the project's `app.py` with a context, in an empty folder."""
    return assembled(synthesised_into(folder, context), {})


def synthesised_into(folder: Path, context: Mapping[str, Any]) -> Path:
    """Synthesise into an empty folder; return the one with the templates. One beside it stands for the layer.

    Raises:
        NotSynthesised: `app.py` fails.

    """
    (folder / "layer").mkdir()
    context = {"layer": str(folder / "layer"), "bytecode": "none", WITH_PATHS: True, **UNTRACED, **context}
    variables = {"CDK_CONTEXT_JSON": json.dumps(context), "CDK_OUTDIR": str(folder / "out"), "CDK_VALIDATION": "false"}
    environment = {**os.environ, **variables, "PYTHONPATH": project().imports}
    command = [sys.executable, "app.py"]
    run = subprocess.run(  # noqa: S603  it is the project's own
        command, cwd=project().root, env=environment, stderr=subprocess.PIPE, text=True, check=False
    )
    sys.stderr.write(run.stderr)
    if run.returncode:
        raise NotSynthesised(refusal_in(run.stderr) or f"the stack fails at synth: {run.stderr.strip()}")
    return folder / "out"


def assembled(folder: Path, own: Properties, *, protected: bool = False) -> "Synthesised":
    """Return the stack of an app's output folder; own: its template, by default that of the only root stack."""
    templates = {file.name: json.loads(file.read_text()) for file in sorted(folder.glob("*.template.json"))}
    if not own:
        [own] = [made for name, made in templates.items() if not name.endswith(".nested.template.json")]
    resources, outputs = _flat(own, templates)
    return Synthesised(
        {"Resources": resources, "Outputs": outputs}, protected=protected, templates=templates, folder=folder
    )


def _flat(template: Properties, templates: Mapping[str, Properties]) -> tuple[Properties, Properties]:
    """Return the resources and outputs of a template and of those nested in it, whose resources begin with their name.

    What crosses from one template to another, by output and parameter, refers to the resource itself again.
    """
    own = {name: made for name, made in template["Resources"].items() if made["Type"] != NESTED}
    waiting = {name: made for name, made in template["Resources"].items() if made["Type"] == NESTED}
    inside, described, told = Properties(), Properties(), dict[tuple[str, str], Any]()
    while waiting:
        name, parameters = next(_ready(waiting, told))
        nested = templates[Path(waiting.pop(name)["Metadata"]["aws:asset:path"]).name]
        resources, outputs = _flat(nested, templates)
        known = {one: {"Ref": f"{name}{one}"} for one in resources} | parameters
        resources, outputs = (_replaced(one, known, prefix=name) for one in (resources, outputs))
        told |= {(name, f"Outputs.{key}"): one["Value"] for key, one in outputs.items()}
        inside |= {f"{name}{key}": one for key, one in resources.items()}
        described |= {key: one for key, one in outputs.items() if "Description" in one}
    return _resolved(own, told) | inside, _resolved(template.get("Outputs", {}), told) | described


def _ready(waiting: Properties, told: Mapping[tuple[str, str], Any]) -> Iterator[tuple[str, Properties]]:
    """Yield the nested stacks, with their parameters, that need no output of one that is not flat yet."""
    for name, made in waiting.items():
        parameters = _resolved(made["Properties"].get("Parameters", {}), told)
        if "Outputs." not in json.dumps(parameters):
            yield name, parameters


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


def _resolved(value: Any, told: Mapping[tuple[str, str], Any]) -> Any:  # noqa: ANN401
    """Write what the outputs of nested stacks stand for."""
    match value:
        case {"Fn::GetAtt": [str(name), str(output)]} if (name, output) in told:
            return told[name, output]
        case dict():
            return {key: _resolved(one, told) for key, one in value.items()}
        case list():
            return [_resolved(one, told) for one in value]
        case _:
            return value


class Synthesised:
    """Everything that is deployed, nested stacks flat; `templates` are as CDK wrote them, into `folder`."""

    def __init__(
        self,
        template: Properties,
        *,
        protected: bool = False,
        templates: dict[str, Properties] | None = None,
        folder: Path = Path(),
    ) -> None:
        self.protected = protected
        self.templates = templates or {}
        self.folder = folder
        self.resources: dict[str, Properties] = template["Resources"]
        self.outputs: dict[str, Properties] = template["Outputs"]

    def of_type(self, resource_type: str) -> dict[str, Properties]:
        """Return the properties of each resource of a type, by logical id."""
        return {
            name: resource.get("Properties", {})
            for name, resource in self.resources.items()
            if resource["Type"] == resource_type
        }

    def functions(self) -> dict[str, Properties]:
        """Return each function by its file, as `services/loans/command`."""
        return {made["Description"]: made for made in self.of_type(FUNCTION).values()}

    def id_of_function(self, file: str) -> str:
        """Return the logical id of a function."""
        return next(name for name, made in self.of_type(FUNCTION).items() if made["Description"] == file)

    def statements(self, file: str) -> Iterator[Properties]:
        """Yield the statements of a function's role."""
        role = self.functions()[file]["Role"]["Fn::GetAtt"][0]
        for policy in self.of_type("AWS::IAM::Role")[role]["Policies"]:
            yield from policy["PolicyDocument"]["Statement"]
        yield from self.attached(role)

    def attached(self, role: str) -> Iterator[Properties]:
        """Yield the statements of the policies of a role; the CDK writes those that no inline policy holds apart."""
        for kind in POLICIES:
            for policy in self.of_type(kind).values():
                if {"Ref": role} in policy.get("Roles", ()):
                    yield from policy["PolicyDocument"]["Statement"]

    def allowed(self, file: str) -> set[tuple[str, str]]:
        """Return the pairs of action and resource."""
        return {(action, resource) for action, resource, _ in self.grants(file)}

    def grants(self, file: str) -> Iterator[tuple[str, str, Properties]]:
        """Yield each action that is allowed, its resource and what it is conditional on."""
        for statement in (one for one in self.statements(file) if one["Effect"] == "Allow"):
            for action in listed(statement["Action"]):
                for resource in listed(statement["Resource"]):
                    yield action, text(resource), statement.get("Condition", {})

    def mappings(self, file: str) -> list[Properties]:
        """Return the event source mappings of a function."""
        function = self.id_of_function(file)
        mappings = self.of_type("AWS::Lambda::EventSourceMapping").values()
        return [made for made in mappings if self.behind(made["FunctionName"]) == function]

    def behind(self, called: object) -> str:
        """Return the id of a function that is called by its name, its ARN or its alias."""
        name = next(
            name for name in (*self.of_type("AWS::Lambda::Alias"), *self.of_type(FUNCTION)) if name in text(called)
        )
        alias = self.of_type("AWS::Lambda::Alias").get(name)
        return str(alias["FunctionName"]["Ref"]) if alias else name

    def output(self, name: str) -> str:
        """Return the logical id of the resource that an output speaks of."""
        return str(self.outputs[name]["Value"]["Ref"])


def listed(value: object) -> list[Any]:
    """Return the list that a template may write as the one thing in it."""
    return value if isinstance(value, list) else [value]


def text(value: object) -> str:
    """Write `{"Fn::GetAtt": ["Bus", "Arn"]}` as `Bus.Arn`, and joins as what they join."""
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
