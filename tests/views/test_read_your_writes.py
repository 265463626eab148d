"""Reading one's writes: with the token of a write, a view answers nothing older than that write."""

from collections.abc import Callable
from typing import Any, Final
from uuid import uuid4

import pytest

from andon.dynamodb.client import Rows, Table
from andon.http.after import PAUSES_SECONDS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from andon.testing.wire import Wire
from demo.people import LIZ, SARA
from tests.support.samples import NOW
from tests.support.services.crews import assign_crew
from tests.support.services.reports import (
    AT,
    LOGS,
    OPERATOR_LOGS,
    acknowledge,
    assign,
    escalate,
    report,
    staff,
)
from tests.support.services.versions import LOCATION, audit, delete, equipment, put, roll_back
from views.board.access_patterns import equipment_in
from views.board.view import TABLE

STANDING: Final = "GET /equipment/{id}/board"
BOARD: Final = "GET /board/{company}"
MANY: Final = "POST /states"

Write = Callable[[Loop, str], Answer]

WRITES: Final[dict[str, Write]] = {
    "registration": put,
    "change": lambda loop, one: [put(loop, one), put(loop, one, "other", if_match=1)][-1],
    "deletion": lambda loop, one: [put(loop, one), delete(loop, one, if_match=1)][-1],
    "rollback": lambda loop, one: [put(loop, one), roll_back(loop, one, 1, if_match=1)][-1],
    "audit": lambda loop, one: [put(loop, one), audit(loop, one, "passed")][-1],
    "report": report,
    "assignment": lambda loop, one: assign(loop, one, LIZ),
    "crew": lambda loop, one: assign_crew(loop, one, LIZ),
    "escalation": lambda loop, one: escalate(loop, one, SARA),
    "acknowledgement": acknowledge,
}
IN_LOGS: Final = ("report", "assignment", "crew", "escalation")


def token_of(answer: Answer) -> str:
    assert answer.status in {200, 201, 204}, answer.body
    token: str = answer.headers["x-after"]
    return token


def ask(loop: Loop, route: str, who: str, token: str, **query: str) -> Answer:
    name = route.partition("{")[2].partition("}")[0]
    return loop.request(route, path={name: who}, query={"after": token, **query}, groups=["analyst"])


@pytest.mark.parametrize("write", WRITES)
def test_the_board_answers_a_write_once_it_has_seen_it_and_until_then_nothing(
    loop: Loop, equipment_id: str, pauses: list[float], write: str
) -> None:
    token = token_of(WRITES[write](loop, equipment_id))

    before = ask(loop, STANDING, equipment_id, token)
    loop.run()
    after = ask(loop, STANDING, equipment_id, token)

    assert (before.status, before.body, before.headers["retry-after"]) == (202, None, "1")
    assert pauses == list(PAUSES_SECONDS)
    assert after.status == (404 if write == "deletion" else 200)


@pytest.mark.parametrize("write", WRITES)
def test_a_write_that_is_repeated_answers_a_token_of_the_same_event(loop: Loop, equipment_id: str, write: str) -> None:
    if write in {"change", "deletion", "rollback", "audit"}:
        put(loop, equipment_id)
    commands: dict[str, Callable[[], Answer]] = {
        "change": lambda: put(loop, equipment_id, "other", if_match=1),
        "deletion": lambda: delete(loop, equipment_id, if_match=1),
        "rollback": lambda: roll_back(loop, equipment_id, 1, if_match=1),
        "audit": lambda: audit(loop, equipment_id, "passed"),
    }
    command = commands.get(write, lambda: WRITES[write](loop, equipment_id))

    assert token_of(command()) == token_of(command())


def test_a_read_that_began_before_the_event_came_answers_as_soon_as_it_is_there(
    loop: Loop, equipment_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = token_of(report(loop, equipment_id))
    slept = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            loop.run()

    monkeypatch.setattr("time.sleep", sleep)
    answer = ask(loop, STANDING, equipment_id, token)

    assert (answer.status, answer.body["state"]) == (200, "WARNING1")
    assert slept == list(PAUSES_SECONDS[:3])


def test_who_waits_for_an_older_write_is_not_held_up_by_a_newer_one(loop: Loop, equipment_id: str) -> None:
    older = token_of(put(loop, equipment_id))
    newer = token_of(put(loop, equipment_id, "other", if_match=1))
    loop.run()

    assert ask(loop, STANDING, equipment_id, older).body["name"] == "other"
    assert ask(loop, STANDING, equipment_id, newer).body["name"] == "other"


def test_every_report_of_many_has_its_token(loop: Loop, equipment_id: str, pauses: list[float]) -> None:
    others = f"{equipment_id}-other"
    body = [{"equipmentId": one, "state": "ERROR", "timestamp": AT} for one in (equipment_id, others)]
    tokens = loop.request(MANY, body=body, groups=["operator"]).body["after"]

    assert ask(loop, STANDING, equipment_id, tokens[0]).status == 202
    loop.run()
    assert [ask(loop, LOGS, one, token).status for one, token in zip((equipment_id, others), tokens, strict=True)] == [
        200,
        200,
    ]
    assert ask(loop, STANDING, others, tokens[1]).body["state"] == "ERROR"
    assert len(pauses) == len(PAUSES_SECONDS)


def test_a_roster_answers_no_token_for_no_view_shows_it(loop: Loop) -> None:
    assert "x-after" not in staff(loop, "gdl-after").headers


@pytest.mark.parametrize("route", [STANDING, LOGS])
def test_a_token_of_another_machine_is_refused(loop: Loop, equipment_id: str, route: str) -> None:
    token = token_of(report(loop, f"{equipment_id}-other"))

    answer = ask(loop, route, equipment_id, token)

    assert answer.status == 400
    assert answer.body["errors"][0]["detail"] == "is a token of something else than what is asked for"


@pytest.mark.parametrize("write", sorted(WRITES.keys() - set(IN_LOGS)))
def test_a_token_of_what_a_view_does_not_keep_is_refused(loop: Loop, equipment_id: str, write: str) -> None:
    answer = ask(loop, LOGS, equipment_id, token_of(WRITES[write](loop, equipment_id)))

    assert answer.status == 400
    assert "of which nothing is kept here" in answer.body["errors"][0]["detail"]


def test_without_a_token_nobody_waits_and_nothing_more_is_read(
    loop: Loop, equipment_id: str, wire: Wire, pauses: list[float]
) -> None:
    report(loop, equipment_id)
    wire.requests.clear()

    assert loop.request(LOGS, path={"id": equipment_id}).body == {"items": []}
    assert [request.operation for request in wire.requests] == ["Query"]
    assert pauses == []


def plain(equipment_id: str) -> str:
    """Return the text that may be part of a sort key."""
    return equipment_id.replace("#", " ")


def registered(loop: Loop, one: str, company: str, **parts: Any) -> Answer:  # noqa: ANN401
    return loop.request(
        "PUT /equipment/{id}",
        path={"id": one},
        body=equipment() | {"location": LOCATION | {"company": company}},
        **parts,
    )


class LaggingIndexes:
    """Indexes that answer as they were when this was made, for so many queries."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, queries: int) -> None:
        self._left = queries
        self._now = Table.query
        self._then: dict[Any, Rows] = {}
        lagging = self

        def query(table: Table, query: Any, **parts: Any) -> Rows:  # noqa: ANN401
            return lagging.answer(table, query, parts)

        monkeypatch.setattr(Table, "query", query)

    def remember(self, table: Table, query: Any) -> None:  # noqa: ANN401  a KeyQuery
        self._then[query] = self._now(table, query, limit=100)

    def answer(self, table: Table, query: Any, parts: Any) -> Rows:  # noqa: ANN401
        if query in self._then and self._left:
            self._left -= 1
            return self._then[query]
        return self._now(table, query, **parts)


@pytest.mark.parametrize(("queries", "status"), [(0, 200), (3, 200), (len(PAUSES_SECONDS), 200), (9, 202)])
def test_a_list_whose_index_lags_behind_the_table_is_waited_for(
    loop: Loop, equipment_id: str, monkeypatch: pytest.MonkeyPatch, pauses: list[float], queries: int, status: int
) -> None:
    old, new = f"old of {plain(equipment_id)}", f"new of {plain(equipment_id)}"
    registered(loop, equipment_id, old)
    loop.run()
    lagging = LaggingIndexes(monkeypatch, queries)
    for company in (old, new):
        lagging.remember(TABLE, equipment_in(company, None))
    token = token_of(registered(loop, equipment_id, new, headers={"if-match": '"1"'}))
    loop.run()

    joined = ask(loop, BOARD, new, token)

    assert joined.status == status
    assert len(pauses) == min(queries, len(PAUSES_SECONDS))
    if status == 200:
        assert [item["equipmentId"] for item in joined.body["items"]] == [equipment_id]


def test_a_list_that_a_row_has_left_does_not_show_it_any_more(
    loop: Loop, equipment_id: str, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    old = f"left by {plain(equipment_id)}"
    registered(loop, equipment_id, old)
    loop.run()
    lagging = LaggingIndexes(monkeypatch, 2)
    lagging.remember(TABLE, equipment_in(old, None))
    token = token_of(delete(loop, equipment_id, if_match=1))
    loop.run()

    answer = ask(loop, BOARD, old, token)

    assert (answer.status, answer.body, len(pauses)) == (200, {"items": []}, 2)


def test_the_pages_of_a_list_are_fresh_wherever_the_row_stands(
    loop: Loop, equipment_id: str, pauses: list[float]
) -> None:
    operator = str(uuid4())
    tokens = []
    for minute in range(5):
        at = f"2020-04-24T14:5{minute}:00.000Z"
        path = {"id": equipment_id, "state": "WARNING1", "timestamp": at}
        tokens.append(token_of(assign(loop, equipment_id, operator, path=path)))
    loop.run()

    for token in tokens:
        first = ask(loop, OPERATOR_LOGS, operator, token, limit="2")
        second = ask(loop, OPERATOR_LOGS, operator, token, limit="2", cursor=first.body["cursor"])
        third = ask(loop, OPERATOR_LOGS, operator, tokens[0], limit="2", cursor=second.body["cursor"])
        assert [answer.status for answer in (first, second, third)] == [200, 200, 200]
        assert [len(answer.body["items"]) for answer in (first, second, third)] == [2, 2, 1]
    assert pauses == []


def test_a_cursor_goes_on_without_the_token(loop: Loop, equipment_id: str) -> None:
    for minute in range(3):
        token = token_of(report(loop, equipment_id, at=f"2020-04-24T14:5{minute}:00.000Z"))
    loop.run()
    first = ask(loop, LOGS, equipment_id, token, limit="2")

    rest = loop.request(LOGS, path={"id": equipment_id}, query={"limit": "2", "cursor": first.body["cursor"]})

    assert len(rest.body["items"]) == 1


def test_a_write_of_long_ago_is_not_waited_for(loop: Loop, equipment_id: str, pauses: list[float]) -> None:
    token = token_of(report(loop, equipment_id))

    with frozen_clock(NOW + 40 * 86_400_000):
        answer = ask(loop, LOGS, equipment_id, token)

    assert (answer.status, answer.body, pauses) == (200, {"items": []}, [])
    loop.run()
