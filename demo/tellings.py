"""Messages about the demo factory's machines, as people are told."""

import time
from collections import deque
from collections.abc import Iterator
from typing import Final

from andon.tools.stack.api import ApiClient, path_of
from demo.people import name_of

EACH_S: Final = 5.0
MOST_WATCHED: Final = 12
"""So many machines are asked about: those at which something happened last."""

NEWEST: Final = "5"


class Tellings:
    """The tellings that were not seen before, of machines at which something happened."""

    def __init__(self) -> None:
        self._machines: deque[str] = deque(maxlen=MOST_WATCHED)
        self._seen: set[tuple[str, str, str, str]] = set()
        self._asked_s = -EACH_S
        self.count = 0

    def watch(self, machine: str, api: ApiClient) -> None:
        """Ask about a machine from now on; what was told of it before is known."""
        if machine not in self._machines:
            self._machines.append(machine)
            self._seen |= {*_told(machine, api)}

    def lines(self, api: ApiClient) -> Iterator[str]:
        """Yield a line for each who was told since the last time, at most each `EACH_S`."""
        if time.monotonic() < self._asked_s + EACH_S:
            return
        self._asked_s = time.monotonic()
        new = [one for machine in self._machines for one in _told(machine, api) if one not in self._seen]
        for telling in new:
            machine, _, person, channel = telling
            self._seen.add(telling)
            self.count += 1
            yield f"{machine}: {name_of(person)} is told by {channel}"


def _told(machine: str, api: ApiClient) -> list[tuple[str, str, str, str]]:
    found = api.get(f"{path_of('equipment', machine, 'tellings')}?limit={NEWEST}").json
    return [(machine, one["at"], one["person"], one["channel"]) for one in reversed(found.get("items", ()))]
