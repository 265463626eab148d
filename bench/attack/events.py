"""Malformed events and messages, made of the samples under `events/domain/`."""

import copy
import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from andon.project import project
from andon.runtime import times
from bench.attack import examples
from bench.attack.hostile import CONTROL, INVISIBLE, NO_CHARACTER

Json = dict[str, Any]

SAMPLES: Final = project().root / "events" / "domain"
AGO_MS: Final = 10 * 60_000
MARK: Final = "{machine}"
MOST_OFTEN: Final = "state-reported"

MISTYPED: Final[tuple[Any, ...]] = None, True, 0, -1, 1.5, "", "x", [], [1], {}, {"a": {}}
AHEAD_MS: Final = times.to_ms("2100-01-01T00:00:00Z"), 10**13 - 1, 10**13 - 900_000, 253_402_300_799_999
TIMESTAMPS: Final[tuple[Any, ...]] = (
    -1,
    0,
    1.5,
    2**63,
    10**30,
    "1795292871000",
    "2026-11-21T09:35:00.000Z",
    None,
    True,
    [],
)
DEPTHS: Final = 33, 250, 900
LONG: Final = 100_000
SOURCES: Final = "nobody", "", "equipment ", "aws.events", "dispatch", "equipment"
TYPES: Final = "nothing-happened", "", "state-reported", "fault"
UNKNOWN: Final[Json] = {
    "eem": {"fk": "x"},
    "trace": "x",
    "extra": [],
    "entity": None,
    "__proto__": {},
    "": {},
    "a#b": {"id": 1},
}
NO_JSON: Final = (
    "",
    " ",
    "{",
    "null",
    "true",
    "1",
    '"x"',
    "[]",
    "NaN",
    '{"detail":NaN}',
    "\ud83d",
    "<xml/>",
    "{}",
    "a" * LONG,
)

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@dataclass(frozen=True, slots=True)
class Poison:
    """A message for a queue; `envelope` is what it says if that can go over the bus, too.

    It is about a machine that nothing else speaks of, whose name marks whatever becomes of it.
    """

    kind: str
    sample: str
    machine: str
    message: str
    envelope: Json | None


def chosen(count: int, dice: random.Random) -> list[Poison]:
    """Choose messages, of each kind in turn; those of the event that comes most often go first."""
    by_kind: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for path in sorted(SAMPLES.glob("*.json")):
        for kind, message in _kinds(_envelope(path)):
            by_kind[kind].append((kind, path.stem, message))
    for variants in by_kind.values():
        dice.shuffle(variants)
        variants.sort(key=lambda variant: variant[1] != MOST_OFTEN)
    rounds = max(map(len, by_kind.values()))
    in_turn = [variants[n] for n in range(rounds) for _, variants in sorted(by_kind.items()) if n < len(variants)]
    return [_poison(number, *one) for number, one in enumerate(in_turn[:count])]


def _poison(number: int, kind: str, sample: str, message: str) -> Poison:
    machine = f"{examples.OURS}poison-{number:05}"
    message = message.replace(MARK, machine)
    try:
        envelope = json.loads(message)
    except (ValueError, RecursionError):
        return Poison(kind, sample, machine, f"{message} {machine}", None)
    is_event = isinstance(envelope, dict) and isinstance(envelope.get("detail"), dict)
    fits = is_event and all(
        isinstance(envelope.get(name), str) and envelope[name] for name in ("source", "detail-type")
    )
    marked = json.dumps({**envelope, "attack": machine}) if isinstance(envelope, dict) else f"{message} {machine}"
    return Poison(kind, sample, machine, marked, envelope if fits else None)


@cache
def _envelope(path: Path) -> Json:
    """Read a sample as the bus hands it over, of a machine to be named, all its times a few minutes ago."""
    event = json.loads(path.read_text())
    event.pop("raw", None)
    text = json.dumps(event).replace(json.dumps(event["partitionKey"]), json.dumps(MARK))
    moved_ms = int(time.time() * 1000) - AGO_MS - event["timestamp"]
    text = _TIME.sub(lambda found: times.to_utc(times.to_ms(found[0]) + moved_ms), text)
    moved = {**json.loads(text), "id": f"{MARK}-event", "timestamp": event["timestamp"] + moved_ms}
    return {"version": "0", "source": event["tags"]["source"], "detail-type": event["type"], "detail": moved}


def _kinds(envelope: Json) -> Iterator[tuple[str, str]]:
    """List `(kind, message)` of all that can be wrong with an event."""
    for place, value in _places(envelope):
        yield "a member is missing", _text(_without(envelope, place))
        for other in MISTYPED:
            if type(other) is not type(value):
                yield "a member of another type", _text(_with(envelope, place, other))
        if isinstance(value, str):
            yield from (("odd characters", _text(_with(envelope, place, one))) for one in _odd(value))
    yield from _odd_times(envelope)
    yield from _odd_shapes(envelope)
    yield from (("no event", one) for one in NO_JSON)


def _odd_times(envelope: Json) -> Iterator[tuple[str, str]]:
    for ahead_ms in AHEAD_MS:
        yield "a time far ahead", _text(_all_at(envelope, ahead_ms))
    for value in TIMESTAMPS:
        yield "an odd timestamp", _text(_with(envelope, ("detail", "timestamp"), value))


def _odd_shapes(envelope: Json) -> Iterator[tuple[str, str]]:
    detail = envelope["detail"]
    for name, value in UNKNOWN.items():
        yield "an unknown member", _text(_with(envelope, ("detail", name), value))
    for depth in DEPTHS:
        for place in (("detail", "raw"), ("detail", "tags", "deep"), ("detail", "extra"), *_inside(detail)):
            yield f"a member {depth} deep", _deep(envelope, place, depth)
    for value in (MARK + "x" * LONG, f"{MARK}#event", "#", f"{MARK}/../x", "x" * 1_025):
        yield "an odd event id", _text(_with(envelope, ("detail", "id"), value))
        yield "an odd partition key", _text(_with(envelope, ("detail", "partitionKey"), value))
    yield from (("another source", _text({**envelope, "source": one})) for one in SOURCES)
    yield from (("another detail type", _text({**envelope, "detail-type": one})) for one in TYPES)
    yield "an event in place of an envelope", _text(detail)
    yield "an event as text", _text({**envelope, "detail": _text(detail)})


def _odd(value: str) -> Iterator[str]:
    for character in (CONTROL[0], INVISIBLE[1], NO_CHARACTER[2], "\ud800", "#", " "):
        yield value + character
    yield value + "x" * LONG


def _places(content: Json, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in content.items():
        yield (*place, name), value
        if isinstance(value, dict) and name != "tags":
            yield from _places(value, (*place, name))


def _inside(detail: Json) -> Iterator[tuple[str, ...]]:
    """List a place within each entity."""
    yield from (
        ("detail", name, "deep") for name, value in detail.items() if isinstance(value, dict) and name != "tags"
    )


def _all_at(envelope: Json, at_ms: int) -> Json:
    """Let everything have happened at one time; beyond the year 9999 only the event itself."""
    latest_ms = times.to_ms("9999-12-31T23:59:59.999Z")
    changed: Json = json.loads(_TIME.sub(times.to_utc(min(at_ms, latest_ms)), _text(envelope)))
    changed["detail"]["timestamp"] = at_ms
    return changed


def _deep(envelope: Json, place: tuple[str, ...], depth: int) -> str:
    nested = '{"a":' * depth + "1" + "}" * depth
    return _text(_with(envelope, place, "{deep}")).replace('"{deep}"', nested)


def _with(content: Json, place: tuple[str, ...], value: Any) -> Json:  # noqa: ANN401  any JSON
    changed = copy.deepcopy(content)
    holder = changed
    for name in place[:-1]:
        holder = holder.setdefault(name, {})
    holder[place[-1]] = value
    return changed


def _without(content: Json, place: tuple[str, ...]) -> Json:
    changed = copy.deepcopy(content)
    holder = changed
    for name in place[:-1]:
        holder = holder[name]
    del holder[place[-1]]
    return changed


def _text(content: Any) -> str:  # noqa: ANN401
    return json.dumps(content)
