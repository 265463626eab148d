"""Composed sort keys: parts separated by `#`, so that byte order is the order that queries want."""

SEPARATOR = "#"

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys
MAX_PARTITION_KEY_BYTES = 2048
MAX_SORT_KEY_BYTES = 1024


def sort_key(*parts: str) -> str:
    """Return `parts` joined by `#`.

    Raises:
        ValueError: a part is not text, is empty or has a `#` in it, or the whole is over 1,024 UTF-8 bytes.

    """
    for part in parts:
        require_part(part)
    return within_limit(SEPARATOR.join(parts))


def within_limit(key: str) -> str:
    """Return a sort key if it is not too long for DynamoDB.

    Raises:
        ValueError: it is over 1,024 UTF-8 bytes.

    """
    if len(key.encode()) > MAX_SORT_KEY_BYTES:
        raise ValueError(f"a sort key has at most {MAX_SORT_KEY_BYTES} bytes")
    return key


def prefix(*parts: str) -> str:
    """Return `parts` joined, with a `#` at the end, so that `MX#JAL#` never matches `MX#JALISCO`."""
    return sort_key(*parts) + SEPARATOR


def current_version_key(name: str) -> str:
    """Return the sort key of the current copy of numbered versions: `v0_<name>`."""
    return f"v0_{name}"


def version_key(name: str, number: int) -> str:
    """Return the sort key of a version: `v0000000001_<name>`, ten digits, so that byte order is their order."""
    return f"v{number:010d}_{name}"


def split(key: str) -> tuple[str, ...]:
    """Return the parts of a sort key."""
    return tuple(key.split(SEPARATOR))


def require_part(part: object) -> None:
    """Check that `part` can be part of a sort key.

    Raises:
        ValueError: it is not text, is empty or has a `#` in it.

    """
    if not isinstance(part, str) or not part:
        raise ValueError("a part of a sort key is text and not empty")
    if SEPARATOR in part:
        raise ValueError(f"a part of a sort key has no {SEPARATOR!r}")
