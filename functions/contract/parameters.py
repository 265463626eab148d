"""HTTP parameters that several packages take, with their validation. Listeners and triggers do not import this."""

from typing import Annotated

from pydantic import AfterValidator

from andon.http import models as common
from andon.http.models import IMPERSONAL
from andon.http.parameters import Path, Query, described
from andon.runtime import texts, times
from contract import names, people, schemas

EquipmentId = Annotated[
    str,
    AfterValidator(texts.word),
    described(common.WORD | IMPERSONAL, "press-7"),
    Path(alias="id", description="Chosen by the client."),
]
FactoryId = Annotated[
    str,
    AfterValidator(texts.word),
    described(common.WORD | IMPERSONAL, "gdl-1"),
    Path(alias="factoryId", description="The `factoryId` of the equipment."),
]
Operator = Annotated[str, AfterValidator(people.person_id), described(schemas.PERSON, "op-17"), Path()]
Supervisor = Annotated[str, AfterValidator(people.person_id), described(schemas.PERSON, "sv-03"), Path()]
PersonId = Annotated[
    str,
    AfterValidator(people.person_id),
    described(schemas.PERSON, "op-17"),
    Path(alias="id", description="The subject of who signs in, or a badge; no name."),
]
State = Annotated[
    str,
    AfterValidator(names.state),
    described(schemas.STATE, "WARNING1"),
    Path(description="What the equipment reported."),
]
Part = Annotated[
    str,
    AfterValidator(texts.part),
    described(common.PART | IMPERSONAL, "hydraulics"),
    Path(description="A part of the equipment; `_` is the whole."),
]
Company = Annotated[str, AfterValidator(texts.part), described(common.PART | IMPERSONAL, "Acme"), Path()]
LocationFilter = Annotated[
    str | None,
    described(schemas.LOCATION | IMPERSONAL, "MX/West"),
    Query(description="A place within the company, from the country down, parts separated by `/`."),
]
StateFilter = Annotated[
    str | None,
    AfterValidator(names.state_filter),
    described(schemas.STATE_FILTER, "WARNING*"),
    Query(description="A state, or its beginning and a `*`."),
]
FirstDay = Annotated[
    str | None,
    AfterValidator(times.date),
    described(common.DATE, "2026-11-23"),
    Query(alias="from", description="A day, UTC. Inclusive."),
]
LastDay = Annotated[
    str | None,
    AfterValidator(times.date),
    described(common.DATE, "2026-11-29"),
    Query(alias="to", description="A day, UTC. Inclusive."),
]
AgendaDay = Annotated[
    str,
    AfterValidator(times.date),
    described(common.DATE, "2026-11-23"),
    Path(alias="date", description="A day, UTC."),
]

CallId = Annotated[
    str,
    AfterValidator(people.subject),
    described({"type": "string", "pattern": f"^{people.SUBJECT_PATTERN}$"}, "7f3c0d5e-9b1a-4c62-8f0e-2d6a1b9c4e57"),
    Path(alias="id", description="A UUID that the client makes for each call, so that a resend is the same call."),
]
