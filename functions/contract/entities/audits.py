"""An audit, and its entity."""

from typing import TypedDict

from andon.http.said import Line, Lines
from andon.runtime.marks import Annotated, NotRequired, Says
from contract.people import Person


class Audit(TypedDict):
    """An auditor's finding."""

    result: Annotated[Line, Says("passed", "possible")]
    auditor: Annotated[Person, Says("au-05")]
    notes: NotRequired[Lines]


class AuditKey(TypedDict):
    """Equipment, and a part of it; `_` is the whole."""

    equipmentId: str
    part: str


class AuditEntity(Audit, AuditKey):
    """`audit`: the finding of an auditor."""

    revision: int
