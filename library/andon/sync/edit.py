"""The order of edits of one thing that two services keep. Pure.

| order | two services that edit at once |
|---|---|
| (timestamp, origin) | end in the same row |
| timestamp alone | keep different rows if both edited in one millisecond |

The id of an event cannot break ties: a command does not know which id its stream will give the change.
"""

from typing import NamedTuple

from andon.versions.optimistic_lock import VersionedRow


class Edit(NamedTuple):
    """An edit's place in the order: when it was made (epoch milliseconds), and in which service.

    A command makes an edit later than the one that it changes, whatever its clock says. So the edits of one row in one
    service have different times, and an edit that was made with knowledge of another comes after it.
    """

    timestamp_ms: int
    origin: str


def edit_of(row: VersionedRow, *, own: str) -> Edit:
    """Return the edit that made a row; `own`: the service that keeps the row."""
    return Edit(row["timestamp"], row.get("origin", own))
