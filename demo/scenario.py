"""A story written as HTTP calls (`events/scenarios/<name>.jsonl`), played one after the other, and the answers.

A line is a call: `{says, role, user?, method, path, body?, status, answer?}`; `user` is who calls, by default the one
user that each group has. What is different each time stands in it as
`{run}`, a number that no other run has, so that each is about machines and people of its own; `{start-20m}`, a time
from the start of the run; `{now}`, when the call is made. `answer` is what the answer has to contain: a GET is
repeated until it does, because views follow a moment later, and decisions with the next sweep.
"""

import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from andon.runtime import times
from andon.runtime.clock import MINUTE_MS
from andon.tools.stack.errors import ToolFailed

WIDTH: Final = 116
SHORT: Final = 6

_PLACEHOLDER = re.compile(r"\{(?:(run)|(now)|start(?:-(\d+)m)?)\}")
_LONG = re.compile(r"\b([\w-]{6})[\w-]{26,}\b")  # the id of an event or of a user, a cursor
_LOCATION = re.compile(r'"location": \{[^}]*\}')
_ELSEWHERE = frozenset({"id", "at", "type", "timestamp", "since", "acknowledgedAt", "by", "rule", "triggers"})


class ApiAnswer(NamedTuple):
    """The answer to a call; `body` is None without one."""

    status: int
    body: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioCall:
    """One call of a story; `answer` is what the answer's body has to contain, None: anything."""

    says: str
    role: str
    method: str
    path: str
    status: int
    user: str | None = None
    body: Any = None
    answer: Any = None

    def is_answered_by(self, answer: ApiAnswer) -> bool:
        """Return True if the answer is that of the story."""
        return answer.status == self.status and (self.answer is None or contains(answer.body, self.answer))

    @property
    def request(self) -> str:
        """The request in a line."""
        return f"{self.method} {self.path}{'' if self.body is None else f' {_text(self.body)}'}"


class Played(NamedTuple):
    """A call and its answer."""

    call: ScenarioCall
    answer: ApiAnswer


Send = Callable[[ScenarioCall], ApiAnswer]
Wait = Callable[[], bool]
"""Lets time pass, in which the system may decide; False: the time is up."""


def play(story: str, *, run: int, send: Send, wait: Wait, now_ms: Callable[[], int]) -> Iterator[Played]:
    """Make the calls of a story, and yield each with its answer.

    Raises:
        Failed: an answer is another one than the story's.
    """
    start_ms = now_ms() // 1000 * 1000
    for line in story.splitlines():
        call = call_of(line, run=run, start_ms=start_ms, now_ms=now_ms())
        answer = send(call)
        while call.method == "GET" and not call.is_answered_by(answer) and wait():
            answer = send(call)
        if not call.is_answered_by(answer):
            raise ToolFailed(_otherwise(call, answer))
        yield Played(call, answer)


def call_of(line: str, *, run: int, start_ms: int, now_ms: int) -> ScenarioCall:
    """Return the call that a line says, its placeholders replaced."""

    def meant(found: re.Match[str]) -> str:
        if found[1]:
            return str(run)
        return times.to_utc(now_ms if found[2] else start_ms - int(found[3] or 0) * MINUTE_MS)

    return ScenarioCall(**json.loads(_PLACEHOLDER.sub(meant, line)))


def contains(found: Any, wanted: Any) -> bool:  # noqa: ANN401  JSON is any
    """Return True if `found` contains `wanted`: members of objects, elements of lists in any order."""
    if isinstance(wanted, dict):
        there = isinstance(found, dict) and wanted.keys() <= found.keys()
        return there and all(contains(found[name], one) for name, one in wanted.items())
    if isinstance(wanted, list):
        return isinstance(found, list) and _has_each(found, wanted)
    return bool(found == wanted)


def report(played: Sequence[Played]) -> str:
    """Return a story as text: of a command's answer the status only; ids, cursors and locations are shortened."""
    return "\n".join(line for number, one in enumerate(played, 1) for line in _lines(number, one))


def _has_each(found: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """Return True if each wanted element fits one of `found`; each takes the first free one that fits."""
    left = list(found)
    for one in wanted:
        fitting = [number for number, other in enumerate(left) if contains(other, one)]
        if not fitting:
            return False
        del left[fitting[0]]
    return True


def _otherwise(call: ScenarioCall, answer: ApiAnswer) -> str:
    wanted = "" if call.answer is None else f" with {_text(call.answer)} in it"
    return f"{call.request} was answered {answer.status} {_text(answer.body)}, not {call.status}{wanted}"


def _lines(number: int, played: Played) -> Iterator[str]:
    call, answer = played
    yield f"{number}. {call.says}"
    if call.method == "GET":
        yield from _wrapped(call.request)
        yield from (line for text in _answered(answer) for line in _wrapped(_LONG.sub(r"\1…", text)))
    else:
        yield from _wrapped(f"{call.request} -> {answer.status}")


def _answered(answer: ApiAnswer) -> Iterator[str]:
    story = [entry for item in answer.body.get("items", ()) for entry in item.get("story", ())]
    if story:
        yield f"{answer.status}, {len(story)} entries:"
        yield from map(_entry, story)
    else:
        text = _LOCATION.sub('"location": {…}', _text(answer.body))
        yield f"{answer.status} {text}"


def _entry(entry: Mapping[str, Any]) -> str:
    """Return an entry of an episode as a line: id, time, type, content, and the events that a rule decided upon."""
    said = ", ".join(str(value) for name, value in entry.items() if name not in _ELSEWHERE)
    upon = " ".join(trigger["id"][:SHORT] for trigger in entry.get("triggers", ()))
    why = f", by rule {entry['rule']} upon {upon}" if upon else ""
    return f"{entry['id'][:SHORT]} {entry['at'][11:19]} {entry['type']:<18} {said}{why}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=" " * 3, subsequent_indent=" " * 7, break_long_words=False, break_on_hyphens=False
    )


def _text(body: Any) -> str:  # noqa: ANN401  JSON is any
    return json.dumps(body, ensure_ascii=False)
