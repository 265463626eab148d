"""The whole topology. What each service and view needs is read from its package in `functions/`."""

from andon.cdk.api import Api
from andon.cdk.eraser import Eraser
from andon.cdk.event_hub import EventHub
from andon.cdk.lake import Lake
from andon.cdk.pages import Page
from andon.cdk.part import RootStack
from andon.cdk.service import Service
from andon.cdk.stores import Archive, Drift, FaultStore, Replays
from andon.cdk.view import View


class Andon(RootStack):
    """The root stack: bus, API, and a nested stack for each package."""

    def declare(self, hub: EventHub, api: Api) -> None:  # noqa: PLR0915  a list: one line for each package
        """Declare the packages, in any order."""
        Service(self, "equipment", hub, api, stream_first=True)
        Service(self, "equipment2", hub, api)
        Service(self, "dispatch", hub, api)
        Service(self, "dispatch2", hub, api)
        Service(self, "anomalies", hub, api)
        Service(self, "people", hub, api)
        Service(self, "maintenance", hub, api)
        Service(self, "planning", hub, api)
        Service(self, "calls", hub, api)
        Service(self, "notify", hub, api)
        View(self, "state_log", hub, api)
        View(self, "board", hub, api)
        View(self, "agenda", hub, api)
        View(self, "agenda_days", hub, api)
        Page(self, "board", hub, api)
        FaultStore(self, hub, api)
        Lake(self, hub, api)
        Archive(self, hub, api)
        Drift(self, hub, api)
        Replays(self, hub, api)
        Eraser(self, hub, api)
