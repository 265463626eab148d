"""The routes of things."""

from typing import Annotated, Final

from pydantic import AfterValidator

from andon.http import models
from andon.http.parameters import Path, described
from andon.http.resource_api import ResourceApi
from andon.project import project
from andon.runtime import texts
from services.things.resources import THINGS

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting

ThingId = Annotated[
    str,
    AfterValidator(texts.part),
    described(models.PART | models.IMPERSONAL, "thing-1"),
    Path(alias="id", description="Chosen by the client."),
]

API: Final = ResourceApi(
    THINGS, "/things/{id}", {"thing_id": ThingId}, write=ANYBODY, read=ANYBODY, noun="one of the things"
)
