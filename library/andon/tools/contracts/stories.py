"""Stories: what happens to a project's packages in memory, for what commands and rules make behind the samples.

They are the requests of `tests/<side>/<package>/samples.py`, those of `stories.py` beside it, which become no samples,
and all of `events/http/`. While a story is told, each rule that decides, each sender that is woken and each query of a
service with rules is asked for its needs of the events that lie in its table.
"""

import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from unittest.mock import patch

from andon.events.domain_event import DomainEvent
from andon.outbound.delivery import Gateway, Message
from andon.packages.discovery import owner_of_route, services, views
from andon.packages.package import Package
from andon.project import project
from andon.rules.evaluate import Evaluation, Evaluator
from andon.rules.rule import Control, Rule
from andon.rules.stored_event import StoredEvent
from andon.runtime import clock
from andon.runtime.clock import DAY_MS, MINUTE_MS
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonObject
from andon.runtime.tried import Failed, tried
from andon.testing.loop import Answer
from andon.testing.recorder import SAMPLES, Recorder
from andon.testing.samples import paths, read
from andon.tools.contracts.interview import Interview, StoredReader

FILES: Final = (SAMPLES, "stories")

_NUMBERED: Final = re.compile(r"-[0-9]+$")


class Story(Recorder):
    """All packages in memory, about one of them; whoever reads stored events is asked for its needs."""

    def __init__(self, package: Package, interview: Interview) -> None:
        super().__init__(package)
        self._interview = interview

    def tell(self, file: str) -> None:
        """Let happen what a file of the package's tests has."""
        with evaluations(self._evaluated):
            self.record(file)

    def tell_samples(self) -> None:
        """Let all requests of `events/http/` happen, each at its time, and then what is due in the day after."""
        samples = sorted(map(read, paths("http")), key=lambda one: int(one["requestContext"]["timeEpoch"]))
        with evaluations(self._evaluated):
            for sample in filter(_is_of_api, samples):
                self.at(sample["requestContext"]["timeEpoch"])
                answer = self.call(sample)
                if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    self._interview.faults[sample["routeKey"]] += 1
                self.run()
            for ms in (MINUTE_MS, 10 * MINUTE_MS, DAY_MS):
                self.wait(ms)

    def run(self) -> list[JsonObject]:
        """See `Recorder`; keep what was published."""
        published = super().run()
        self._interview.hear(published)
        return published

    def call(self, event: JsonObject) -> Answer:
        """See `Loop`; ask the query of a service with rules, once it answered."""
        answer = super().call(event)
        package, role = owner_of_route(event["routeKey"])
        if role == "query" and answer.status == HTTPStatus.OK and _has_rules(package):
            self._ask(f"{package.name}.query", package.load("control").CONTROL, partial(super().call, event))
        return answer

    def invoke(self, package: Package, role: str, event: JsonObject) -> Any:  # noqa: ANN401  a handler's response
        """See `Loop`; ask a sender before it is woken."""
        if role == "sender" and _has_rules(package):
            control = package.load("control").CONTROL
            for record in event["Records"]:
                for wire in _events_in(json.loads(record["body"])["detail"]):
                    sends = partial(messages, package.gateway, wire)
                    if not isinstance(sent := tried(sends), Failed) and sent:
                        self._ask(f"{package.name}.sender", control, sends)
        return super().invoke(package, role, event)

    def _evaluated(self, evaluator: Evaluator, anchor: StoredEvent, rule: Rule, evaluation: Evaluation) -> None:
        if evaluation.rows:
            control = evaluator.control
            again = partial(decided, control, evaluator.key, anchor.sort, rule)
            self._ask(rule_name(control, rule), control, again)

    def _ask(self, consumer: str, control: Control, reads: Callable[[], object]) -> None:
        self._interview.ask(StoredReader(consumer, self.tables[control.table.variable], reads))


def told(interview: Interview) -> None:
    """Play all stories, and ask whoever is in them; one that cannot be told to its end is a failure of its package."""
    with redirect_stdout(io.StringIO()), patch.object(clock, "wait", _no_time_passes):  # what handlers log
        for package, file in _files():
            with Story(package, interview) as story:
                failed = tried(story.tell, file)
            _note(failed, f"{package.name}.{file}", interview)
        with Story(Package("stores", "lake"), interview) as story:
            _note(tried(story.tell_samples), "events.http", interview)


def _note(told: object, name: str, interview: Interview) -> None:
    if isinstance(told, Failed):
        interview.failures[name] = f"{type(told.error).__name__}: {told.error}"


def _no_time_passes(_: float) -> None:
    """Wait for nothing: a query that waits for a write will not see it."""


def _files() -> Iterator[tuple[Package, str]]:
    for package in services() + views():
        folder = project().root / "tests" / package.folder
        yield from ((package, file) for file in FILES if (folder / f"{file}.py").is_file())


def _is_of_api(sample: JsonObject) -> bool:
    return owner_of_route(sample["routeKey"])[0].side != "pages"


def _has_rules(package: Package) -> bool:
    return package.side == "services" and package.has("control")


def _events_in(detail: JsonObject) -> list[JsonObject]:
    """Return the events of an entry's detail: itself, or the facts of a group."""
    facts: list[JsonObject] = detail["facts"] if "group" in detail and "id" not in detail else [detail]
    return facts


def rule_name(control: Control, rule: Rule) -> str:
    """Return the name of a rule as a consumer; rules that differ in a number alone, as those of minutes, are one."""
    return f"{control.rules.source}.rule-{_NUMBERED.sub('', rule.id)}"


def decided(control: Control, key: str, sort: str, rule: Rule) -> object:
    """Return the decisions of a rule at the event of a sort key, and when it is due; None: that is no anchor of it.

    Raises:
        Exception: it fails there, or the event cannot be read.

    """
    evaluator = Evaluator(control, key, anchors=[sort], now_ms=clock.now_ms())
    anchor = evaluator.past.find(sort)
    if anchor is None:
        raise Poison(f"the event cannot be read: {evaluator.past.take_unreadable()}")
    if rule not in control.rules.at_stored(anchor):
        return None
    evaluation = evaluator.evaluate(anchor, rule)
    if evaluation.error:
        raise evaluation.error
    return rule.first_due_ms(anchor, 0), evaluation.rows


def messages(gateway: Gateway, wire: JsonObject) -> list[Message]:
    """Return the messages of a sender when an event wakes it, by each way."""
    wake, now_ms = gateway.wake_of(DomainEvent.from_wire(wire)), clock.now_ms()
    due = gateway.waiting_of(wake, now_ms).due
    return [gateway.compose(wake, way, due, now_ms) for way in gateway.ways_of(wake, due, now_ms) if due]


@contextmanager
def evaluations(see: Callable[[Evaluator, StoredEvent, Rule, Evaluation], None]) -> Iterator[None]:
    """See each evaluation of a rule."""
    real = Evaluator.evaluate

    def evaluate(self: Evaluator, anchor: StoredEvent, rule: Rule) -> Evaluation:
        evaluation = real(self, anchor, rule)
        see(self, anchor, rule, evaluation)
        return evaluation

    Evaluator.evaluate = evaluate  # type: ignore[method-assign]
    try:
        yield
    finally:
        Evaluator.evaluate = real  # type: ignore[method-assign]
