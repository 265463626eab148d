"""The whole topology. What each service and view needs is read from its package in `functions/`."""

from andon.cdk.api import Api
from andon.cdk.eraser import Eraser
from andon.cdk.event_hub import EventHub
from andon.cdk.lake import Lake
from andon.cdk.part import RootStack
from andon.cdk.service import Service
from andon.cdk.stores import Archive, Drift, FaultStore, Replays

# <view>
from andon.cdk.view import View

# </view>


class Acorn(RootStack):
    """The root stack: bus, API, and a nested stack for each package."""

    def declare(self, hub: EventHub, api: Api) -> None:
        """Declare the packages, in any order."""
        Service(self, "things", hub, api)
        # <others>
        Service(self, "books", hub, api)
        Service(self, "guests", hub, api)
        Service(self, "parcels", hub, api)
        Service(self, "readings", hub, api)
        View(self, "catalogue", hub, api)
        View(self, "diary", hub, api)
        # </others>
        # <control>
        Service(self, "watch", hub, api)
        # </control>
        # <view>
        View(self, "inventory", hub, api)
        # </view>
        FaultStore(self, hub, api)
        Lake(self, hub, api)
        Archive(self, hub, api)
        Drift(self, hub, api)
        # <persons>
        Eraser(self, hub, api)
        # </persons>
        Replays(self, hub, api)
