"""Caller of a request, by the claims of the JWT authorizer."""

from typing import Final, NamedTuple

from andon.http.places import ANYWHERE, Places, places_of
from andon.runtime.errors import Forbidden
from andon.runtime.json_types import JsonMapping

# https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html
GROUPS_CLAIM = "cognito:groups"
NAME_CLAIM = "username"
USE_CLAIM = "token_use"
ACCESS = "access"

NOT_ALLOWED: Final = "None of your groups may do this."


class Caller(NamedTuple):
    """The token's subject, its groups, the name that its user signs in with, and its places."""

    subject: str
    groups: frozenset[str]
    name: str
    places: Places = ANYWHERE


NOBODY: Final = Caller("", frozenset(), "")
"""Of a route that is public."""


def caller_of(event: JsonMapping) -> Caller:
    """Return the caller that the authorizer's claims name.

    Raises:
        Forbidden: there is no subject, or it is another token than an access token.

    """
    claims = event["requestContext"].get("authorizer", {}).get("jwt", {}).get("claims", {})
    if not claims.get("sub"):
        raise Forbidden("The token names no subject.")
    # The authorizer takes ID tokens, too: they are for the client, which may hand them to others.
    if claims.get(USE_CLAIM) != ACCESS:
        raise Forbidden("This is no access token.")
    groups = _groups_in(str(claims.get(GROUPS_CLAIM, "")))
    return Caller(claims["sub"], groups, str(claims.get(NAME_CLAIM, "")), places_of(groups))


def authorize(event: JsonMapping, groups: frozenset[str]) -> Caller:
    """Return the caller if it is in one of the groups that may call a route.

    Raises:
        Forbidden: none of them may.

    """
    caller = caller_of(event)
    if not caller.groups & groups:
        raise Forbidden(NOT_ALLOWED)
    return caller


def _groups_in(claim: str) -> frozenset[str]:
    """Return the groups of a claim, which the authorizer writes as `[readers writers]`.

    Only one pair of brackets goes: a group may be called `[admin`. No group has a space in its name, but other white
    space separates nothing.
    https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateGroup.html
    """
    listed = claim[1:-1] if claim.startswith("[") and claim.endswith("]") else claim
    return frozenset(filter(None, listed.split(" ")))
