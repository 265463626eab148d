"""The stack's template, with the questions that the tests ask of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aws_cdk import App

from infra.checks import nag
from infra.names import pascal
from infra.stack import Andon
from patterns.dynamodb.schema import TableSchema
from patterns.packages.discovery import packages, services, views
from patterns.packages.package import Package

PROJECT = Path(__file__).parents[3]

Properties = dict[str, Any]


SERVICES, VIEWS, PACKAGES = services(), views(), packages()
TAKES = ("ReceiveMessage", "ChangeMessageVisibility", "GetQueueUrl", "DeleteMessage", "GetQueueAttributes")
"""What Lambda does on a queue that feeds a listener."""

STREAM_FIRST = {"services/equipment/command.py"}

LISTENING = [service for service in SERVICES if service.has("listener")]
CONTROL = [service for service in SERVICES if service.has("control")]
SWEPT = [service for service in SERVICES if service.has("sweep")]
READERS = LISTENING + VIEWS
"""The services and views with a queue of domain events."""


def files(package: Package) -> list[str]:
    """The handler files of a package, as `services/equipment/command.py`."""
    return [package.path(role) for role in package.roles]


FILES = [file for package in PACKAGES for file in files(package)]


def declared_tables(package: Package) -> dict[str, TableSchema]:
    """The tables of a package by their output, as `StateLogTable`."""
    return {pascal(variable): schema for variable, schema in package.tables.items()}


def synthesise(layer: Path, *, audited: bool = False, **context: str) -> "Synthesised":
    """Synthesise as `cdk synth` does; an empty folder stands for the layer, and nothing is compiled.

    Not audited by default: what these tests assert must hold without cdk-nag.
    """
    settings = json.loads((PROJECT / "cdk.json").read_text())["context"]
    app = App(context=settings | {"layer": str(layer), "bytecode": "none"} | context)
    stack = Andon(app, "Andon")
    if audited:
        nag.audit(app)
    return Synthesised(app.synth().get_stack_by_name(stack.stack_name).template)


class Synthesised:
    def __init__(self, template: Properties) -> None:
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
        """Each function by its file, as `services/equipment/command.py`."""
        return {made["Description"]: made for made in self.of_type("AWS::Lambda::Function").values()}

    def id_of_function(self, file: str) -> str:
        return next(name for name, made in self.of_type("AWS::Lambda::Function").items() if made["Description"] == file)

    def statements(self, file: str) -> Iterator[Properties]:
        """What the role of a function allows or denies."""
        role = self.functions()[file]["Role"]["Fn::GetAtt"][0]
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
        target = {"Ref": self.id_of_function(file)}
        return [
            made for made in self.of_type("AWS::Lambda::EventSourceMapping").values() if made["FunctionName"] == target
        ]

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
        case {"Fn::Join": [separator, parts]}:
            return str(separator).join(text(part) for part in parts)
        case _:
            return str(value)
