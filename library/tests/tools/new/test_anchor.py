"""The date of a fact, as a rule that `andon new` writes reads it."""

import ast
from pathlib import PurePosixPath
from typing import Any

import pytest

from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.tools.new import template
from andon.tools.new.known import Heard
from andon.tools.new.rule import RuleAnchor
from andon.tools.new.words import Name, Words

DATE_MS = 1_767_312_000_000
WORDS = Words([(template.THINGS, Name("permit", "permits"))])
RULE = PurePosixPath("functions/services/watch/rules/overdue.py")
SAMPLES = PurePosixPath("tests/services/watch/samples.py")


def granted(**said: object) -> DomainEvent:
    return DomainEvent("e", "permit-granted", DATE_MS, "p-1", {"permit": {"id": "p-1", **said}})


def anchor(date: object) -> RuleAnchor:
    event = granted(endsAt=date)
    entity = event.entities["permit"]
    return RuleAnchor(Heard(("permits", event.type), event, "permit", entity, (entity,)), "endsAt")


@pytest.mark.parametrize("date", [DATE_MS, times.to_utc(DATE_MS)], ids=["number", "text"])
def test_a_date_is_read_as_the_fact_says_it(date: object) -> None:
    texts = anchor(date).slice("first")
    rule, samples = (anchor(date).fitted(WORDS, texts[file]) for file in (RULE, SAMPLES))
    [date_of] = [node for node in ast.parse(rule).body if isinstance(node, ast.FunctionDef) and node.name == "date_of"]
    scope: dict[str, Any] = {"DomainEvent": DomainEvent, "times": times}
    exec(ast.unparse(date_of), scope)  # noqa: S102  the function that was written
    exec(samples.partition("\n\n\n")[0], scope)  # noqa: S102

    assert scope["DATE"] == date
    assert [scope["date_of"](one) for one in (granted(endsAt=date), granted())] == [DATE_MS, None]
    assert ("import times" in rule) == ("times." in rule) == (date != DATE_MS)


@pytest.mark.parametrize(("subject", "are_two"), [("p-1", False), ("street-1", True)], ids=["its own", "shared"])
def test_what_shares_a_partition_is_decided_upon_each_by_itself(subject: str, *, are_two: bool) -> None:
    of = [granted(endsAt=DATE_MS, id=id_)._replace(partition_key=subject) for id_ in ("p-1", "p-2")]
    entity = of[0].entities["permit"]
    shared = RuleAnchor(Heard(("permits", of[0].type), of[0], "permit", entity, (entity,)), "endsAt")
    fitted = shared.fitted(WORDS, shared.slice("first")[RULE])
    [key_of] = [node for node in ast.parse(fitted).body if isinstance(node, ast.FunctionDef) and node.name == "key_of"]
    scope: dict[str, Any] = {"DomainEvent": DomainEvent, "partition_of": str}
    exec(ast.unparse(key_of), scope)  # noqa: S102  the function that was written

    assert len({scope["key_of"](one) for one in of}) == 1 + are_two
    assert ('"id": anchor.partition_key,' in fitted) != are_two
