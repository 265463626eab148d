"""The routes of readings."""

from typing import Annotated, Final

from pydantic import AfterValidator

from andon.http import models
from andon.http.parameters import Path, Timestamp, described
from andon.http.resource_api import ResourceApi
from andon.project import project
from andon.runtime import texts
from services.readings.resources import READINGS

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting

DeviceId = Annotated[
    str,
    AfterValidator(texts.part),
    described(models.PART | models.IMPERSONAL, "device-1"),
    Path(alias="deviceId", description="Chosen by the client."),
]

API: Final = ResourceApi(
    READINGS,
    "/readings/{deviceId}/{timestamp}",
    {"device_id": DeviceId, "timestamp": Timestamp},
    write=ANYBODY,
    read=ANYBODY,
    noun="one of the readings",
)
