"""Parameters of the fault store's routes."""

from typing import Annotated

from pydantic import Field, StringConstraints

from andon.http.models import IMPERSONAL
from andon.http.parameters import Path
from andon.stores.faults.record import ID_PATTERN

FaultId = Annotated[
    str,
    StringConstraints(pattern=ID_PATTERN),
    Field(json_schema_extra=IMPERSONAL),
    Path(alias="id", description="The id of its event."),
]
