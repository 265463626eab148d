"""Entity tags: the version of what a response shows, quoted."""


def etag_of(version: int) -> str:
    """Return the tag of a version."""
    return f'"{version}"'


def matches(if_none_match: str | None, etag: str) -> bool:
    """Return whether the client has this version already: weak tags count, `*` is any (RFC 9110, 13.1.2)."""
    if if_none_match is None:
        return False
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return bool(tags & {etag, "*"})
