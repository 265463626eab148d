"""Laws of the two mappings: an edit that comes back says the same, and what the other side cannot hold is kept."""

from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from contract.entities.logs import AssignmentEntity, CrewEntity
from demo.people import ANN, EVA, LIZ, SUE, TOM
from services.dispatch import mapping as old
from services.dispatch2 import mapping as new

PEOPLE = st.sampled_from([LIZ, SUE, ANN, TOM, EVA])
LOGS = st.fixed_dictionaries({"equipmentId": st.just("press-7"), "state": st.just("ERROR"), "timestamp": st.text()})
WHY: st.SearchStrategy[dict[str, object]] = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {
            "by": st.just("rule"),
            "rule": st.just("assign"),
            "triggers": st.lists(
                st.fixed_dictionaries({"id": st.text(), "type": st.text(), "timestamp": st.integers()}), max_size=2
            ),
        }
    ),
)


@st.composite
def assignments(draw: st.DrawFn) -> AssignmentEntity:
    return cast("AssignmentEntity", {**draw(LOGS), **draw(WHY), "operator": draw(PEOPLE)})


@st.composite
def crews(draw: st.DrawFn) -> CrewEntity:
    lead, *members = draw(st.lists(PEOPLE, min_size=1, unique=True))
    return cast("CrewEntity", {**draw(LOGS), **draw(WHY), "lead": lead, "members": members})


@given(assignments())
def test_an_assignment_comes_back_as_it_went(assignment: AssignmentEntity) -> None:
    assert old.from_theirs(new.from_theirs(assignment, upon=None)) == assignment


@given(crews())
def test_a_crew_comes_back_as_it_went(crew: CrewEntity) -> None:
    assert new.from_theirs(old.from_theirs(crew), upon=crew) == crew


@given(assignments(), crews())
def test_an_edit_of_the_operator_is_what_the_crew_says_and_the_members_stay(
    assignment: AssignmentEntity, crew: CrewEntity
) -> None:
    changed = new.from_theirs(assignment, upon=crew)

    assert old.from_theirs(changed) == assignment
    assert set(changed["members"]) == set(crew["members"]) - {assignment["operator"]}
    assert [member for member in crew["members"] if member in changed["members"]] == changed["members"]
