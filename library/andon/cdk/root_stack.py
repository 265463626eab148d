"""The root stack of a project."""

from typing import Final

from aws_cdk import Stack
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.event_hub import EventHub
from andon.cdk.target import Target

NOTES: Final = ("aws:cdk:disable-logicalId-metadata", "aws:cdk:disable-creation-stack-traces")
"""Context without which the CDK notes where each resource is declared."""


class RootStack(Stack):
    """Bus, API, and a nested stack for each package; a project's own says in `declare` which it has."""

    def __init__(self, scope: Construct) -> None:
        target = Target.of(scope)
        super().__init__(
            scope,
            target.stack_name,
            description=target.project.title,
            env=target.environment,
            synthesizer=target.synthesizer,
            termination_protection=target.stage.termination_protection,
        )
        if not target.annotated:
            for name in NOTES:
                self.node.set_context(name, value=True)
        hub, api = EventHub(self), Api(self)
        self.declare(hub, api)
        hub.close()

    def declare(self, hub: EventHub, api: Api) -> None:
        """Declare the packages, in any order."""
        raise NotImplementedError
