"""The routes of people."""

from typing import Final

from andon.http.person_api import PersonApi
from contract import people
from contract.groups import ERASERS, PEOPLE_KEEPERS, READERS
from services.people.resources import PEOPLE

API: Final = PersonApi(
    PEOPLE,
    "/people/{id}",
    keepers=PEOPLE_KEEPERS,
    erasers=ERASERS,
    readers=READERS,
    examples=("op-17", "op-18"),
    check=people.person_id,
    says={
        "put": (
            "Write down a person's name and factory; a change needs If-Match with the current version.\n\n"
            "An id that was erased is not given to anybody again: 409."
        ),
        "delete": (
            "Erase a person: the name is gone for good, the id stays. To do it again changes nothing.\n\n"
            "An id of which no name is known is erased, too: it gets none any more, and no rule assigns it."
        ),
        "place": "List the people of a factory by their ids, without those who were erased.",
    },
)
