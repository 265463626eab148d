"""Bodies of dispatch's requests and answers."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from contract import names, schemas

Person = Annotated[str, AfterValidator(names.identifier), WithJsonSchema(schemas.IDENTIFIER)]


class AssignmentBody(BaseModel):
    """Who is to see to the log."""

    model_config = ConfigDict(extra="forbid", strict=True)

    operator: Person = Field(examples=["Liz"])


class EscalationBody(BaseModel):
    """Whom the log is handed up to."""

    model_config = ConfigDict(extra="forbid", strict=True)

    supervisor: Person = Field(examples=["Sara"])


class LogKey(BaseModel):
    """A log's natural key; `timestamp` is fixed-width UTC."""

    equipmentId: str  # noqa: N815  the contract's name
    state: str
    timestamp: str


class Assignment(LogKey):
    """An assignment as it is answered."""

    operator: str


class Escalation(LogKey):
    """An escalation as it is answered."""

    supervisor: str
