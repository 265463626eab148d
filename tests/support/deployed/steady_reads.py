"""Somebody who reads the board all the time, and remembers what was there: nothing may fail, and nothing get older."""

import http.client
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from andon.tools.stack.api import ApiClient, path_of

OK = 200
PER_S = 50


@dataclass
class SteadyReads:
    """Reads how each piece of equipment stands, one after the other, at so many reads a second, while it is entered."""

    api: ApiClient
    equipment: Sequence[str]
    per_s: float = PER_S
    reads: int = 0
    slowest_s: float = 0
    errors: list[str] = field(default_factory=list)
    older: list[str] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        began = time.monotonic()
        with self.api.connect() as connection:
            while not self._over.wait(max(0.0, began + self.reads / self.per_s - time.monotonic())):
                one = self.equipment[self.reads % len(self.equipment)]
                asked = time.monotonic()
                try:
                    answer = connection.request("GET", path_of("equipment", one, "board"))
                except (OSError, http.client.HTTPException) as error:
                    self.errors.append(f"{one}: {error!r}")
                else:
                    self._note(one, answer.status, answer.json)
                self.slowest_s = max(self.slowest_s, time.monotonic() - asked)
                self.reads += 1

    def _note(self, one: str, status: int, standing: dict[str, int]) -> None:
        if status != OK:
            self.errors.append(f"{one}: {status} {standing}")
            return
        if standing["version"] < self.seen.get(one, 0):
            self.older.append(f"{one}: {standing['version']} after {self.seen[one]}")
        self.seen[one] = standing["version"]
