"""A batch of messages -> objects: each object is read and written once for all of its messages."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from andon.runtime import clock
from andon.runtime.errors import Poison
from andon.runtime.tried import Failed, tried
from andon.views.object_table import ObjectRows, ObjectTable
from andon.views.outcome import Outcome
from andon.views.view_update import FactWrite, ViewUpdate
from andon.views.view_updates import together, updates_in
from andon.wire.in_threads import at_once

NOTHING: Final = "the view updates no row by this event"


class _Change(NamedTuple):
    """An update of a row, and the number of its message."""

    number: int
    message: FactWrite
    update: ViewUpdate


def write_objects(table: ObjectTable, messages: Sequence[FactWrite], *, ttl_days: int | None) -> list[Outcome | Failed]:
    """Write the updates of all messages; return their outcomes. A message that failed may stand in other objects.

    A failure that is `Poison` can never succeed.
    """
    groups: dict[tuple[str, ...], list[_Change]] = defaultdict(list)
    of_each = defaultdict[int, list[Outcome | Failed]](list)
    for number, message in enumerate(messages):
        for update in updates_in(message.update):
            group = tried(table.keys.group_of, update.key)
            if isinstance(group, Failed):
                of_each[number].append(group)
            else:
                groups[group].append(_Change(number, message, update))
    tasks = [partial(_write_object, table, group, changes, ttl_days) for group, changes in groups.items()]
    for changes, written in zip(groups.values(), at_once(tasks), strict=True):
        for change, one in zip(changes, written, strict=True):
            of_each[change.number].append(one)
    return [_of_message(of_each[number]) for number in range(len(messages))]


def _write_object(
    table: ObjectTable, group: tuple[str, ...], changes: Sequence[_Change], ttl_days: int | None
) -> list[Outcome | Failed]:
    written = tried(table.change, group, partial(_apply, changes, ttl_days))
    if not isinstance(written, Failed):
        return written
    if isinstance(written.error, Poison) and len(changes) > 1:  # too large with all of them
        return [one for change in changes for one in _write_object(table, group, [change], ttl_days)]
    return [written for _ in changes]


def _apply(changes: Sequence[_Change], ttl_days: int | None, rows: ObjectRows) -> list[Outcome | Failed]:
    now_ms = clock.now_ms()
    written = [
        tried(partial(update.write, rows, message.event, ttl_days=ttl_days, now_ms=now_ms, replay=message.replay))
        for _, message, update in changes
    ]
    # To a replay no row has expired: a later event of it may be about one that has.
    if all(message.replay is None for _, message, _ in changes):
        rows.forget(now_ms)
    return written


def _of_message(written: Sequence[Outcome | Failed]) -> Outcome | Failed:
    """Return the outcome of a message's writes: a failure that a retry may mend goes before all others."""
    failed = [one for one in written if isinstance(one, Failed)] if written else [Failed(Poison(NOTHING))]
    if failed:
        return min(failed, key=lambda one: isinstance(one.error, Poison))
    return together(one for one in written if not isinstance(one, Failed))
