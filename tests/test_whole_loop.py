"""Whatever is asked, reported and broken, in whatever order: the whole loop keeps its promises.

Commands of every route, decisions, faults and resubmissions, expiries, clocks that jump, odd events of neighbours, and
streams and queues that deliver twice, in batches cut at random. Deeper:
`LOOP_EXAMPLES=2000 make test ARGS=tests/test_whole_loop.py`; with `LOOP_SHRINK=1` a failure is made smaller.
"""

import os

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from andon.testing.loop import Answer, Loop
from demo.people import OLGA
from tests.support.loop.odd_events import ODD
from tests.support.loop.watched import COMPANY, MACHINES, PARTS, PEOPLE, STATES, WatchedLoop
from tests.support.services.reports import ACKNOWLEDGE, ASSIGN, ESCALATE, STAFF
from tests.support.services.versions import AUDIT, DELETE, PUT, ROLLBACK

EXAMPLES = int(os.environ.get("LOOP_EXAMPLES", "40"))
STEPS = 40
# Making a failing example smaller takes minutes.
PHASES = [Phase.explicit, Phase.generate, *([Phase.shrink] if "LOOP_SHRINK" in os.environ else [])]

MINUTE = 60_000
DAY = 24 * 60 * MINUTE

MACHINE = st.sampled_from(MACHINES)
STATE = st.sampled_from(STATES)
PERSON = st.sampled_from(PEOPLE)
VERSION = st.none() | st.integers(1, 4)
AGO = st.sampled_from([0, 1, MINUTE, 20 * MINUTE, 40 * MINUTE, -4 * MINUTE, -6 * MINUTE, 33 * DAY])
PASSES = st.sampled_from([1, MINUTE, 16 * MINUTE, 16 * MINUTE, 31 * MINUTE, 31 * MINUTE, 2 * DAY, 34 * DAY])
SIZE = st.integers(1, 10)


class WholeLoop(RuleBasedStateMachine):
    """The steps; `WatchedLoop` keeps what has to come of them."""

    aws: Loop

    @initialize()
    def begin(self) -> None:
        self.loop = WatchedLoop(self.aws)
        self.loop.__enter__()

    def teardown(self) -> None:
        try:
            self.loop.settle()
            self.loop.check()
        finally:
            self.loop.__exit__(None, None, None)

    @rule(machine=MACHINE, state=STATE, ago=AGO, detail=st.none() | st.sampled_from(["hot", "", "é" * 2_000]))
    def report(self, machine: str, state: str, ago: int, detail: str | None) -> None:
        self.loop.report(machine, state, self.loop.now_ms - ago, detail)

    @rule(machines=st.lists(st.tuples(MACHINE, STATE, AGO), min_size=1, max_size=8))
    def report_many(self, machines: list[tuple[str, str, int]]) -> None:
        self.loop.report_many([(machine, state, self.loop.now_ms - ago) for machine, state, ago in machines])

    @rule(machine=MACHINE, name=st.sampled_from(["one", "another"]), version=VERSION, company=st.sampled_from(COMPANY))
    def register(self, machine: str, name: str, version: int | None, company: str) -> None:
        location = dict.fromkeys(("country", "region", "state", "county", "city", "neighborhood"), "x")
        body = {"name": name, "factoryId": "gdl-1", "lineId": "l", "location": {"company": company, **location}}
        self._ask(PUT, {"id": machine}, body=body, version=version)

    @rule(machine=MACHINE, version=VERSION)
    def delete(self, machine: str, version: int | None) -> None:
        self._ask(DELETE, {"id": machine}, version=version)

    @rule(machine=MACHINE, to=st.integers(1, 3), version=VERSION)
    def roll_back(self, machine: str, to: int, version: int | None) -> None:
        self._ask(ROLLBACK, {"id": machine}, body={"toVersion": to}, version=version)

    @rule(machine=MACHINE, part=st.sampled_from(PARTS), result=st.sampled_from(["passed", "failed"]), version=VERSION)
    def audit(self, machine: str, part: str, result: str, version: int | None) -> None:
        self._ask(AUDIT, {"id": machine, "part": part}, body={"result": result, "auditor": OLGA}, version=version)

    @rule(operators=st.lists(PERSON, min_size=1, max_size=3, unique=True), supervisor=PERSON, version=VERSION)
    def staff(self, operators: list[str], supervisor: str, version: int | None) -> None:
        body = {"operators": operators, "supervisor": supervisor}
        self._ask(STAFF, {"factoryId": "gdl-1"}, body=body, version=version)

    @rule(which=st.integers(0, 99), person=PERSON, version=VERSION)
    def assign(self, which: int, person: str, version: int | None) -> None:
        self._ask(ASSIGN, self.loop.log(which), body={"operator": person}, version=version)

    @rule(which=st.integers(0, 99), person=PERSON, version=VERSION)
    def escalate(self, which: int, person: str, version: int | None) -> None:
        self._ask(ESCALATE, self.loop.log(which), body={"supervisor": person}, version=version)

    @rule(which=st.integers(0, 99))
    def acknowledge(self, which: int) -> None:
        self._ask(ACKNOWLEDGE, self.loop.log(which))

    @rule(events=st.lists(st.tuples(st.sampled_from(ODD), MACHINE, STATE), min_size=1, max_size=8))
    def odd_events(self, events: list[tuple[str, str, str]]) -> None:
        for odd, machine, state in events:
            self.loop.odd_event(odd, machine, state)

    @rule(which=st.integers(0, 9), size=SIZE, twice=st.booleans())
    def stream(self, which: int, size: int, twice: bool) -> None:  # noqa: FBT001  hypothesis names its arguments
        self.loop.stream(which, size, twice=twice)

    @rule(which=st.integers(0, 9), size=SIZE, at=st.integers(0, 5), twice=st.booleans())
    def queue(self, which: int, size: int, at: int, twice: bool) -> None:  # noqa: FBT001  as above
        self.loop.queue(which, size, skip=at, twice=twice)

    @rule()
    def everything_flows(self) -> None:
        self.loop.flow()

    @rule()
    def sweep(self) -> None:
        self.loop.sweep()

    @rule(which=st.integers(0, 9))
    def resubmit(self, which: int) -> None:
        self.loop.resubmit(which)

    @rule(by_ms=PASSES, reaped=st.booleans())
    def time_passes(self, by_ms: int, reaped: bool) -> None:  # noqa: FBT001  as above
        self.loop.pass_time(by_ms)
        if reaped:
            self.loop.reap()

    @rule(ahead_ms=st.sampled_from([-4 * MINUTE, -1, 0, 1, 4 * MINUTE]))
    def clock_jumps(self, ahead_ms: int) -> None:
        self.loop.ahead_ms = ahead_ms

    def _ask(self, route: str, path: dict[str, str], *, body: object = None, version: int | None = None) -> Answer:
        headers = {} if version is None else {"if-match": f'"{version}"'}
        return self.loop.request(route, path=path, body=body, headers=headers)


def test_the_whole_loop_keeps_its_promises() -> None:
    with Loop() as WholeLoop.aws:
        run_state_machine_as_test(
            WholeLoop, settings=settings(max_examples=EXAMPLES, stateful_step_count=STEPS, phases=PHASES)
        )
