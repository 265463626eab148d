"""What board answers."""

from pydantic import BaseModel


class Place(BaseModel):
    """Where equipment stands, from the company down."""

    company: str
    country: str
    region: str
    state: str
    county: str
    city: str
    neighborhood: str


class LastAudit(BaseModel):
    """The last audit of any part; `timestamp` is fixed-width UTC."""

    part: str
    result: str
    revision: int
    timestamp: str


class Standing(BaseModel):
    """How a piece of equipment stands; null is not known yet; `stateSince` is fixed-width UTC."""

    equipmentId: str  # noqa: N815  the contract's name
    name: str | None
    location: Place | None
    state: str | None
    stateSince: str | None  # noqa: N815
    operator: str | None = None
    lastAudit: LastAudit | None = None  # noqa: N815


class Board(BaseModel):
    """A page of the board, by location; a missing cursor is the end."""

    items: list[Standing]
    cursor: str | None = None
