"""The root stack of a project."""

from aws_cdk import Stack
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.event_hub import EventHub
from andon.cdk.target import Target


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
            termination_protection=target.protected,
        )
        hub, api = EventHub(self), Api(self)
        self.declare(hub, api)
        hub.close()

    def declare(self, hub: EventHub, api: Api) -> None:
        """Declare the packages, in any order."""
        raise NotImplementedError
