"""The actor of an event: written into its tags, and derived for events of before."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.actor import UNKNOWN, actor_of, author_in, of_rule, with_actor
from andon.events.domain_event import DomainEvent
from toys.things import happened

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["by", "rule", "changedBy"]), inner),
    max_leaves=6,
)


OLD = {"changedBy": "who wrote it before"}


def tagged(actor: object) -> DomainEvent:
    tags: dict[str, Any] = {"source": "workshop", "actor": actor}
    return happened("painted", "lathe", changedBy="Liz")._replace(tags=tags)


def written(new: object, *, pipeline: str = "workshop.trigger") -> DomainEvent:
    return happened("painted", "lathe")._replace(tags={"pipeline": pipeline}, raw={"new": new, "old": OLD})


def test_the_tag_is_the_actor_whatever_else_the_event_says() -> None:
    assert actor_of(tagged("Sue")) == "Sue"
    assert with_actor(tagged("Sue")) == tagged("Sue")


@pytest.mark.parametrize("odd", [None, "", 7, ["Sue"], {"name": "Sue"}], ids=str)
def test_a_tag_that_names_nobody_is_none(odd: object) -> None:
    assert actor_of(tagged(odd)) == "Liz"
    assert with_actor(tagged(odd)).tags == {"source": "workshop", "actor": "Liz"}


@pytest.mark.parametrize("author", ["changedBy", "reportedBy", "acknowledgedBy"])
def test_without_a_tag_it_is_the_author_of_the_row(author: str) -> None:
    assert actor_of(written({author: "Liz", "by": "somebody", "rule": "x"})) == "Liz"


def test_of_a_rules_decision_it_is_the_rule_though_the_row_has_an_author_for_all_of_them() -> None:
    row = {"changedBy": "rule", "by": "rule", "rule": "assign"}

    assert author_in(row) == of_rule("assign") == "rule:assign"
    assert actor_of(written(row)) == "rule:assign"


def test_a_report_of_before_that_went_straight_to_the_bus_is_of_its_device() -> None:
    event = happened("painted", "lathe")._replace(tags={"pipeline": "workshop.command"})

    assert actor_of(event) == "lathe"
    assert actor_of(event._replace(partition_key="")) == UNKNOWN


@pytest.mark.parametrize("new", [None, {}, {"changedBy": ""}, {"changedBy": 7}, "row", ["row"]], ids=str)
def test_what_a_row_does_not_say_is_unknown_and_never_the_equipment_or_the_author_before(new: object) -> None:
    assert actor_of(written(new)) == UNKNOWN
    assert actor_of(written(new, pipeline="workshop.command")) == UNKNOWN


@given(tags=st.dictionaries(st.sampled_from(["actor", "pipeline"]), JSON), entity=JSON, raw=JSON)
def test_whatever_others_publish_has_an_actor(tags: Any, entity: Any, raw: Any) -> None:  # noqa: ANN401  any JSON
    event = DomainEvent.from_wire(
        {"id": "e1", "type": "thing-painted", "timestamp": 1, "tags": tags, "thing": entity, "raw": raw}
    )

    actor = actor_of(event)

    assert isinstance(actor, str)
    assert actor
    assert actor_of(with_actor(event)) == actor
