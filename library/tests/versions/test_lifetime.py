"""A sequential history whose current row expires: nothing that was shown is ever replaced, nothing is begun twice."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from andon.dynamodb import ttl
from andon.dynamodb.schema import TableSchema
from andon.runtime.errors import Conflict, NotFound, Rejected, Stale
from andon.testing.above_retries import Pass, between
from andon.testing.crash_points import Killed
from andon.testing.memory.aws import AwsInMemory
from andon.testing.memory.hook import Call
from andon.versions.lifetime import KEPT_SECONDS, Lifetime
from andon.versions.optimistic_lock import Draft, Saved
from andon.versions.sequential_history import save, visible
from toys.archive import BY_VERSION, CURRENT, HISTORY, KEYS, versions_of
from toys.clock import NOW
from toys.things import painting

HOUR_MS: Final = 3_600_000
DAY: Final = ttl.SECONDS_PER_DAY
BEGIN: Final = NOW // 1000
OPEN_UNTIL: Final = BEGIN + 3 * DAY
THING: Final = versions_of("it")
SCHEMAS: Final = {
    CURRENT.variable: TableSchema(KEYS, stream=True),
    HISTORY.variable: TableSchema(BY_VERSION, expires=False),
}


class Thing(AwsInMemory):
    """The two tables, with one thing."""

    def __init__(self) -> None:
        super().__init__(SCHEMAS)

    @property
    def row(self) -> dict[str, Any] | None:
        """The current row, whether readers see it or not."""
        return CURRENT.get(THING.key, consistent=True)

    @property
    def colours(self) -> dict[int, str]:
        """What the history says, orphans included."""
        assert THING.revisions
        rows = HISTORY.query(THING.revisions.all, limit=100).items
        return {row["version"]: row["colour"] for row in rows}

    def expire(self, now_ms: int) -> bool:
        """Delete the current row as DynamoDB does, if its ttl has passed; return whether it did."""
        row = self.row
        if row is None or ttl.is_kept(row, now_ms):
            return False
        CURRENT.delete(THING.key)
        return True


@pytest.fixture
def thing() -> Iterator[Thing]:
    with Thing() as thing:
        yield thing


@pytest.fixture(autouse=True)
def no_pauses(pauses: list[float]) -> None:
    """Nobody waits: who goes next is decided by the test."""


def until(days: float) -> Lifetime:
    """Live until so many days after the beginning."""
    return Lifetime(expires_at=BEGIN + int(days * DAY), open_until=OPEN_UNTIL)


def coat(colour: str, *, if_match: int | None = None, days: float = 0) -> Draft:
    return painting("it", colour, if_match=if_match, now_ms=NOW + int(days * DAY) * 1000)


def outcome(do: Callable[[], Saved[Any]]) -> Saved[Any] | Rejected:
    try:
        return do()
    except Rejected as error:
        return error


def test_a_row_is_shown_until_its_newest_date_and_kept_until_the_latest(thing: Thing) -> None:
    kept = []
    for version, days in enumerate([10, 20, 5, 1]):
        save(THING, coat(f"{days}", if_match=version or None), until(days))
        kept.append([(thing.row or {})[name] - BEGIN for name in (ttl.DATE, ttl.ATTRIBUTE)])

    assert kept == [
        [10 * DAY, 10 * DAY + KEPT_SECONDS],
        [20 * DAY, 20 * DAY + KEPT_SECONDS],
        [5 * DAY, 20 * DAY + KEPT_SECONDS],
        [3 * DAY, 20 * DAY + KEPT_SECONDS],  # as long as its id is open
    ]


def test_an_id_is_taken_until_its_date_and_a_row_is_changed_as_long_as_it_is_seen(thing: Thing) -> None:
    with pytest.raises(NotFound, match="Its time is over"):
        save(THING, coat("red", days=3), until(10))
    assert thing.row is None
    save(THING, coat("red", days=2.9), until(10))

    save(THING, coat("green", if_match=1, days=9.9), until(10))
    for retry in (coat("red", days=10.1), coat("green", if_match=1, days=10.1)):
        assert save(THING, retry, until(10)).row["colour"] == retry.content["colour"]
    for draft in (coat("white", if_match=2, days=10.1), coat("green", if_match=2, days=10.1)):
        with pytest.raises(NotFound, match="Its time is over"):
            save(THING, draft, until(20))
    gone = Conflict("It was in another year.")
    with pytest.raises(Conflict, match="another year"):
        save(THING, coat("white", if_match=2, days=10.1)._replace(gone=gone), until(20))

    assert thing.colours == {1: "red", 2: "green"}


def test_what_began_and_was_broken_off_expires_too(thing: Thing) -> None:
    with watched(Calls(killed_after=1)), pytest.raises(Killed):
        save(THING, coat("red"), until(10))

    assert (thing.row or {})[ttl.ATTRIBUTE] == OPEN_UNTIL + KEPT_SECONDS
    assert visible(thing.row) is None


def test_the_orphan_of_a_row_that_has_gone_proves_no_retry(thing: Thing) -> None:
    save(THING, coat("red"), until(3))
    with watched(Calls(killed_after=2)), pytest.raises(Killed):
        save(THING, coat("green", if_match=1, days=1), until(3))
    assert thing.expire((OPEN_UNTIL + KEPT_SECONDS) * 1000)

    for days, error in ((5, NotFound), (1, Stale)):  # the clock of the second one is behind
        with pytest.raises(error):
            save(THING, coat("green", if_match=1, days=days), until(3))
    assert thing.row is None


@pytest.mark.parametrize("lifetime", [Lifetime(BEGIN, NOW), Lifetime(NOW, BEGIN), Lifetime(-1, BEGIN)])
def test_dates_are_epoch_seconds(thing: Thing, lifetime: Lifetime) -> None:
    with pytest.raises(ValueError, match="epoch seconds"):
        save(THING, coat("red"), lifetime)
    assert thing.row is None


def test_a_lifetime_says_the_ttl_alone_and_revisions_have_none() -> None:
    assert THING.revisions
    expiring = THING._replace(revisions=THING.revisions._replace(attributes={"ttl": BEGIN}))
    for name in (ttl.ATTRIBUTE, ttl.DATE):
        with pytest.raises(ValueError, match="by a Lifetime"):
            save(THING, coat("red")._replace(attributes={name: BEGIN}), until(3))
    with pytest.raises(ValueError, match="before its current row"):
        save(expiring, coat("red"), until(3))


@dataclass(slots=True)
class Calls:
    """Interrupts a save: before call `number` `do` is done; behind call `killed_after` the process ends."""

    killed_after: int = 0
    number: int = 0
    do: Callable[[], object] = lambda: None
    after_each: Callable[[], object] = lambda: None
    made: int = 0


@contextmanager
def watched(calls: Calls) -> Iterator[None]:
    nested = False

    def call(_: Call, make: Pass) -> dict[str, Any]:
        nonlocal nested
        if nested:
            return make()
        calls.made += 1
        nested = True
        try:
            if calls.made == calls.number:
                calls.do()
            try:
                return make()
            finally:
                calls.after_each()
                if calls.made == calls.killed_after:
                    raise Killed
        finally:
            nested = False

    with between(call):
        yield


class Step(NamedTuple):
    """A save by a writer whose clock is wrong by `skew_h` hours, and time that passes before and within it.

    again: send the command again that was sent so many steps before; 0: a new one. names: the version that it names,
    counted back from the current one; None: none. killed_after, theirs_after: the call behind which this process, or
    that of a writer who comes between, ends; 0: it does not. between: the call before which that happens, and
    `pause_h` pass.
    """

    wait_h: int
    again: int
    names: int | None
    days: int
    skew_h: int
    killed_after: int
    between: int
    pause_h: int
    theirs_after: int | None
    takes: bool


HOURS: Final = KEPT_SECONDS * 1000 // HOUR_MS
STEPS: Final = st.lists(
    st.builds(
        Step,
        wait_h=st.sampled_from([0, 24, 50, 71, 150]),
        again=st.integers(0, 3),
        names=st.sampled_from([None, None, 0, 0, 0, 1]),
        days=st.sampled_from([0, 1, 4, 6]),
        skew_h=st.sampled_from([0, 0, 5, -5, 1 - HOURS // 2]),
        killed_after=st.sampled_from([0, 0, 1, 2, 3]),
        between=st.integers(0, 6),
        pause_h=st.sampled_from([0, HOURS // 2]),
        theirs_after=st.sampled_from([None, 0, 1, 2, 3]),
        takes=st.sampled_from([True, True, False]),
    ),
    min_size=2,
    max_size=6,
)


@dataclass(slots=True)
class History:
    """Runs steps, and checks at every call what readers may rely on for ever."""

    thing: Thing
    now_ms: int = NOW
    shown: dict[int, str] = field(default_factory=dict)
    fence: int = 0
    has_gone: bool = False
    sent: list[tuple[Draft, Lifetime]] = field(default_factory=list)

    def look(self) -> None:
        row, colours = self.thing.row, self.thing.colours
        if row is None:
            return
        assert not self.has_gone, "what had gone began again"
        assert row["fence"] >= self.fence, "a fence is given out twice"
        assert row[ttl.ATTRIBUTE] >= OPEN_UNTIL + KEPT_SECONDS
        self.fence = row["fence"]
        now = {version: colours[version] for version in range(1, row["version"] + 1)}
        assert self.shown == {version: now.get(version) for version in self.shown}, "what was shown has changed"
        assert not now or row["colour"] == now[row["version"]]
        assert colours.keys() <= {*now, row["version"] + 1}
        self.shown = now

    def pass_time(self, hours: int, *, takes: bool) -> None:
        self.now_ms += hours * HOUR_MS
        if takes and self.thing.expire(self.now_ms):
            self.has_gone = True
            event("a row has gone")

    def send(self, draft: Draft, lifetime: Lifetime, skew_h: int) -> None:
        now_ms = self.now_ms + skew_h * HOUR_MS
        answer = outcome(lambda: save(THING, draft._replace(command=draft.command._replace(now_ms=now_ms)), lifetime))
        if isinstance(answer, Saved):
            row = answer.row
            assert self.shown[row["version"]] == row["colour"], "a save says what nobody was shown"
        else:
            assert isinstance(answer, Rejected)
            event(type(answer).__name__)

    def run(self, step: Step, colour: str) -> None:
        self.pass_time(step.wait_h, takes=step.takes)
        version = (self.thing.row or {"version": 0})["version"]
        if_match = None if step.names is None else max(version - step.names, 1)
        new = coat(colour, if_match=if_match), until(step.days + (self.now_ms // 1000 - BEGIN) / DAY)
        draft, lifetime = self.sent[-step.again] if 0 < step.again <= len(self.sent) else new
        self.sent.append((draft, lifetime))

        def meanwhile() -> None:
            self.pass_time(step.pause_h, takes=step.takes)
            if step.theirs_after is None:
                return
            theirs = coat(f"their {colour}", if_match=if_match), until(step.days)
            self.sent.append(theirs)
            self.broken(Calls(step.theirs_after, after_each=self.look), lambda: self.send(*theirs, -step.skew_h))

        self.broken(
            Calls(step.killed_after, step.between, meanwhile, self.look),
            lambda: self.send(draft, lifetime, step.skew_h),
        )

    def broken(self, calls: Calls, do: Callable[[], None]) -> None:
        try:
            with watched(calls):
                do()
        except Killed:
            event("killed")


@given(steps=STEPS)
def test_whatever_is_shown_stays_and_what_has_gone_never_begins_again(steps: list[Step]) -> None:
    """Two writers with clocks that are wrong by hours, crashes behind any call, expiry at any moment after the ttl."""
    with Thing() as thing:
        history = History(thing)
        for number, step in enumerate(steps):
            history.run(step, f"colour {number}")
            history.look()
