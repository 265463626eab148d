"""The fact that a text asks for, by an event's id, a token of `x-after`, or the fields that name it. Pure."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from andon.events.written import Written
from andon.project import NamedBy
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.runtime.tried import Failed, tried
from andon.tools.trace.facts import TracedFacts
from andon.tools.trace.gathering import SoughtFact

APART: Final = "/"


def asked_by(text: str, named_by: NamedBy) -> SoughtFact:
    """Return what a text asks for.

    Args:
        text: an id, a token, or as many values, with `/` between them, as the first of `named_by` has fields.
        named_by: see `Project`.

    """
    written = tried(Written.from_token, text)
    if not isinstance(written, Failed):
        return _by_token(written)
    name, fields = next(iter(named_by.items()), ("", ()))
    values = _parts(text, fields)
    if values:
        key = dict(zip(fields, values, strict=True))
        return SoughtFact(tuple(values), partial(TracedFacts.of_entity, name=name, key=key), _day_in(values))
    return SoughtFact((text,), partial(TracedFacts.named, id_=text))


def _by_token(written: Written) -> SoughtFact:
    texts = tuple(str(value) for value in written.names.values())
    needle = (written.event_id,) if written.event_id else (written.partition_key, *texts)
    return SoughtFact(needle, partial(TracedFacts.written, written=written), _before(written.timestamp_ms))


def _parts(text: str, fields: Sequence[str]) -> list[str]:
    """Return a value for each field; none if there are not so many."""
    parts = text.split(APART)
    return parts if 1 < len(fields) == len(parts) and all(parts) else []


def _day_in(values: Sequence[str]) -> str | None:
    found = (tried(times.to_ms, value) for value in values)
    return next((_before(one) for one in found if not isinstance(one, Failed)), None)


def _before(at_ms: int) -> str:
    """Return the day before a time: a clock may be ahead of the bus's."""
    return times.date_of(max(0, at_ms - DAY_MS))
