"""Samples made by running the handlers: what a package's requests become, from HTTP to its facts on the bus.

The requests stand in `tests/<side>/<package>/samples.py`, as a function `record`, or several of names that begin so,
a day after each other:

    def record(world: Recorder) -> None:
        world.request("PUT /things/{id}", path={"id": "lamp"}, body={"place": "attic"})

Its package's routes and facts become samples, and nothing else: what it needs of other packages it may call, too. Each
request has a time of its own, a second after the one before. A sample is named by the function that answers the route,
as `put-thing`, or by the type of the fact, as `thing-moved`; the first of a name counts, and `variant="again"` makes
it another name, `put-thing.again`. A request that is refused is no sample, unless it says so: `refused=412`.
"""

import importlib
import traceback
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Self
from uuid import NAMESPACE_OID, uuid5

from andon.events.domain_event import DomainEvent
from andon.packages.discovery import owner_of_route, services, views
from andon.packages.package import Package
from andon.project import project
from andon.runtime.clock import DAY_MS
from andon.runtime.json_types import JsonObject
from andon.testing.environment import frozen_clock
from andon.testing.lambda_events import http_event
from andon.testing.loop import Answer, Loop
from andon.testing.samples import BEGINNING_MS, body_of, read

BETWEEN_MS: Final = 1_000
RECORD: Final = "record"
SAMPLES: Final = "samples"
"""The file with a package's requests, beside its tests."""

Samples = Mapping[str, JsonObject]
"""Path below `events/`, as `stream/thing-moved.json` -> the message."""


class NoSample(AssertionError):
    """The answer to a request that is no sample of its route."""


def _told_of(error: Exception) -> str:
    """Return an exception as a sentence: its type, its words, and the last line of the project's own that was run."""
    frames, root = traceback.extract_tb(error.__traceback__), project().root
    own = [one for one in frames if Path(one.filename).is_relative_to(root / "functions")] or frames
    at = [f", at {one.filename.removeprefix(f'{root}/')}:{one.lineno}" for one in own[-1:]]
    return "".join((f"{type(error).__name__}: {error}", *at))


class Recorder(Loop):
    """All packages in memory; keeps what becomes of one package's requests. Its clock stands, and goes on when told."""

    def __init__(self, package: Package) -> None:
        super().__init__()
        self.samples: dict[str, JsonObject] = {}
        self._package, self._now_ms, self._variant = package, BEGINNING_MS, ""
        self._records: dict[str, JsonObject] = {}
        self._only: frozenset[str] = frozenset()

    def __enter__(self) -> Self:
        entered = super().__enter__()
        self._clock = self._stack.enter_context(ExitStack())
        self._show()
        return entered

    def record(self, file: str = SAMPLES) -> None:
        """Make the package's requests, one function of a file of its tests after the other."""
        module = importlib.import_module(f"tests.{self._package.folder.replace('/', '.')}.{file}")
        for record in [one for name, one in vars(module).items() if name.startswith(RECORD)]:  # a warning adds a name
            record(self)
            self.wait(DAY_MS)
            self.keep_only()

    def at(self, now_ms: int) -> None:
        """Let it be another time, in epoch milliseconds, whatever is due until then."""
        self._now_ms = now_ms
        self._show()

    def request(self, route: str, *, variant: str = "", refused: int = 0, **parts: Any) -> Answer:  # noqa: ANN401
        """Call a route with the parts of `http_event`, then publish and deliver what follows.

        refused: the status of the refusal that the sample is to show.

        Raises:
            NoSample: the handler failed, or refused the request, or did not refuse what is to be refused.

        """
        self._variant = f".{variant}" if variant else ""
        package, role = owner_of_route(route)
        event = http_event(route, **parts)
        event["requestContext"]["timeEpoch"] = self._now_ms
        if package == self._package:
            answered_by = package.api(role).declared[route].answered_by
            self._keep("http", answered_by.__name__.replace("_", "-"), event)
        answer = self.call(event)
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            error = package.api(role).failed_by
            raise NoSample(f"{route} failed: {answer.body if error is None else _told_of(error)}") from error
        _require_sample(route, answer, refused)
        self.run()
        self.wait(BETWEEN_MS)
        return answer

    def hear_all(self) -> None:
        """Let one event of each type happen that the package subscribes to."""
        for _, type_ in sorted(self._package.subscriptions):
            self.hear(type_)

    def hear(self, name: str, **said: object) -> None:
        """Let the event of another package's sample happen now, as `thing-moved`: who subscribes to it gets it.

        said: members of its entity that are not those of the sample.
        """
        event = DomainEvent.from_wire(_domain_sample(name))
        id_ = uuid5(NAMESPACE_OID, f"{event.id} {self._now_ms}").hex
        entities = {entity: {**members, **said} for entity, members in event.entities.items()}
        now = event._replace(id=id_, timestamp_ms=self._now_ms, entities=entities)
        self.listen([body_of(now)])
        self.run()
        self.wait(BETWEEN_MS)

    def keep_only(self, *types: str) -> None:
        """Keep no facts from here on but those of some types; without any, all again."""
        self._only = frozenset(types)

    def wait(self, ms: int) -> None:
        """Let time pass; what is due then is decided."""
        self.at(self._now_ms + ms)
        self.sweep()

    def run(self) -> list[JsonObject]:
        """See `Loop`; keep the package's facts, each with the change that it was."""
        published = super().run()
        for one in published:
            event = one["detail"]
            if one["source"] == self._package.name and event["id"] in self._records and self._keeps(event["type"]):
                self._keep("stream", event["type"], {"Records": [self._records[event["id"]]]})
                self._keep("domain", event["type"], event)
        return published

    def invoke(self, package: Package, role: str, event: JsonObject) -> Any:  # noqa: ANN401  a handler's response
        """See `Loop`."""
        if role == "trigger":
            self._records |= {record["eventID"]: record for record in event["Records"]}
        return super().invoke(package, role, event)

    def _keeps(self, event_type: str) -> bool:
        return not self._only or event_type in self._only

    def _keep(self, kind: str, name: str, message: JsonObject) -> None:
        self.samples.setdefault(f"{kind}/{name}{self._variant}.json", message)

    def _show(self) -> None:
        self._clock.close()
        self._clock.enter_context(frozen_clock(self._now_ms))


def _require_sample(route: str, answer: Answer, refused: int) -> None:
    if answer.status == refused or (not refused and answer.status < HTTPStatus.BAD_REQUEST):
        return
    why = f"{route} answered {answer.status}: {answer.body}. "
    why += f"It is to be refused with {refused}" if refused else f"Mend it, or say refused={answer.status}"
    if refused or answer.status != HTTPStatus.NOT_FOUND or not route.startswith("GET "):
        raise NoSample(why)
    warnings.warn(why, DeprecationWarning, stacklevel=3)  # projects of before read a view in which nothing is


def file_of(package: Package) -> Path:
    """Return the file with a package's requests."""
    return project().root / "tests" / package.folder / f"{SAMPLES}.py"


def recorded() -> list[Package]:
    """Return the packages whose samples are made by running their handlers."""
    return [package for package in services() + views() if file_of(package).is_file()]


@cache
def samples_of(package: Package) -> Samples:
    """Return the samples of a package.

    Raises:
        NoSample: a request of them is none.

    """
    with Recorder(package) as world:
        try:
            world.record()
        except NoSample as none:
            raise NoSample(f"tests/{package.folder}/{SAMPLES}.py: {none}") from none.__cause__
    return world.samples


def _domain_sample(name: str) -> JsonObject:
    """Return an event on the bus: as it is recorded, or as its file has it."""
    path = f"domain/{name}.json"
    source = next((one for one in recorded() if name in one.types), None)
    found = samples_of(source).get(path) if source else None
    return read(project().events / path) if found is None else found
