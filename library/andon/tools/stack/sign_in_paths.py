"""The requests of a sign-in, which the front lets through to the emulator's Cognito, each to the letter.

The emulator asks a request's headers, query and form for a service of AWS before it looks at the path:
`GET /login?Action=CreateStack` makes a stack, whose functions then run here. So a method and a path go with the names
that the page and Cognito's form send, and with nothing by which the emulator could take them for anything else.

Standard library only: the front, which runs in the emulator's environment, imports it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

LONGEST: Final = 65_536

_ASKED: Final = frozenset(
    {"response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"}
)
_NEW_PASSWORD: Final = frozenset({"np_token", "new_password", "confirm_password"})  # of whom an administrator created
_CODE: Final = frozenset({"code", "code_verifier", "redirect_uri"})
_NOTHING: Final = frozenset[str]()

_QUERIES: Final[Mapping[str, frozenset[str]]] = {
    "/oauth2/authorize": _ASKED | {"lang"},
    "/logout": frozenset({"client_id", "logout_uri"}),
}
_FORMS: Final[Mapping[str, frozenset[str]]] = {
    "/login": _ASKED | _NEW_PASSWORD | {"nonce", "username", "password"},
    "/oauth2/token": _CODE | {"grant_type", "client_id", "refresh_token"},
}
_CONFIGURATION: Final = "/.well-known/openid-configuration"

# One member as browsers write it: no name is encoded, and nothing else separates two of them than `&`.
_MEMBER: Final = re.compile(r"([a-z_]+)=(?:[A-Za-z0-9*._~+-]|%[0-9A-Fa-f]{2})*")
_FORM_TYPE: Final = re.compile(r"application/x-www-form-urlencoded(; ?charset=utf-8)?", re.IGNORECASE)
_LENGTH: Final = re.compile(r"[0-9]{1,5}")
# The last two: the body that the emulator reads would not be the one that was checked.
_REFUSED: Final = frozenset({"authorization", "content-encoding", "transfer-encoding"})
_OF_AWS: Final = "x-amz"


class Body(NamedTuple):
    """The body that belongs to the head of a request: how long it is, and the names that its members may have."""

    length: int
    names: frozenset[str]

    def is_form(self, sent: bytes) -> bool:
        """Return True if `sent` has only such members, each of them once."""
        return _is_form(sent.decode("latin-1"), self.names)


def routes(pool: str) -> dict[str, str]:
    """Return the public paths of a sign-in at a user pool -> those of the emulator."""
    return {path: path for path in (*_QUERIES, *_FORMS, f"/{pool}{_CONFIGURATION}")}


def body_after(method: str, path: str, query: str, headers: Iterable[tuple[str, str]]) -> Body | None:
    """Return the body that follows the head of a request; None: the head is not one of a sign-in.

    headers: names in any case.
    """
    named = [(name.lower(), value) for name, value in headers]
    if any(name in _REFUSED or name.startswith(_OF_AWS) for name, _ in named):
        return None
    types, lengths = ([value for known, value in named if known == name] for name in ("content-type", "content-length"))
    if method == "GET":
        return Body(0, _NOTHING) if _is_asked(path, query) and not lengths else None
    if method != "POST" or path not in _FORMS or query or len(types) != 1 or len(lengths) != 1:
        return None
    if not _FORM_TYPE.fullmatch(types[0]) or not _LENGTH.fullmatch(lengths[0]) or int(lengths[0]) > LONGEST:
        return None
    return Body(int(lengths[0]), _FORMS[path])


def _is_asked(path: str, query: str) -> bool:
    if path.endswith(_CONFIGURATION):
        return not query
    return path in _QUERIES and _is_form(query, _QUERIES[path])


def _is_form(text: str, names: frozenset[str]) -> bool:
    found = [_MEMBER.fullmatch(one) for one in text.split("&")] if text else []
    known = [one[1] for one in found if one and one[1] in names]
    return len(found) == len(known) == len(set(known))
