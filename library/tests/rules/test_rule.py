from collections.abc import Iterable
from typing import Any

import pytest

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Decision, History, Rule, Rules, decision_key
from andon.rules.timing import MOST_AFTER_MS, AfterGap, BeforeGap, Later
from toys.things import happened
from toys.toy_control import KEYS

TYPES = frozenset({"a-told", "b-told", "c-told", "d-told"})


def nothing(history: History) -> Iterable[Decision]:  # noqa: ARG001  an expression
    return ()


def a_rule(id: str = "a-rule", **members: Any) -> Rule:  # noqa: A002, ANN401
    made: dict[str, Any] = {
        "on": frozenset({("workshop", "thing-knocked")}),
        "key": lambda event: event.partition_key,
        "expression": nothing,
        "emits": frozenset({"a-told"}),
        "window_ms": 1,
    }
    return Rule(id=id, **made | members)


def rules(*all_: Rule) -> Rules:
    return Rules(source="keeper", types=TYPES, all=all_)


def chained(id: str, on: str, emits: str) -> Rule:  # noqa: A002
    """Make a rule on one of the keeper's own facts."""
    return a_rule(id, on=frozenset({("keeper", on)}), emits=frozenset({emits}))


@pytest.mark.parametrize("id_", ["a", "a1", "at-risk", "a-1-b"])
def test_a_rule_that_makes_sense_is_taken(id_: str) -> None:
    rule = a_rule(id_)

    assert rules(rule).all == (rule,)


@pytest.mark.parametrize("id_", ["", "A", "a b", "a_b", "a-", "-a", "a--b", "a#b", "1a", "ä", "a\n"])
def test_an_id_that_is_not_lower_case_words_is_refused(id_: str) -> None:
    with pytest.raises(ValueError, match="lower-case words") as raised:
        rules(a_rule(id_))

    assert repr(id_) in str(raised.value)


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "on nothing": ({"on": frozenset()}, "no event"),
    "any source": ({"on": frozenset({("*", "thing-knocked")})}, "exact"),
    "any type": ({"on": frozenset({("workshop", "*")})}, "exact"),
    "a prefix of types": ({"on": frozenset({("workshop", "thing-*")})}, "exact"),
    "an empty source": ({"on": frozenset({("", "thing-knocked")})}, "exact"),
    "an empty type": ({"on": frozenset({("workshop", "")})}, "exact"),
    "a regular expression": ({"on": frozenset({("workshop", "thing-(knocked|mended)")})}, "exact"),
    "one good type and a bad one": ({"on": frozenset({("workshop", "thing-knocked"), ("workshop", "a b")})}, "exact"),
    "emits nothing": ({"emits": frozenset()}, "emits nothing"),
    "no window": ({"window_ms": 0}, "window is empty"),
    "a window ahead": ({"window_ms": -1}, "window is empty"),
    "a window of no events": ({"most": 0}, "window is empty"),
    "before its anchor": ({"timing": Later(-1)}, "before its anchor"),
    "years after its anchor": ({"timing": Later(MOST_AFTER_MS + 1)}, "more than a year"),
    "before a gap without a length": ({"timing": BeforeGap(0)}, "a gap has a length"),
    "after a gap without a length": ({"timing": AfterGap(0)}, "a gap has a length"),
    "a gap between some events": ({"timing": AfterGap(1), "when": lambda _: True}, "all events of its types"),
    "a suffix that parts keys": ({"suffix": "a#b"}, "#"),
}


@pytest.mark.parametrize(("members", "why"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_refused_and_the_message_names_the_rule(members: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why) as raised:
        rules(a_rule("the-culprit", **members))

    assert "the-culprit" in str(raised.value)


def test_rules_that_mean_different_gaps_between_the_same_events_are_refused() -> None:
    before, after = a_rule(timing=BeforeGap(5)), a_rule("b-rule", timing=AfterGap(5))
    (topic,) = before.on

    assert rules(before, after, a_rule("c-rule")).gap_ms_on(topic) == 5
    assert rules(a_rule("c-rule")).gap_ms_on(topic) is None
    with pytest.raises(ValueError, match="different gaps"):
        rules(before, after._replace(timing=AfterGap(6)))


def test_two_rules_of_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="more than one rule is called a-rule"):
        rules(a_rule(), a_rule("b-rule"), a_rule(window_ms=2))


def test_a_rule_that_emits_what_the_service_does_not_declare_is_refused() -> None:
    with pytest.raises(ValueError, match="rule b-rule: keeper does not declare x-told, y-told"):
        rules(a_rule(), a_rule("b-rule", emits=frozenset({"y-told", "a-told", "x-told"})))


LOOPS = {
    "of itself": (chained("a", "a-told", "a-told"),),
    "of two": (chained("a", "b-told", "a-told"), chained("b", "a-told", "b-told")),
    "of three": (chained("a", "c-told", "a-told"), chained("b", "a-told", "b-told"), chained("c", "b-told", "c-told")),
    "of two, behind another that is in none": (
        a_rule("outside", emits=frozenset({"a-told"})),
        chained("a", "a-told", "b-told"),
        chained("b", "b-told", "a-told"),
    ),
    "by one of several types": (
        chained("a", "b-told", "a-told")._replace(emits=frozenset({"c-told", "d-told"})),
        chained("b", "d-told", "b-told"),
    ),
}


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS.keys())
def test_rules_that_could_decide_without_end_are_refused(loop: tuple[Rule, ...]) -> None:
    with pytest.raises(ValueError, match="it would cause itself") as raised:
        rules(*loop)

    named = str(raised.value).partition(":")[0].removeprefix("rule ")
    assert named in {rule.id for rule in loop} - {"outside"}


CHAINS = {
    "a line": (a_rule("a"), chained("b", "a-told", "b-told"), chained("c", "b-told", "c-told")),
    "two ways to one": (
        a_rule("a", emits=frozenset({"a-told", "b-told"})),
        chained("b", "a-told", "c-told"),
        chained("c", "b-told", "c-told"),
        chained("d", "c-told", "d-told"),
    ),
    # The name of a type says nothing without who tells it.
    "of a namesake": (a_rule("a", on=frozenset({("workshop", "a-told")})),),
}


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS.keys())
def test_rules_on_what_other_rules_tell_are_taken_where_that_comes_to_an_end(chain: tuple[Rule, ...]) -> None:
    assert rules(*chain).all == chain


def test_an_event_is_an_anchor_of_the_rules_on_its_source_and_type_in_their_order_and_no_other_rule_is_asked() -> None:
    knocked, mended = ("workshop", "thing-knocked"), ("workshop", "thing-mended")
    asked = []

    def is_hard(event: DomainEvent) -> bool:
        asked.append(event.type)
        return bool(event.entity("thing").get("force") == 9)

    first, second = a_rule("first"), a_rule("second", on=frozenset({knocked, mended}))
    other, elsewhere = a_rule("other", on=frozenset({mended})), a_rule("x", on=frozenset({("market", knocked[1])}))
    found = rules(first, other, elsewhere, second, a_rule("hard", when=is_hard))

    assert found.at("workshop", happened("mended", "a thing")) == [other, second]
    assert found.at("market", happened("knocked", "a thing")) == [elsewhere]
    assert found.at("workshop", happened("sold", "a thing")) == []
    assert asked == []
    assert found.at("workshop", happened("knocked", "a thing", force=1)) == [first, second]
    assert [rule.id for rule in found.at("workshop", happened("knocked", "a thing", force=9))][2:] == ["hard"]


def test_keys_are_named_by_the_suffix_of_a_rule_and_by_the_subject_of_a_decision() -> None:
    assert a_rule(suffix="noise").correlation_key_of(happened("knocked", "a thing")) == "a thing#noise"
    assert decision_key(KEYS, "Thing#1", "broken", "17") == {"pk": "Thing#1", "sk": "decision#broken#17"}


@pytest.mark.parametrize("subject", ["", "a#b", "x" * 1024])
def test_a_subject_that_cannot_stand_in_a_key_is_refused(subject: str) -> None:
    with pytest.raises(ValueError, match="sort key"):
        decision_key(KEYS, "Thing#1", "broken", subject)
