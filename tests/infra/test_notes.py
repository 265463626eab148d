from pathlib import Path

import pytest
from aws_cdk import App

from andon.cdk.api import Api
from andon.cdk.event_hub import EventHub
from andon.cdk.part import RootStack
from tests.support.infra.synthesised import STAGES


class Empty(RootStack):
    """A bus and an API, and no package."""

    def declare(self, hub: EventHub, api: Api) -> None:
        """Declare nothing."""


@pytest.mark.parametrize("target", ["aws", "local"])
def test_where_a_resource_is_declared_is_noted_for_deployments_to_aws_alone(target: str) -> None:
    app = App(context=STAGES | {"target": target, "bytecode": "none"})
    Empty(app)

    notes = [file.read_text() for file in Path(app.synth().directory).glob("*.metadata.json")]

    assert any('"aws:cdk:logicalId"' in note for note in notes) == (target == "aws")
