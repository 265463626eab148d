"""The seven access patterns of the sample, asked over HTTP, and the answers that AWS's developer guide gives.

Requests and answers have badges; AWS's answers have names, which the service `people` is asked for.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/data-modeling-device-management.html
"""

import json
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from andon.tools.stack.api import ApiClient, HttpResponse, path_of
from demo.device_state_log import RoleRequest, SampleLog, moved, sample, state_report
from demo.people import LIZ, SARA, name_of

OK: Final = 200
PEOPLE: Final = ("operator", "escalatedTo")  # members that are ids of people


@dataclass(frozen=True, slots=True)
class AccessPattern:
    """A pattern by AWS's name, the request, and the rows of the right answer, in order; `put` is sent before it."""

    pattern: str
    words: str
    path: str
    expected: tuple[SampleLog, ...]
    put: RoleRequest | None = None


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question and its answer; `names`: of the people in it, by their badges, as the service knows them."""

    question: AccessPattern
    answer: HttpResponse
    names: Mapping[str, str]

    @property
    def items(self) -> list[dict[str, Any]]:
        """The answered logs, with names in place of badges."""
        items = self.answer.json["items"] if self.answer.status == OK else []
        return [_named(item, lambda badge: self.names.get(badge, badge)) for item in items]

    @property
    def expected(self) -> list[dict[str, Any]]:
        """AWS's answer."""
        return [_named(log.answer, name_of) for log in self.question.expected]

    @property
    def right(self) -> bool:
        """True if the answer is AWS's, row by row and in order."""
        return self.answer.status == OK and self.items == self.expected


def questions(days: int) -> tuple[AccessPattern, ...]:
    """Return the seven questions about the sample moved by `days`."""
    logs = {(log.equipment, log.state, log.timestamp): log for log in sample(days)}

    def rows(equipment: str, *named: str) -> tuple[SampleLog, ...]:
        split = (name.split("#") for name in named)
        return tuple(logs[equipment, state, moved(time, days)] for state, time in split)

    warnings = rows(
        "d#12345", "WARNING1#2020-04-24T14:50:00", "WARNING1#2020-04-24T14:45:00", "WARNING1#2020-04-24T14:40:00"
    )
    of_liz = (*warnings, *rows("d#54321", "NORMAL#2020-04-11T06:00:00"))
    escalated = rows("d#11223", "WARNING4#2020-04-27T16:15:00")
    written = (*escalated, *rows("d#11223", "WARNING4#2020-04-27T16:10:00"))
    of_sara = path_of("supervisors", SARA, "escalations")
    between = {"from": moved("2020-04-11T05:58:00", days), "to": moved("2020-04-24T14:50:00", days)}
    a_day = moved("2020-04-27T00:00:00", days)[:10]
    return (
        AccessPattern(
            "createLogEntryForSpecificDevice",
            "What is there of device d#11223 after its last report?",
            path_of("equipment", "d#11223", "logs"),
            written,
            put=state_report(written[0]),
        ),
        AccessPattern(
            "getLogsForSpecificDevice",
            "When was device d#12345 in WARNING1?",
            path_of("equipment", "d#12345", "logs") + "?state=WARNING1",
            warnings,
        ),
        AccessPattern(
            "getWarningLogsForSpecificDevice",
            "Which warnings did device d#12345 give?",
            path_of("equipment", "d#12345", "logs") + "?state=WARNING*",
            warnings,
        ),
        AccessPattern(
            "getLogsForOperatorBetweenTwoDates",
            f"What had Liz between {between['from']} and {between['to']}?",
            f"{path_of('operators', LIZ, 'logs')}?{urlencode(between, safe=':')}",
            of_liz,
        ),
        AccessPattern("getEscalatedLogsForSupervisor", "What was escalated to Sara?", of_sara, escalated),
        AccessPattern(
            "getEscalatedLogsWithSpecificStatusForSupervisor",
            "Which WARNING4 were escalated to Sara?",
            f"{of_sara}?state=WARNING4",
            escalated,
        ),
        AccessPattern(
            "getEscalatedLogsWithSpecificStatusForSupervisorForDate",
            f"Which WARNING4 of {a_day} were escalated to Sara?",
            f"{of_sara}?state=WARNING4&date={a_day}",
            escalated,
        ),
    )


def ask(api: ApiClient, days: int) -> list[AnsweredQuestion]:
    """Ask each question once."""
    return [_ask(api, question) for question in questions(days)]


def report(asked: Sequence[AnsweredQuestion]) -> str:
    """Return questions and answers as text."""
    return "\n".join(line for number, one in enumerate(asked, 1) for line in _lines(number, one))


def _ask(api: ApiClient, question: AccessPattern) -> AnsweredQuestion:
    if question.put:
        api.put(question.put.path, question.put.body)
    answer = api.get(question.path)
    items = answer.json["items"] if answer.status == OK else []
    return AnsweredQuestion(
        question, answer, _names(api, {item[one] for item in items for one in PEOPLE if one in item})
    )


def _names(api: ApiClient, badges: AbstractSet[str]) -> dict[str, str]:
    if not badges:
        return {}
    answer = api.get(f"/people?ids={','.join(sorted(badges))}")
    people = answer.json["items"] if answer.status == OK else []
    return {one["id"]: one["name"] for one in people if "name" in one}


def _named(item: Mapping[str, Any], name: Callable[[str], str]) -> dict[str, Any]:
    return {member: name(value) if member in PEOPLE else value for member, value in item.items()}


def _lines(number: int, one: AnsweredQuestion) -> list[str]:
    put = one.question.put
    heading = [
        f"{number}. {one.question.pattern}: {one.question.words}",
        *([f"   PUT {put.path} {json.dumps(put.body)}"] if put else []),
        f"   GET {one.question.path}",
    ]
    if one.answer.status != OK:
        return [*heading, f"   {one.answer.status} {one.answer.body.decode(errors='replace')}", ""]
    lines = [*heading, *(f"   {_row(item)}" for item in one.items)]
    if not one.right:
        lines += ["   but AWS's answer is:", *(f"   {_row(row)}" for row in one.expected)]
    return [*lines, ""]


def _row(item: dict[str, Any]) -> str:
    columns = (("equipmentId", 8), ("state", 9), ("timestamp", 25))
    text = "".join(str(item.get(name, "-")).ljust(width) for name, width in columns)
    text += str(item.get("operator", "-")).ljust(9)
    return f"{text}-> {item['escalatedTo']}" if "escalatedTo" in item else text.rstrip()
