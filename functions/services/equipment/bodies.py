"""Bodies of equipment's requests and answers."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from contract import names

MAX_DETAIL_BYTES = 4096


def _detail(text: str | None) -> str | None:
    if text is not None and len(text.encode()) > MAX_DETAIL_BYTES:
        raise ValueError(f"must be at most {MAX_DETAIL_BYTES} bytes")
    return text


class StateBody(BaseModel):
    """What a device says of itself."""

    model_config = ConfigDict(extra="forbid", strict=True)

    state: Annotated[str, AfterValidator(names.state), Field(pattern=names.STATE_PATTERN, examples=["WARNING1"])]
    detail: Annotated[str | None, AfterValidator(_detail), Field(max_length=MAX_DETAIL_BYTES)] = None


class StateReport(BaseModel):
    """A report as it is answered; `timestamp` is fixed-width UTC."""

    equipmentId: str  # noqa: N815  the contract's name
    state: str
    timestamp: str
    detail: str | None = None


class StateReports(BaseModel):
    """A page of reports, newest first; a missing cursor is the end."""

    items: list[StateReport]
    cursor: str | None = None
