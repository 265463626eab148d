"""The stack's template, with the questions that the tests ask of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from aws_cdk import App

from andon.cdk.api import Api
from andon.cdk.checks import nag
from andon.cdk.event_hub import EventHub
from andon.cdk.names import pascal
from andon.cdk.service import Service
from andon.cdk.view import View
from andon.dynamodb.schema import TableSchema
from andon.packages.discovery import packages, services, views
from andon.packages.package import PROVISION, Package
from andon.testing.synthesised import UNTRACED, WITH_PATHS, Properties, Synthesised, assembled
from infra.stack import Andon

PROJECT = Path(__file__).parents[3]

SERVICES, VIEWS, PACKAGES = services(), views(), packages()
TAKES = ("ReceiveMessage", "ChangeMessageVisibility", "GetQueueUrl", "DeleteMessage", "GetQueueAttributes")
"""Actions of Lambda on a queue that feeds a listener."""

KEPT = "RetainExceptOnCreate"
"""DeletionPolicy of data: they outlive their stack, except those of a first deployment that fails."""

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
IN_ALL_STAGES = [file for file in FILES if not file.endswith(f"/{PROVISION}")]


def declared_tables(package: Package) -> dict[str, TableSchema]:
    """The tables of a package by their output, as `StateLogTable`."""
    return {pascal(variable): schema for variable, schema in package.tables.items()}


STAGES = {
    "stages": json.loads((PROJECT / "cdk.json").read_text())["context"]["stages"],
    "alarmTopic": "pager",
}
"""The context that every app on AWS has."""

PROTECTED = {"liveOrigin": "wss://a2-ats.iot.eu-west-1.amazonaws.com"}
"""Settings that a protected stage has to name, too."""

HERE, THERE = "eu-central-1", "eu-west-1"
"""The region of a stage, and its replica region."""

OTHER_SETTINGS: dict[str, Any] = {
    "account": "1" * 12,
    "alarms": True,
    "alarmTopic": "arn:aws:sns:eu-central-1:000000000000:pager",
    "capacity": "PROVISIONED",
    "apiRequestsPerSecond": 20_000,
    "customerKey": True,
    "dataTrail": True,
    "holdBackSeconds": 0,
    "invocationsPerSecond": 20_000,
    "lakeLockDays": 21,
    "linkHours": 2,
    "liveOrigin": "wss://a1-ats.iot.eu-west-1.amazonaws.com",
    "mailFrom": "andon@plant.example.com",
    "origin": "https://andon.example.com",
    "placesRequired": True,
    "provisionedByClaim": ["factory"],
    "pushHosts": ["fcm.googleapis.com"],
    "pushKey": "BPublic",
    "putEventsPerSecond": 11_000,
    "qualifier": "andon1",
    "region": HERE,
    "replicaRegion": THERE,
    "runbooks": "https://example.com/runbooks",
    "secondFactor": True,
    "smsPerDay": 300,
    "tableUnitsPerSecond": 90_000,
    "traced": False,
    "webhookHosts": ["events.pagerduty.com", "*.logic.azure.com"],
}
"""All settings that a stage may leave out, none as by default."""

FLAGS = {"target", "stage", "layer", "bytecode", "alarmTopic", "unprotected", "repair"}
"""Names that `-c` sets; all else is a setting of the stage."""


Declare = Callable[[Andon, EventHub, Api], object]


def only(*names: str) -> Declare:
    """Declare some services and views alone, which takes a tenth of the time: by their paths, as `views/board`.

    With a view comes the one that says where equipment is, see `Project.whereabouts`.
    """
    if any(name.startswith("views/") for name in names):
        names = tuple(dict.fromkeys((*names, "views/board")))

    def declare(stack: Andon, hub: EventHub, api: Api) -> None:
        for side, _, name in (one.partition("/") for one in names):
            (Service if side == "services" else View)(stack, name, hub, api)

    return declare


def synthesise(
    layer: Path,
    *,
    audited: bool = False,
    stage: str = "dev",
    declare: Declare | None = None,
    **settings: Any,  # noqa: ANN401
) -> Synthesised:
    """Synthesise as `cdk synth` does; an empty folder stands for the layer, and nothing is compiled.

    declare: instead of all that the stack declares. settings: of the stage, or flags. audited: a finding of cdk-nag
    that is not acknowledged ends it; the templates are the same.
    """
    context = json.loads((PROJECT / "cdk.json").read_text())["context"]
    flags = {name: value for name, value in settings.items() if name in FLAGS or settings.get("target") == "local"}
    context["stages"][stage] |= {name: value for name, value in settings.items() if name not in flags}
    given = {"layer": str(layer), "bytecode": "none", "alarmTopic": "pager", "stage": stage, WITH_PATHS: True} | flags
    if stage == "prod":
        given = PROTECTED | given
    app = App(context=context | given | UNTRACED)
    with patch.object(Andon, "declare", declare or Andon.declare):
        stack = Andon(app)
    if audited:
        nag.audit(app)
    made = app.synth()
    own = made.get_stack_by_name(stack.stack_name).template
    return assembled(Path(made.directory), own, protected=bool(stack.termination_protection))


def rolls_back(made: Properties) -> bool:
    """Return True if an alarm ends a deployment and wakes nobody: see test_canary."""
    return "rolled-back" in made["AlarmDescription"]
