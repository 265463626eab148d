"""Groups of events that were replayed one after another: the services for which they were not apart. Pure.

A service was not apart if what it looked at in one group was changed in another one: the events of a correlation key at
which a rule was evaluated; a partition that it read for what rules know beside events; a row that a rule decided, for
the first decision wins.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable


class GroupOverlap:
    """Takes what was changed in each group, and looked at. Places are kept as hashes, groups as bits of a number."""

    def __init__(self) -> None:
        self._changed = defaultdict[int, int](int)
        self._looked_at = defaultdict[tuple[str, int], int](int)

    def add_changed(self, group: int, places: Iterable[Hashable]) -> None:
        """Take what was changed in a group, and is not the same in all groups."""
        for place in places:
            self._changed[hash(place)] |= 1 << group

    def add_looked_at(self, group: int, source: str, places: Iterable[Hashable]) -> None:
        """Take what a service looked at in a group."""
        for place in places:
            self._looked_at[source, hash(place)] |= 1 << group

    @property
    def mixed(self) -> set[str]:
        """The sources of those that were not apart."""
        return {
            source
            for (source, place), groups in self._looked_at.items()
            if place in self._changed and (groups | self._changed[place]).bit_count() > 1
        }
