"""Who calls, by the claims of the JWT authorizer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from patterns.runtime.errors import Forbidden

GROUPS_CLAIM = "cognito:groups"


@dataclass(frozen=True, slots=True)
class Caller:
    """The token's subject and its groups."""

    subject: str
    groups: frozenset[str]


def caller_of(event: Mapping[str, Any]) -> Caller:
    """Return the caller that the authorizer's claims name; it writes lists as `[readers writers]`.

    Raises:
        Forbidden: there is no subject.

    """
    claims = event["requestContext"].get("authorizer", {}).get("jwt", {}).get("claims", {})
    if not claims.get("sub"):
        raise Forbidden("The token names no subject.")
    return Caller(claims["sub"], frozenset(str(claims.get(GROUPS_CLAIM, "")).strip("[]").split()))


def authorize(event: Mapping[str, Any], routes: Mapping[str, frozenset[str]]) -> Caller:
    """Return the caller if one of its groups may call the route.

    Raises:
        Forbidden: none of them may.

    """
    caller = caller_of(event)
    if not caller.groups & routes.get(event["routeKey"], frozenset()):
        raise Forbidden("None of your groups may do this.")
    return caller
