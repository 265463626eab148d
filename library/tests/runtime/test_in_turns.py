"""Tasks that overlap while they wait, over either wire; with libcurl they take turns in one thread."""

import gc
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import partial
from typing import Any, Final

import pytest

from andon.runtime import clock
from andon.runtime.errors import CallFailed
from andon.testing.either_wire import BOTH, connected
from andon.testing.scripted_server import SILENCE, ReceivedRequest, ScriptedAnswer, ScriptedServer, refused, whole
from andon.tools.stack.processes import PATIENCE_S
from andon.wire import aws, curl, in_threads, in_turns, retries
from andon.wire.deadline import begun_by
from andon.wire.in_parallel import in_parallel

WHOSE: Final[ContextVar[str]] = ContextVar("WHOSE", default="nobody's")


class Meeting:
    """Answers requests only when so many of them are there."""

    def __init__(self, many: int) -> None:
        self._barrier = threading.Barrier(many)

    def __call__(self, asked: ReceivedRequest) -> ScriptedAnswer:
        """Answer with what was asked for, once the others have come."""
        self._barrier.wait(timeout=PATIENCE_S)
        return echo(asked)


def echo(asked: ReceivedRequest) -> ScriptedAnswer:
    return ScriptedAnswer(whole({"Item": asked.json["Key"]}))


def get(number: int) -> int:
    found = aws.call("dynamodb", "get_item", TableName="things", Key={"n": {"N": str(number)}})
    return int(found["Item"]["n"]["N"])


@pytest.fixture(params=BOTH)
def server(request: pytest.FixtureRequest) -> Iterator[ScriptedServer]:
    with ScriptedServer(echo) as server, connected(request.param, server.url):
        yield server


@pytest.fixture
def libcurls() -> Iterator[ScriptedServer]:
    with ScriptedServer(echo) as server, connected(aws.LIBCURL, server.url):
        yield server


def tasks(many: int) -> list[Callable[[], int]]:
    return [partial(get, number) for number in range(many)]


def test_results_are_in_order_however_many_there_are(server: ScriptedServer) -> None:
    assert in_parallel(tasks(0)) == []
    assert in_parallel(tasks(1)) == [0]
    assert in_parallel(tasks(3 * in_turns.AT_ONCE + 1)) == [*range(3 * in_turns.AT_ONCE + 1)]
    assert len(server.requests) == 3 * in_turns.AT_ONCE + 2


def test_requests_are_under_way_at_once(server: ScriptedServer) -> None:
    server.script = Meeting(in_threads.PARALLEL)

    assert in_parallel(tasks(2 * in_threads.PARALLEL)) == [*range(2 * in_threads.PARALLEL)]


def test_with_libcurl_a_whole_batch_is_under_way_at_once_but_not_a_flood(libcurls: ScriptedServer) -> None:
    libcurls.script = Meeting(in_turns.AT_ONCE)

    assert len(in_parallel(tasks(4 * in_turns.AT_ONCE))) == 4 * in_turns.AT_ONCE

    assert libcurls.connections == in_turns.AT_ONCE


@pytest.mark.usefixtures("server")
def test_a_task_that_raises_harms_no_other_and_its_error_is_raised_when_all_are_done() -> None:
    done = []

    def raise_(error: Exception) -> int:
        get(9)
        raise error

    def note(number: int) -> int:
        done.append(get(number))
        return number

    several = [
        partial(note, 0),
        partial(raise_, LookupError("first")),
        *[partial(note, number) for number in range(1, 6)],
        partial(raise_, ValueError("second")),
        partial(note, 6),
    ]

    with pytest.raises(LookupError, match="first"):
        in_parallel(several)
    assert sorted(done) == [*range(7)]


@pytest.mark.usefixtures("server")
def test_a_task_may_have_tasks_of_its_own() -> None:
    def several(first: int) -> list[int]:
        return in_parallel([partial(get, first + number) for number in range(3)])

    found = in_parallel([partial(several, 10 * number) for number in range(12)])

    assert found == [[10 * number, 10 * number + 1, 10 * number + 2] for number in range(12)]


def test_while_one_has_tasks_of_its_own_the_others_go_on(libcurls: ScriptedServer) -> None:
    libcurls.script = Meeting(2)

    def several() -> list[int]:
        return in_parallel(tasks(3))

    assert in_parallel([several, several]) == [[0, 1, 2]] * 2


@pytest.mark.usefixtures("server")
def test_a_context_is_inherited_and_what_a_task_sets_is_its_own() -> None:
    def mine(number: int) -> tuple[str, str]:
        before = WHOSE.get()
        WHOSE.set(str(number))
        get(number)
        return before, WHOSE.get()

    def run() -> list[tuple[str, str]]:
        WHOSE.set("outer")
        return in_parallel([partial(mine, number) for number in range(2 * in_threads.PARALLEL)])

    found = copy_context().run(run)

    assert [after for _, after in found] == [str(number) for number in range(2 * in_threads.PARALLEL)]
    assert found[0][0] == "outer"
    assert WHOSE.get() == "nobody's"


def test_a_deadline_from_outside_holds_in_every_task(server: ScriptedServer) -> None:
    with begun_by(clock.now_ms() - 1), pytest.raises(CallFailed, match="BegunTooLate"):
        in_parallel(tasks(10))

    assert server.requests == []


@pytest.mark.usefixtures("server")
def test_a_deadline_of_one_task_is_no_others() -> None:
    def late() -> str:
        with begun_by(clock.now_ms() + 60_000):
            get(1)
            with begun_by(0), pytest.raises(CallFailed, match="BegunTooLate"):
                get(2)
        return "late"

    assert in_parallel([late, *tasks(5), late]) == ["late", 0, 1, 2, 3, 4, "late"]


def test_pauses_overlap(libcurls: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("random.random", lambda: 1.0)
    pause_s = 0.5
    monkeypatch.setattr(retries, "AFTER_THROTTLING", retries.Again(pause_s, 0))
    seen = set[int]()

    def throttled(asked: ReceivedRequest) -> ScriptedAnswer:
        number = int(asked.json["Key"]["n"]["N"])
        if number in seen:
            return echo(asked)
        seen.add(number)
        return ScriptedAnswer(refused("ThrottlingException"))

    libcurls.script, started = throttled, time.monotonic()

    assert in_parallel(tasks(10)) == [*range(10)]
    assert pause_s <= time.monotonic() - started < 10 * pause_s


def test_whoever_does_not_pause_does_not_wait_for_those_who_do(libcurls: ScriptedServer) -> None:
    order = []

    def pausing() -> None:
        in_turns.pause(0.1)
        order.append("paused")

    def getting() -> None:
        for number in range(3):
            get(number)
        order.append("got")

    in_parallel([pausing, getting])

    assert (order, len(libcurls.requests)) == (["got", "paused"], 3)


def _under_way() -> tuple[int, int]:
    """Return the number of requests this thread has under way, and of handles that wait for another one."""
    connections: Any = curl.CONNECTIONS
    return len(connections._under_way), len(connections._idle)  # noqa: SLF001  nothing shows them


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_process_ends_all_tasks_and_closes_all(
    error: type[BaseException], libcurls: ScriptedServer
) -> None:
    ended = []

    def interrupted() -> int:
        get(0)
        raise error

    def going_on(number: int) -> int:
        try:
            return get(number) + get(number) + get(number)
        except BaseException as stopped:
            ended.append(type(stopped).__name__)
            raise

    def pausing() -> int:
        in_turns.pause(60)
        return 0

    libcurls.script = lambda asked: echo(asked) if asked.json["Key"]["n"]["N"] == "0" else SILENCE
    several: list[Callable[[], int]] = [partial(going_on, number) for number in range(1, 5)]
    with pytest.raises(error):
        in_parallel([interrupted, *several, pausing])

    assert ended == ["GreenletExit"] * 4
    assert _under_way()[0] == 0
    libcurls.script = echo
    assert in_parallel(tasks(10)) == [*range(10)]
    gc.collect()
    assert _under_way() == (0, 10)


@pytest.mark.usefixtures("libcurls")
def test_a_request_that_cannot_even_begin_is_the_error_of_its_task_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    real = curl._prepare  # noqa: SLF001  where libcurl may refuse an option

    def prepare(handle: Any, request: Any) -> Any:  # noqa: ANN401
        if b'"13"' in request.body:
            raise UnicodeEncodeError("ascii", "é", 0, 1, "an option is no ASCII")
        return real(handle, request)

    monkeypatch.setattr(curl, "_prepare", prepare)
    done = []

    def note(number: int) -> int:
        done.append(get(number))
        return number

    with pytest.raises(UnicodeEncodeError):
        in_parallel([partial(note, number) for number in (1, 13, 2, 3)])
    assert sorted(done) == [1, 2, 3]
    assert _under_way()[0] == 0


def test_each_thread_has_connections_of_its_own(libcurls: ScriptedServer) -> None:
    barrier = threading.Barrier(4)

    def work(_: int) -> list[int]:
        barrier.wait()
        return [get(number) for number in range(5)] + in_parallel(tasks(5))

    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(work, range(4))] == [[0, 1, 2, 3, 4] * 2] * 4

    assert libcurls.connections == 4 * (1 + 5)
