"""Entity tags: the version of a response's thing, or a digest where it has no version, quoted."""

import hashlib
import re
from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from andon.runtime.errors import Stale

Answer = TypeVar("Answer")

ATTEMPTS: Final = 8

_VERSION_PATTERN: Final = '"[1-9][0-9]{0,14}"'
_LISTED: Final = rf"(?:W/)?{_VERSION_PATTERN}"
IF_MATCH_PATTERN: Final = rf"\*|{_LISTED}(?:[ \t]*,[ \t]*{_LISTED})*"

_VERSION: Final = re.compile(_VERSION_PATTERN, re.ASCII)
_IF_MATCH: Final = re.compile(IF_MATCH_PATTERN, re.ASCII)

NEVER: Final = 999_999_999_999_999
"""The greatest version that a tag may name: nothing was ever changed as often."""


class Tags(NamedTuple):
    """An If-Match that is no single version: the strong ones of a list; None: `*`, any current one."""

    versions: frozenset[int] | None


def version_or_tags(if_match: str) -> int | Tags:
    """Read If-Match (RFC 9110, 13.1.1): it compares strongly, so that a weak tag matches nothing.

    Raises:
        ValueError: it is none, or has a tag that is no version.

    """
    if not _IF_MATCH.fullmatch(if_match):
        raise ValueError('must be quoted versions such as "3", or *')
    if if_match == "*":
        return Tags(None)
    tags = [tag.strip() for tag in if_match.split(",")]
    versions = [int(tag.strip('"')) for tag in tags if _VERSION.fullmatch(tag)]
    return versions[0] if len(tags) == len(versions) == 1 else Tags(frozenset(versions))


def upon_match(tags: Tags, answer: Callable[[int], Answer]) -> Answer:
    """Answer upon the current version, if the tags have it; a refusal as stale names that version.

    Raises:
        Stale: they have not, or there is none, or others were faster at each of `ATTEMPTS` attempts.

    """
    version = min(tags.versions) if tags.versions else NEVER
    for _ in range(ATTEMPTS):
        try:
            return answer(version)
        except Stale as error:
            if error.version is None or (tags.versions is not None and error.version not in tags.versions):
                raise
            version = error.version
    return answer(version)


def etag_of(version: int) -> str:
    """Return the tag of a version."""
    return f'"{version}"'


def etag_of_content(body: str) -> str:
    """Return the tag of a response by its content: the same body, the same tag."""
    return f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"'


def matches(if_none_match: str | None, etag: str) -> bool:
    """Return True if the client has this version already: weak tags count, `*` is any (RFC 9110, 13.1.2)."""
    if if_none_match is None:
        return False
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return bool(tags & {etag, "*"})
