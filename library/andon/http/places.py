"""Callers and places: where a caller may act and look, by the groups in its token, and where a thing is.

A group `at:<name>` stands beside the group of a role. A caller with such groups is limited to these places; one without
is everywhere, unless the stage requires places. Of a thing its *whereabouts* are known, the names of all places that it
is at: whoever is at one of them may deal with it. Names are compared normalised, as texts of clients are stored.
"""

import os
from collections.abc import Iterable
from typing import Final, NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

from andon.runtime.errors import Forbidden
from andon.runtime.json_types import JsonMapping

PREFIX: Final = "at:"
EVERYWHERE: Final = "*"

SEPARATOR: Final = ":"
"""Between the parts of a name, as in `<site>:<line>`."""

VARIABLE: Final = "PLACES_REQUIRED"
"""The environment variable with which a caller without a place is nowhere; without it everywhere."""

ELSEWHERE: Final = "This is at none of your places."
"""The one response for what is elsewhere and for what nobody knows: it must not tell which things exist."""


ALWAYS: Final = "~"
"""Later than all times: of what goes with a thing to its next owner."""


class Places(NamedTuple):
    """The places of a caller, by their names."""

    names: frozenset[str] = frozenset()
    is_everywhere: bool = False

    def include(self, whereabouts: frozenset[str]) -> bool:
        """Return True if a thing is at one of the places; one without a place is for callers from everywhere."""
        return self.is_everywhere or not self.names.isdisjoint(whereabouts)

    def require(self, whereabouts: frozenset[str]) -> None:
        """Check that a thing is at one of the places.

        Raises:
            Forbidden: it is not.

        """
        if not self.include(whereabouts):
            raise Forbidden(ELSEWHERE)


class Stay(NamedTuple):
    """The names of the places that a thing is at, and since when (fixed-width UTC) it is its present owner's.

    What is older is another owner's, and for callers who are everywhere. since: empty, if there was no other owner.
    """

    names: frozenset[str] = frozenset()
    since: str = ""

    def require_at(self, places: Places, time: str = ALWAYS) -> None:
        """Check that a row of a time, or one that is open still, is at one of the places.

        Raises:
            Forbidden: it is not.

        """
        if not self.is_at(places, time):
            raise Forbidden(ELSEWHERE)

    def is_at(self, places: Places, time: str = ALWAYS) -> bool:
        """Return True if a row of a time, or one that is open still, is at one of the places."""
        return places.is_everywhere or (places.include(self.names) and time >= self.since)


ANYWHERE: Final = Places(is_everywhere=True)


def places_of(groups: Iterable[str]) -> Places:
    """Return the places that groups name.

    What no group can have in its name is percent-encoded, as the space in `at:Acme%20Corp`.
    """
    written = [group.removeprefix(PREFIX) for group in groups if group.startswith(PREFIX)]
    if EVERYWHERE in written or not (written or VARIABLE in os.environ):
        return ANYWHERE
    return Places(frozenset(normalize("NFC", unquote(name)) for name in written))


def names_of(*paths: tuple[str | None, ...]) -> frozenset[str]:
    """Return the names of places, each given by its parts; one that lacks a part is none.

    Neither is one with the separator in a part: a site `a:1` is not line 1 of the site `a`.
    """
    named = (path for path in paths if all(part and SEPARATOR not in part for part in path))
    return frozenset(normalize("NFC", SEPARATOR.join(map(str, path))) for path in named)


# Caller of a request, by the claims of the JWT authorizer.

# https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html
_GROUPS_CLAIM = "cognito:groups"
_NAME_CLAIM = "username"
_USE_CLAIM = "token_use"
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
    if claims.get(_USE_CLAIM) != ACCESS:
        raise Forbidden("This is no access token.")
    groups = _groups_in(str(claims.get(_GROUPS_CLAIM, "")))
    return Caller(claims["sub"], groups, str(claims.get(_NAME_CLAIM, "")), places_of(groups))


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
