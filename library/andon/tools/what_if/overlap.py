"""Groups of events that were replayed one after another: the services for which they were not apart. Pure."""

from collections.abc import Iterable

from andon.tools.what_if.known_tables import Partition
from andon.tools.what_if.replayed_service import ReplayedService


class GroupOverlap:
    """Looks at each group once it was replayed. mixed: the services whose decisions followed from several groups.

    So it is where the events of a correlation key lay in several groups, and a rule was evaluated there; where a row
    was decided in several; where what a rule knows beside events was written in another one.
    """

    def __init__(self) -> None:
        self._keys: dict[tuple[str, int], tuple[int, bool]] = {}
        self._rows = set[tuple[str, int]]()
        self._written: dict[Partition, set[int]] = {}
        self._read: dict[str, dict[Partition, set[int]]] = {}
        self._mixed = set[str]()
        self._group = 0

    def add(self, services: Iterable[ReplayedService], written: Iterable[Partition]) -> None:
        """Look at the services as they are at the end of a group, and at what it has written."""
        for partition in written:
            self._written.setdefault(partition, set()).add(self._group)
        for service in services:
            self._add_keys(service)
            self._add_rows(service)
            for partition in service.read:
                self._read.setdefault(service.source, {}).setdefault(partition, set()).add(self._group)
        self._group += 1

    def _add_keys(self, service: ReplayedService) -> None:
        for key, held in service.events.items():
            if held.is_of_group or held.is_anchored:
                place = (service.source, hash(key))
                group, is_anchored = self._keys.setdefault(place, (self._group, held.is_anchored))
                if group != self._group and (is_anchored or held.is_anchored):
                    self._mixed.add(service.source)

    def _add_rows(self, service: ReplayedService) -> None:
        rows = {(service.source, hash(key)) for key in service.decided}
        if not rows.isdisjoint(self._rows):
            self._mixed.add(service.source)
        self._rows |= rows

    @property
    def mixed(self) -> set[str]:
        """Their sources."""
        return self._mixed | {
            source
            for source, partitions in self._read.items()
            for partition, groups in partitions.items()
            if (written := self._written.get(partition)) and len(written | groups) > 1
        }
