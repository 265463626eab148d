"""`drift-detected`: a row of a view differs from the projection of its events."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypedDict

from andon.events.actor import ACTOR
from andon.events.domain_event import DomainEvent
from andon.events.identifiers import of_content
from andon.runtime import strict_json
from andon.runtime.clock import DAY_MS
from andon.runtime.json_types import JsonMapping

TYPE: Final = "drift-detected"

# Longer values are cut: the beginning shows the difference, and an entry to the bus has at most 1 MB.
MOST_CHARACTERS: Final = 1_000
MOST_FIELDS: Final = 50


Kind = Literal["values", "ahead", "ttl", "missing", "unknown"]
Repair = Literal["oplock", "compare-and-set", "none"]


class Differing(TypedDict):
    """An attribute as it is and as it should be; null: it is not there. A long value is the beginning of its JSON."""

    found: Any
    expected: Any


class DriftEntity(TypedDict):
    """`drift`: the row of a view, in which ways it differs, and where; `fields` lists at most `MOST_FIELDS`.

    kinds: see `andon.drift.compare`. repair: by which writes it ends: `oplock`, `compare-and-set` (on the value
    found), or `none`.
    """

    view: str
    key: dict[str, str]
    kinds: list[Kind]
    fields: dict[str, Differing]
    repair: Repair


def drift_of(
    view: str,
    key: Mapping[str, str],
    *,
    kinds: Sequence[Kind],
    found: JsonMapping,
    expected: JsonMapping,
    repair: Repair,
    now_ms: int,
) -> DomainEvent:
    """Return the event of a row that differs; its id is the same if the same is found again on the same day."""
    names = sorted(expected)[:MOST_FIELDS]
    drift: DriftEntity = {
        "view": view,
        "key": dict(key),
        "kinds": [*kinds],
        "fields": {name: {"found": _short(found.get(name)), "expected": _short(expected[name])} for name in names},
        "repair": repair,
    }
    consumer = f"{view}.recompute"
    return DomainEvent(
        id=id_of(drift, now_ms),
        type=TYPE,
        timestamp_ms=now_ms,
        partition_key=consumer,
        entities={"drift": drift},
        tags={"source": view, ACTOR: consumer},
    )


def id_of(drift: JsonMapping, now_ms: int) -> str:
    """Return the id of a drift: the same for the same one on the same day."""
    return of_content([drift, now_ms // DAY_MS])


def _short(value: Any) -> Any:  # noqa: ANN401  attributes are any JSON
    text = strict_json.dumps(value)
    return value if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS]
