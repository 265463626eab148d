"""Streams side by side for the emulator, which follows one after the other, in the thread that feeds queues, too.

On AWS each shard has a poller of its own: a trigger that takes its time delays nobody else. Here each mapping of a
stream gets a thread, which handles its batches in order.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any, Final

Mapping = tuple[str, str, dict[str, Any]]
"""The account and the region of an event source mapping, and the mapping itself."""

IDLE_S: Final = 1.0  # as the emulator's own poller; so long it takes until what failed is tried again

_followed: Final[ContextVar[str | None]] = ContextVar("followed", default=None)


class Followers:
    """A thread for each mapping of a stream. `mappings` and `poll` take the place of the emulator's own functions.

    all_mappings: every event source mapping. poll_all: handles a batch of each mapping of a stream that `mappings`
    names, one after the other, and returns whether there was one.
    """

    def __init__(self, all_mappings: Callable[[], Iterable[Mapping]], poll_all: Callable[[], bool]) -> None:
        self._all, self._poll_all = all_mappings, poll_all
        self._news: dict[str, threading.Event] = {}

    def mappings(self) -> Iterator[Mapping]:
        """Return the mapping that the calling thread follows, every one if it follows none."""
        followed = _followed.get()
        return (one for one in self._all() if followed is None or one[2]["UUID"] == followed)

    def poll(self) -> bool:
        """Wake all followers; nothing was done here, so that the poller waits until there is more."""
        for mapping in self._streams():
            if mapping not in self._news:
                self._news[mapping] = threading.Event()
                threading.Thread(target=self._follow, args=[mapping], daemon=True, name=f"stream-{mapping}").start()
            self._news[mapping].set()
        return False

    def _follow(self, mapping: str) -> None:
        _followed.set(mapping)
        while mapping in self._streams():
            self._news[mapping].wait(IDLE_S)
            self._news[mapping].clear()
            while self._poll_all():
                pass
        del self._news[mapping]

    def _streams(self) -> set[str]:
        return {one["UUID"] for _, _, one in self._all() if ":dynamodb:" in one.get("EventSourceArn", "")}
