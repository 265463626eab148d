"""Entity tags: the version of what a response shows, or a digest of what has no version, quoted."""

import hashlib


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
