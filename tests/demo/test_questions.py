import json
from dataclasses import replace

from andon.tools.stack.api import HttpResponse
from demo.people import PEOPLE
from demo.questions import AccessPattern, AnsweredQuestion, questions, report

LIZ, SARA = 3, 4


def _answered(
    question: AccessPattern, *, status: int = 200, items: list[dict[str, str]] | None = None
) -> AnsweredQuestion:
    rows = [log.answer for log in question.expected] if items is None else items
    names = {badge: person.name for badge, person in PEOPLE.items()}
    return AnsweredQuestion(question, HttpResponse(status, {}, json.dumps({"items": rows}).encode()), names)


def test_the_expected_answers_are_those_of_awss_guide() -> None:
    expected = [[f"{log.state} {log.timestamp}" for log in question.expected] for question in questions(days=0)]

    warnings = [f"WARNING1 2020-04-24T14:{minute}:00.000Z" for minute in (50, 45, 40)]
    escalated = ["WARNING4 2020-04-27T16:15:00.000Z"]
    assert expected == [
        [*escalated, "WARNING4 2020-04-27T16:10:00.000Z"],
        warnings,
        warnings,
        [*warnings, "NORMAL 2020-04-11T06:00:00.000Z"],
        escalated,
        escalated,
        escalated,
    ]


def test_a_question_moves_with_the_sample() -> None:
    assert questions(days=1)[LIZ].path == (
        "/operators/op-17/logs?from=2020-04-12T05:58:00.000Z&to=2020-04-25T14:50:00.000Z"
    )
    assert questions(days=1)[-1].path == "/supervisors/sv-03/escalations?state=WARNING4&date=2020-04-28"


def test_only_awss_rows_in_awss_order_are_right() -> None:
    question = questions(days=0)[LIZ]
    rows = [log.answer for log in question.expected]

    assert _answered(question).right
    assert not _answered(question, items=rows[::-1]).right
    assert not _answered(question, items=rows[1:]).right
    assert not _answered(question, items=[*rows, rows[0]]).right
    assert not _answered(question, status=500).right
    assert not replace(_answered(question), names={}).right, "the names are AWS's"


def test_the_report_shows_what_was_asked_and_answered() -> None:
    question = questions(days=0)[SARA]

    assert report([_answered(question)]).splitlines() == [
        "1. getEscalatedLogsForSupervisor: What was escalated to Sara?",
        "   GET /supervisors/sv-03/escalations",
        "   d#11223 WARNING4 2020-04-27T16:15:00.000Z Sue      -> Sara",
    ]


def test_the_report_shows_awss_rows_beside_a_wrong_answer() -> None:
    wrong = report([_answered(questions(days=0)[SARA], items=[])])

    assert wrong.splitlines()[2:4] == [
        "   but AWS's answer is:",
        "   d#11223 WARNING4 2020-04-27T16:15:00.000Z Sue      -> Sara",
    ]


def test_the_report_shows_a_refusal_as_it_came() -> None:
    refused = AnsweredQuestion(questions(days=0)[SARA], HttpResponse(403, {}, b'{"title": "Forbidden"}'), {})

    assert '   403 {"title": "Forbidden"}' in report([refused]).splitlines()
