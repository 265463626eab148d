"""The stores stand alone: whoever replaces the domain begins with them."""

from pathlib import Path

from aws_cdk import App, Stack

from andon.cdk.api import Api
from andon.cdk.archive import Archive
from andon.cdk.drift import Drift
from andon.cdk.event_hub import EventHub
from andon.cdk.fault_store import FaultStore
from andon.cdk.lake import Lake
from andon.cdk.operations import Operations
from andon.cdk.questions import Questions
from andon.cdk.replays import Replays
from tests.support.infra.synthesised import STAGES


def test_a_stack_needs_no_service_and_no_view(layer: Path) -> None:
    app = App(context=STAGES | {"layer": str(layer), "bytecode": "none"})
    stack = Stack(app, "Empty")
    hub, api = EventHub(stack), Api(stack)
    FaultStore(stack, hub, api)
    lake = Lake(stack, hub)
    Questions(stack, lake)
    archive = Archive(stack, hub, api, lake=lake.bucket)
    Drift(stack, hub, api, lake=lake.bucket, archive=archive.bucket)
    Replays(stack, hub, api, lake=lake.bucket)
    Operations(stack)

    made = app.synth().get_stack_by_name("Empty").template["Resources"].values()

    statements = [
        statement
        for one in made
        if one["Type"] == "AWS::IAM::Role"
        for policy in one["Properties"].get("Policies", [])
        for statement in policy["PolicyDocument"]["Statement"]
    ]
    assert statements
    assert all(statement["Resource"] for statement in statements)
