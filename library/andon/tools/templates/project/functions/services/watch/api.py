# <inspection>
"""The routes of each inspection."""

from typing import Annotated, Final

from pydantic import AfterValidator

from andon.http import models
from andon.http.parameters import Path, described
from andon.http.resource_api import ResourceApi
from andon.project import project
from andon.runtime import texts
from services.watch.resources import INSPECTION

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting

InspectionOf = Annotated[
    str, AfterValidator(texts.part), described(models.PART | models.IMPERSONAL, "thing-1"), Path(alias="id")
]

INSPECTION_API: Final = ResourceApi(
    INSPECTION,
    "/watch/{id}/inspection",
    {"thing_id": InspectionOf},
    write=ANYBODY,
    read=ANYBODY,
    noun="the inspection of one of the things",
)
# </inspection>
