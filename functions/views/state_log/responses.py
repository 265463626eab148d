"""What state_log answers."""

from pydantic import BaseModel

from patterns.http.openapi import Absent


class Log(BaseModel):
    """A log as it is answered; `timestamp` is fixed-width UTC."""

    equipmentId: str  # noqa: N815  the contract's name
    state: str
    timestamp: str
    operator: str | Absent = None
    escalatedTo: str | Absent = None  # noqa: N815
    detail: str | Absent = None


class Logs(BaseModel):
    """A page of logs; a missing cursor is the end."""

    items: list[Log]
    cursor: str | Absent = None
