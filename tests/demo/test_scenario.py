import json
import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.packages.discovery import apis
from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.tools.stack.errors import ToolFailed
from demo.episode import STORY
from demo.scenario import ApiAnswer, Played, ScenarioCall, call_of, contains, play, report
from tests.support.samples import NOW

ROUTES = [
    (route, re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(route))))
    for route in sorted((route for package in apis() for route in package.routes), key=lambda it: it.count("{"))
]
MINUTE_MS = 60_000
PATIENCE = 10
_runs = count(1)


class InTheLoop:
    """The system, in which a call takes a second, and a minute passes while somebody waits."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self.ms = NOW + 417
        self._waited = 0

    def send(self, call: ScenarioCall) -> ApiAnswer:
        self.ms += 1000
        address = urlsplit(call.path)
        route, path = self._route(f"{call.method} {address.path}")
        query = dict(parse_qsl(address.query))
        with frozen_clock(self.ms):
            who = {"groups": [call.role], "name": call.user}
            answer = self._loop.request(route, path=path, query=query, body=call.body, **who)
            self._loop.run()
        return ApiAnswer(answer.status, answer.body)

    def wait(self) -> bool:
        self.ms += MINUTE_MS
        with frozen_clock(self.ms):
            self._loop.sweep()
        self._waited += 1
        return self._waited % PATIENCE != 0

    def _route(self, address: str) -> tuple[str, dict[str, str]]:
        return next((route, found.groupdict()) for route, form in ROUTES if (found := form.fullmatch(address)))


@pytest.fixture(scope="module")
def lived(loop: Loop) -> Callable[[], list[Played]]:
    """Lives through the episode, once more each time; time goes on from one to the next."""
    system = InTheLoop(loop)

    def live() -> list[Played]:
        story = STORY.read_text()
        return list(play(story, run=next(_runs), send=system.send, wait=system.wait, now_ms=lambda: system.ms))

    return live


def story_of(played: list[Played]) -> list[tuple[str, ...]]:
    (episode,) = played[-1].answer.body["items"]
    return [tuple(str(entry.get(name)) for name in ("type", "at", "rule")) for entry in episode["story"]]


def test_the_episode_goes_as_it_is_written_down(lived: Callable[[], list[Played]]) -> None:
    played = lived()

    start = times.to_ms(played[-1].answer.body["items"][0]["startedAt"]) + 20 * MINUTE_MS
    at = {minutes: times.to_utc(start - minutes * MINUTE_MS) for minutes in (5, 10, 15, 20)}
    assert start % 1000 == 0
    assert len(played) == len(STORY.read_text().splitlines())
    story = story_of(played)
    assert sorted(story[:8]) == sorted(
        [
            ("state-reported", at[20], "None"),
            ("operator-assigned", at[20], "assign"),
            ("state-reported", at[15], "None"),
            ("operator-assigned", at[15], "assign"),
            ("state-reported", at[10], "None"),
            ("operator-assigned", at[10], "assign"),
            ("equipment-at-risk", at[10], "at-risk"),
            ("state-escalated", at[5], "escalate"),
        ]
    )
    assert [entry[0] for entry in story[8:]] == ["state-acknowledged", "operator-assigned", "state-reported"]
    assert [rule for _, _, rule in story[8:]] == ["None"] * 3


def test_the_report_says_what_was_called_and_answered_and_upon_which_events_a_rule_decided(
    lived: Callable[[], list[Played]],
) -> None:
    played = lived()

    lines = report(played).splitlines()

    assert "6. Another five minutes, and it stopped." in lines
    assert any(re.fullmatch(r"   PUT /equipment/mill-\d+/states/.*97 °C\"} -> 201", line) for line in lines)
    (reported,) = [line.split()[0] for line in lines if line.endswith("ERROR, spindle at 97 °C")]
    assert any(
        re.fullmatch(rf"   \w{{6}} .* operator-assigned  ERROR, [\w-]+, by rule assign upon {reported}", o)
        for o in lines
    )
    assert max(map(len, lines)) <= 120


def _calls(*calls: dict[str, Any]) -> str:
    played = {"says": "Something.", "role": "operator", "method": "GET", "path": "/x", "status": 200}
    return "\n".join(json.dumps(played | call) for call in calls)


def _answering(answers: Iterator[ApiAnswer]) -> Callable[[ScenarioCall], ApiAnswer]:
    return lambda _: next(answers)


def test_a_query_is_repeated_until_it_answers_what_the_story_says() -> None:
    answers = iter(
        [ApiAnswer(404, {}), ApiAnswer(200, {"state": "NORMAL"}), ApiAnswer(200, {"state": "ERROR", "since": 1})]
    )

    (played,) = play(
        _calls({"answer": {"state": "ERROR"}}), run=1, send=_answering(answers), wait=lambda: True, now_ms=lambda: 0
    )

    assert played.answer.body == {"state": "ERROR", "since": 1}


def test_a_query_that_never_answers_it_is_told_with_what_it_did_answer() -> None:
    patience = iter([True, True, False])
    answer = ApiAnswer(200, {"state": "NORMAL"})

    with pytest.raises(
        ToolFailed, match=r'GET /x was answered 200 {"state": "NORMAL"}, not 200 with {"state": "ERROR"} in it'
    ):
        list(
            play(
                _calls({"answer": {"state": "ERROR"}}),
                run=1,
                send=lambda _: answer,
                wait=lambda: next(patience),
                now_ms=lambda: 0,
            )
        )

    assert list(patience) == []


def test_a_command_is_sent_once_and_what_comes_behind_a_refused_one_never() -> None:
    sent: list[ScenarioCall] = []

    def refuse(call: ScenarioCall) -> ApiAnswer:
        sent.append(call)
        return ApiAnswer(428, {"title": "Precondition Required"})

    story = _calls({"method": "PUT", "body": {"name": "ö"}, "status": 201}, {})
    with pytest.raises(ToolFailed, match=r'PUT /x {"name": "ö"} was answered 428 {"title": .*}, not 201$'):
        list(play(story, run=1, send=refuse, wait=lambda: True, now_ms=lambda: 0))

    assert len(sent) == 1


def test_numbers_and_times_stand_in_a_line_by_name() -> None:
    now, start = times.to_ms("2026-11-21T15:00:07.500Z"), times.to_ms("2026-11-21T15:00:00Z")
    line = _calls({"path": "/press-{run}/{start-20m}/{start}/{now}", "body": {"a": "{run}", "{b}": "{start-x}"}})

    call = call_of(line, run=7, start_ms=start, now_ms=now)

    assert call.path == "/press-7/2026-11-21T14:40:00.000Z/2026-11-21T15:00:00.000Z/2026-11-21T15:00:07.500Z"
    assert call.body == {"a": "7", "{b}": "{start-x}"}


@pytest.mark.parametrize(
    ("found", "wanted", "there"),
    [
        ({"a": 1, "b": None}, {"b": None}, True),
        ({"a": 1}, {"b": None}, False),
        ({"a": [1, 2, 3]}, {"a": [3, 1]}, True),
        ([1, 2], [1, 1], False),
        ([{"a": 1}], [{"a": 1}, {}], False),
        ([1], 1, False),
        (None, {}, False),
        ({}, [], False),
    ],
    ids=str,
)
def test_an_answer_has_in_it_what_is_wanted(found: object, wanted: object, *, there: bool) -> None:
    assert contains(found, wanted) is there


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_everything_has_itself_in_it(body: object) -> None:
    assert contains(body, body)
