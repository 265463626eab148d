"""Parameters of people's requests, and its responses."""

from typing import Annotated, Final, Literal, NotRequired

from pydantic import AfterValidator

from andon.dynamodb.client import MOST_READ_AT_ONCE
from andon.http.derived import PageOf, Shown
from andon.http.parameters import Query, described
from contract import people
from services.people.person import PersonVersion

_ID: Final = people.PERSON_PATTERN.removeprefix("^").removesuffix("$")


def _ids(text: str) -> str:
    ids = text.split(",")
    if len(ids) > MOST_READ_AT_ONCE:
        raise ValueError(f"must be at most {MOST_READ_AT_ONCE} ids")
    for one in ids:
        people.person_id(one)
    return text


PersonIds = Annotated[
    str,
    AfterValidator(_ids),
    described({"type": "string", "pattern": f"^{_ID}(?:,{_ID}){{0,{MOST_READ_AT_ONCE - 1}}}$"}, "op-17,op-18"),
    Query(description=f"Ids, separated by commas: {MOST_READ_AT_ONCE} at most."),
]


PERSON: Final = Shown(
    PersonVersion,
    "PersonResponse",
    more={"erased": NotRequired[Literal[True]]},
    lacks=frozenset(PersonVersion.__annotations__) - {"id"},
)
PEOPLE: Final = PageOf(PERSON, "PeopleResponse", "People in the order in which they were asked for.", is_all=True)
PEOPLE_PAGE: Final = PageOf(PERSON, "PeoplePage", "A page of people; a missing cursor is the end.")
