"""The whole topology. What each service and view needs is read from its package in `functions/`."""

from aws_cdk import Stack
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.archive import Archive
from andon.cdk.drift import Drift
from andon.cdk.event_hub import EventHub
from andon.cdk.fault_store import FaultStore
from andon.cdk.lake import Lake
from andon.cdk.models import Models
from andon.cdk.operations import Operations
from andon.cdk.pages import Page
from andon.cdk.questions import Questions
from andon.cdk.replays import Replays
from andon.cdk.scaling import Scaling
from andon.cdk.service import Service
from andon.cdk.target import Target
from andon.cdk.view import View


class Andon(Stack):
    """Everything, in one stack."""

    def __init__(self, scope: Construct) -> None:
        target = Target.of(scope)
        super().__init__(
            scope,
            target.stack_name,
            description="Andon: which machine needs help",
            env=target.environment,
            termination_protection=target.protected,
        )
        hub = EventHub(self)
        api = Api(self)

        Service(self, "equipment", hub, api, stream_first=True)
        Service(self, "equipment2", hub, api)
        Service(self, "dispatch", hub, api)
        Service(self, "dispatch2", hub, api)
        Models(self, read_by=Service(self, "anomalies", hub, api))
        View(self, "state_log", hub, api)
        View(self, "board", hub, api)
        FaultStore(self, hub, api)  # puts messages back on the queues of those above
        lake = Lake(self, hub)
        Questions(self, lake)
        archive = Archive(self, hub, api, lake=lake.bucket)  # brings back what those above forgot
        Drift(self, hub, api, lake=lake.bucket, archive=archive.bucket)  # compares the views with both

        Replays(self, hub, api, lake=lake.bucket)  # rebuilds the views above

        Page(self, "board", api)

        if target.capacity:
            Scaling(self)  # of the tables above
        Operations(self)  # for everything above
