"""Samples: those of a package whose requests stand beside its tests are what its handlers make of them.

Of the same requests with a time that lies ahead nothing becomes a fault: the command refuses such a time, or takes it.
"""

from collections.abc import Iterator
from typing import Any, Final

import pytest

from andon.events import fault
from andon.packages.package import Package
from andon.project import project
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.testing.lambda_events import http_event
from andon.testing.loop import Answer, Loop
from andon.testing.recorder import Recorder, recorded, samples_of
from andon.testing.samples import text_of

_AHEAD_MS: Final = (DAY_MS // 24, DAY_MS, 400 * DAY_MS, 7_000 * 365 * DAY_MS)
"""From a clock that is wrong by an hour to a year that has no place among dates of rules."""


@pytest.mark.parametrize("package", recorded(), ids=lambda package: package.name)
def test_samples_are_as_the_handlers_make_them(package: Package) -> None:
    made = {path: text_of(one) for path, one in samples_of(package).items()}
    kept = {path: file.read_text() for path in made if (file := project().events / path).is_file()}
    other = [path for path, text in made.items() if kept.get(path) != text]

    assert not other, f"missing, or not as the handlers make them: {', '.join(other)}. Write them anew: andon samples"


class _Ahead(Recorder):
    """A recorder that makes each request with a time of it ahead first, and undoes what comes of it.

    faults: a line for each that became one.
    """

    def __init__(self, package: Package) -> None:
        super().__init__(package)
        self.faults: list[str] = []

    def request(self, route: str, *, variant: str = "", refused: int = 0, **parts: Any) -> Answer:  # noqa: ANN401
        """See `Recorder`."""
        if not route.startswith("GET "):
            for part in ("path", "body"):
                for name, said, other in _ahead(parts.get(part), part, self._now_ms):
                    self._try(f"{name} {said!r}", http_event(route, **{**parts, part: other}))
        return super().request(route, variant=variant, refused=refused, **parts)

    def _try(self, said: str, event: dict[str, Any]) -> None:
        rows = {table: one.partitions for table, one in self.tables.items()}
        objects = {bucket: dict(one.bodies) for bucket, one in self.store.items()}
        event["requestContext"]["timeEpoch"] = self._now_ms
        answer = self.call(event)
        for one in Loop.run(self):
            if one["detail-type"] == fault.TYPE:
                gave_up: fault.FaultEntity = one["detail"]["fault"]
                why = f"{gave_up['consumer']} gives it up: {gave_up['error']['message']}"
                self.faults.append(f"{event['routeKey']} answers {answer.status} to {said}, and {why}")
        for table, kept in rows.items():
            self.tables[table].partitions = kept
        for bucket, bodies in objects.items():
            self.store[bucket].bodies = bodies


@pytest.mark.parametrize("package", recorded(), ids=lambda package: package.name)
def test_a_time_that_lies_ahead_is_refused_by_the_command_that_would_make_a_fault_of_it(package: Package) -> None:
    with _Ahead(package) as world:
        world.record()

    assert not world.faults, (
        f"{world.faults[0]}. Let the command answer 400 to a time of a fact behind now_ms + times.MAX_AHEAD_MS; "
        f"declare a date that is to come as said.Time"
    )


def _ahead(said: Any, name: str, now_ms: int) -> Iterator[tuple[str, str, Any]]:  # noqa: ANN401  any JSON
    """Yield what is said, each time with one of its times and dates ahead: with its name, and what it says then."""
    if isinstance(said, dict):
        for key, value in said.items():
            yield from ((at, text, {**said, key: other}) for at, text, other in _ahead(value, f"{name}.{key}", now_ms))
    elif isinstance(said, list):
        for at, value in enumerate(said):
            inner = _ahead(value, f"{name}.{at}", now_ms)
            yield from ((where, text, [*said[:at], other, *said[at + 1 :]]) for where, text, other in inner)
    elif isinstance(said, str) and _is_time(said):
        for ahead_ms in _AHEAD_MS:
            text = times.to_utc(now_ms + ahead_ms)[: None if "T" in said.upper() else len("2026-11-21")]
            yield name, text, text


def _is_time(text: str) -> bool:
    try:
        times.first_of(text)
    except ValueError:
        return False
    return True
