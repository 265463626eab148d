"""The routes of each estimate."""

from typing import Annotated, Final

from pydantic import AfterValidator

from andon.http import models
from andon.http.parameters import Path, Timestamp, described
from andon.http.resource_api import ResourceApi
from andon.project import project
from andon.runtime import texts
from services.parcels.resources import ESTIMATE

ANYBODY: Final = frozenset(project().groups.all) - project().groups.reporting

EstimateOf = Annotated[
    str, AfterValidator(texts.part), described(models.PART | models.IMPERSONAL, "parcel-1"), Path(alias="id")
]

ESTIMATE_API: Final = ResourceApi(
    ESTIMATE,
    "/parcels/{id}/estimate/{timestamp}",
    {"parcel_id": EstimateOf, "timestamp": Timestamp},
    write=ANYBODY,
    read=ANYBODY,
    noun="the estimate of one of the parcels",
)
