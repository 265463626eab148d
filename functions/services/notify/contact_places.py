"""Rights on a contact: its person reads all of it; an admin writes it, too; supervisors and admins see it masked."""

from typing import Final

from andon.http.places import ELSEWHERE, Caller
from andon.runtime.errors import Forbidden
from contract.groups import ADMIN, SUPERVISOR

NOT_YOURS: Final = "This is for the person alone."


def is_own(caller: Caller, person: str) -> bool:
    """Return True if a caller is this person: by the token's subject, or by the badge that is the user's name."""
    return person in {caller.subject, caller.name}


def require_own(caller: Caller, person: str) -> None:
    """Check that a caller is this person, or an admin of all places.

    Raises:
        Forbidden: it is neither.

    """
    if is_own(caller, person):
        return
    if ADMIN not in caller.groups:
        raise Forbidden(NOT_YOURS)
    if not caller.places.is_everywhere:
        raise Forbidden(ELSEWHERE)


def require_shown(caller: Caller, person: str) -> None:
    """Check that a caller may see that, and how, a person is reached: a supervisor of all places, too.

    Raises:
        Forbidden: it may not.

    """
    if SUPERVISOR not in caller.groups or not caller.places.is_everywhere:
        require_own(caller, person)
