"""Groups of events that were replayed one after another: the services for which they were not apart. Pure."""

from collections import defaultdict
from collections.abc import Hashable, Iterable

from andon.tools.what_if.known_tables import Partition
from andon.tools.what_if.replayed_service import ReplayedService


class GroupOverlap:
    """Looks at each group once it was replayed.

    A service was not apart if what it looked at in one group was changed in another one: the events of a correlation
    key at which a rule was evaluated; a partition that it read for what rules know beside events; a row that a rule
    decided, for the first decision wins.
    """

    def __init__(self) -> None:
        self._bit = 1  # of the group: groups are the bits of a number
        self._changed = defaultdict[int, int](int)
        self._looked_at = defaultdict[tuple[str, int], int](int)

    def add(self, services: Iterable[ReplayedService], written: Iterable[Partition]) -> None:
        """Look at the services as they are at the end of a group, and at the partitions that it alone has written."""
        for service in services:
            for key, held in service.events.items():
                place = (service.variable, key)
                self._note(service, place, is_changed=held.is_of_group, is_looked_at=held.is_anchored)
            for partition in service.read:
                self._note(service, partition, is_changed=False, is_looked_at=True)
            for row in service.decided:
                self._note(service, (service.variable, "row", row), is_changed=True, is_looked_at=True)
        for partition in written:
            self._changed[hash(partition)] |= self._bit
        self._bit <<= 1

    def _note(self, service: ReplayedService, place: Hashable, *, is_changed: bool, is_looked_at: bool) -> None:
        if is_changed:
            self._changed[hash(place)] |= self._bit
        if is_looked_at:
            self._looked_at[service.source, hash(place)] |= self._bit

    @property
    def mixed(self) -> set[str]:
        """The sources of those that were not apart."""
        return {
            source
            for (source, place), groups in self._looked_at.items()
            if place in self._changed and (groups | self._changed[place]).bit_count() > 1
        }
