"""The end of contents: an object is deleted once the row that it lived by has expired."""

from collections.abc import Iterable

from andon.content.contents import DISCRIMINATOR, OBJECT, Contents
from andon.dynamodb.attribute_values import to_plain
from andon.events.change_data_capture import StreamRecord, is_ttl_removal, kind_of


def released(records: Iterable[StreamRecord]) -> list[str]:
    """Return the names of the objects whose rows the TTL service removed. Pure."""
    return [to_plain(record["dynamodb"]["OldImage"])[OBJECT] for record in records if is_ttl_removal(record)]


def release(contents: Contents, records: Iterable[StreamRecord]) -> int:
    """Delete the objects whose rows expired; return their number. No name comes back, so that again is no harm.

    Raises:
        CallFailed: S3 did not delete one; the records must come again.

    """
    names = released(records)
    contents.bucket.remove_all(names)
    return len(names)


def is_of_content(record: StreamRecord) -> bool:
    """Return True if a record is about a row that an object lives by."""
    row = record["dynamodb"].get("NewImage", record["dynamodb"].get("OldImage"))
    return kind_of(row) == DISCRIMINATOR  # one that nobody can read becomes a fault, as that of any other row
