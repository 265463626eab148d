"""The whole topology. What each service and view needs is read from its package in `functions/`."""

from aws_cdk import Stack
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.archive import Archive
from andon.cdk.drift import Drift
from andon.cdk.event_hub import EventHub
from andon.cdk.fault_store import FaultStore
from andon.cdk.lake import Lake
from andon.cdk.replays import Replays
from andon.cdk.service import Service
from andon.cdk.target import Target
from andon.cdk.view import View


class Acorn(Stack):
    """The root stack: bus, API, and a nested stack for each package."""

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
        Service(self, "things", hub, api)
        Service(self, "watch", hub, api)
        View(self, "inventory", hub, api)
        FaultStore(self, hub, api)
        Lake(self, hub, api)
        Archive(self, hub, api)
        Drift(self, hub, api)
        Replays(self, hub, api)
