import uuid
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.events.identifiers import (
    EPOCH_TICKS,
    TICKS_PER_MS,
    by_time,
    client_chosen,
    composite,
    of_change,
    of_content,
    require_same_content,
    time_based,
)
from andon.runtime.errors import Conflict
from toys.clock import NOW

moments = st.integers(min_value=0, max_value=10**13 - 1)
ticks = st.integers(min_value=0, max_value=TICKS_PER_MS - 1)
contents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


# Chosen by the client


@given(st.uuids(version=4))
def test_a_random_uuid_has_one_spelling(chosen: uuid.UUID) -> None:
    assert client_chosen(str(chosen).upper()) == client_chosen(str(chosen)) == str(chosen)


@pytest.mark.parametrize(
    "text",
    [
        *("", "press-7", str(uuid.uuid1(node=1, clock_seq=1)), "{6fa459ea-ee8a-4ca4-894e-db77e160355e}"),
        *("urn:uuid:6fa459ea-ee8a-4ca4-894e-db77e160355e", "6fa459eaee8a4ca4894edb77e160355e"),
    ],
)
def test_what_is_no_random_uuid_in_its_usual_spelling_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"UUID|badly formed"):
        client_chosen(text)


# Named by the business, by the stream


@given(st.lists(st.text("ab-", min_size=1), min_size=1, max_size=3), st.lists(st.text("ab-", min_size=1), min_size=1))
def test_two_things_have_one_composite_name_only_if_all_their_parts_are_equal(one: list[str], other: list[str]) -> None:
    assert (composite(*one) == composite(*other)) == (one == other)


def test_a_part_that_would_make_two_names_one_is_refused() -> None:
    with pytest.raises(ValueError, match="a part of a sort key"):
        composite("a#b", "c")


def test_a_change_is_named_by_its_stream_however_often_it_is_delivered() -> None:
    record = {"eventID": "2a5b0d0e6c1f", "eventName": "INSERT", "dynamodb": {"SequenceNumber": "1"}}

    assert of_change(record) == of_change(dict(record)) == record["eventID"]


# By time


@given(moments, ticks)
def test_a_time_based_id_is_a_uuid_of_version_1_that_knows_its_time(moment: int, tick: int) -> None:
    made = time_based(moment, tick=tick)

    assert uuid.UUID(made).version == 1
    assert uuid.UUID(made).variant == uuid.RFC_4122
    assert by_time(made)[0] == EPOCH_TICKS + moment * TICKS_PER_MS + tick


@given(st.lists(st.tuples(moments, ticks), unique=True))
def test_by_time_they_are_ordered_as_they_happened(times: list[tuple[int, int]]) -> None:
    made = [time_based(moment, tick=tick) for moment, tick in sorted(times)]

    assert sorted(made, key=by_time) == made


@pytest.mark.parametrize("tick", [-1, TICKS_PER_MS])
def test_a_millisecond_has_no_more_ticks(tick: int) -> None:
    with pytest.raises(ValueError, match="ticks"):
        time_based(NOW, tick=tick)


def test_nothing_of_an_id_is_drawn_once_for_a_process_which_its_forks_would_have_too() -> None:
    made = [uuid.UUID(time_based(NOW)) for _ in range(200)]

    assert len({one.node for one in made}) == 200
    assert len({one.clock_seq for one in made}) > 150


def test_an_id_does_not_reveal_on_which_machine_it_was_made() -> None:
    made = uuid.UUID(time_based(NOW))

    assert made.node >> 40 & 1, "a node that is no network card says so by this bit"


@pytest.mark.parametrize("text", ["", "press-7", "6fa459ea-ee8a-4ca4-894e-db77e160355e"])
def test_what_has_no_time_within_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"UUID|badly formed"):
        by_time(text)


# By content


@given(contents, contents)
def test_contents_have_one_name_exactly_if_they_say_the_same(one: object, other: object) -> None:
    same = of_content(one) == of_content(other)

    if same:
        require_same_content(one, other)
    else:
        with pytest.raises(Conflict):
            require_same_content(one, other)


def test_the_order_of_members_and_the_form_of_a_number_are_not_content() -> None:
    assert of_content({"a": 1.0, "b": 2.5}) == of_content({"b": 2.5, "a": 1})
    require_same_content({"a": 1.0}, {"a": 1})


def test_two_contents_under_one_shortened_name_are_a_conflict() -> None:
    wanted = of_content({"n": 0}, digits=2)
    collision = next({"n": n} for n in count(1) if of_content({"n": n}, digits=2) == wanted)

    with pytest.raises(Conflict):
        require_same_content(collision, {"n": 0})
