"""The date of a fact, as a rule that `andon new` writes reads it."""

import ast
from pathlib import PurePosixPath
from typing import Any

import pytest

from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.tools.new import template
from andon.tools.new.anchor import RuleAnchor
from andon.tools.new.known import Heard
from andon.tools.new.words import Name, Words

DATE_MS = 1_767_312_000_000
WORDS = Words([(template.THINGS, Name("permit", "permits"))])
RULE = PurePosixPath("functions/services/watch/rules/restless.py")
SAMPLES = PurePosixPath("tests/services/watch/samples.py")


def granted(**said: object) -> DomainEvent:
    return DomainEvent("e", "permit-granted", DATE_MS, "p-1", {"permit": {"id": "p-1", **said}})


def anchor(date: object) -> RuleAnchor:
    event = granted(endsAt=date)
    entity = event.entities["permit"]
    return RuleAnchor(Heard(("permits", event.type), event, "permit", entity, (entity,)), "endsAt")


@pytest.mark.parametrize("date", [DATE_MS, times.to_utc(DATE_MS)], ids=["number", "text"])
def test_a_date_is_read_as_the_fact_says_it(date: object) -> None:
    rule, samples = (
        anchor(date).fitted(Words([(template.THINGS, Name("permit", "permits"))]), file) for file in (RULE, SAMPLES)
    )
    [date_of] = [node for node in ast.parse(rule).body if isinstance(node, ast.FunctionDef) and node.name == "date_of"]
    scope: dict[str, Any] = {"DomainEvent": DomainEvent, "times": times}
    exec(ast.unparse(date_of), scope)  # noqa: S102  the function that was written
    exec(samples.partition("\n\n\n")[0], scope)  # noqa: S102

    assert scope["DATE"] == date
    assert [scope["date_of"](one) for one in (granted(endsAt=date), granted())] == [DATE_MS, None]
    assert ("import times" in rule) == ("times." in rule) == (date != DATE_MS)
