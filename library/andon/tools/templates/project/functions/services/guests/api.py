"""The routes of guests."""

from typing import Annotated, Final

from pydantic import AfterValidator

from andon.http import models
from andon.http.parameters import Path, described
from andon.http.person_api import PersonApi
from andon.project import project
from andon.runtime import texts
from services.guests.resources import GUESTS

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting

# <placed>
HallId = Annotated[
    str, AfterValidator(texts.part), described(models.PART | models.IMPERSONAL, "hall-1"), Path(alias="hallId")
]

# </placed>
API: Final = PersonApi(GUESTS, "/guests/{id}", keepers=ANYBODY, erasers=project().groups.admins, readers=ANYBODY)
