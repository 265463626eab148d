"""Ids of people. Events, rows and paths have these alone; names stand in the service `people`, and nowhere else.

An id is the subject of who signs in, a UUID, or a badge such as `op-17` or `1047`. It is no name and nothing computed
from one, so that it says nothing once the name is erased.
"""

import re
from typing import Final

from andon.runtime.marks import Annotated, Takes

PERSON_PLACED: Final = "person-placed"

SUBJECT_PATTERN = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
BADGE_PATTERN = r"(?:[a-z]{1,3}-?)?[0-9]{2,10}"
PERSON_PATTERN = f"^(?:{SUBJECT_PATTERN}|{BADGE_PATTERN})$"


def person_id(text: str) -> str:
    """Return `text` if it can be a person's id.

    Raises:
        ValueError: it cannot, as a name cannot.

    """
    if not re.fullmatch(f"{SUBJECT_PATTERN}|{BADGE_PATTERN}", text, re.ASCII):
        raise ValueError("must be the id of a person: a UUID, or a badge such as op-17, and no name")
    return text


Person = Annotated[str, Takes(person_id, {"type": "string", "pattern": PERSON_PATTERN})]


def subject(text: str) -> str:
    """Return `text` if it is a UUID, as the subjects of tokens are.

    Raises:
        ValueError: it is not.

    """
    if not re.fullmatch(SUBJECT_PATTERN, text, re.ASCII):
        raise ValueError("must be a UUID, in lower case")
    return text
