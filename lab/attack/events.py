"""Malformed events and groups of them, made of the samples under `events/domain/`."""

import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from andon.events.group import FACTS, GROUP, MOST_FACTS, VERSION
from andon.project import project
from andon.runtime import clock, times
from lab.attack.operations import OURS, Place, put

Json = dict[str, Any]
Variant = tuple[str, Callable[[], str]]
"""Kind, and the message, which is made of those that are sent: there are some 25,000."""

SAMPLES: Final = project().root / "events" / "domain"
AGO_MS: Final = 10 * 60_000
MARK: Final = "{machine}"
DEEP: Final = "{deep}"
MOST_OFTEN: Final = "state-reported"
SAME: Final = 300  # facts, in 200 KB
NUMBERS: Final = 100_000  # in 200 KB

MISTYPED: Final[tuple[Any, ...]] = None, True, 0, -1, 1.5, "", "x", [], [1], {}, {"a": {}}
AHEAD_MS: Final = times.to_ms("2100-01-01T00:00:00Z"), 10**13 - 1, 10**13 - 900_000, 253_402_300_799_999
LATEST_MS: Final = times.to_ms("9999-12-31T23:59:59.999Z")
DEPTHS: Final = 33, 250, 900
LONG: Final = 100_000
ODD_ENDS: Final = ("\x00", "\u202e", "\U0001fffe", "\ud800", "#", " ", "x" * LONG)
ODD_NAMES: Final = (MARK + "x" * LONG, f"{MARK}#event", "#", f"{MARK}/../x", "x" * 1_025)
TIMESTAMPS: Final[tuple[Any, ...]] = (
    -1, 0, 1.5, 2**63, 10**30, "1795292871000", "2026-11-21T09:35:00.000Z", None, True, [],
)  # fmt: skip
ODD_MEMBERS: Final[tuple[tuple[str, Place, tuple[Any, ...]], ...]] = (
    ("an odd timestamp", ("detail", "timestamp"), TIMESTAMPS),
    ("an odd event id", ("detail", "id"), ODD_NAMES),
    ("an odd partition key", ("detail", "partitionKey"), ODD_NAMES),
    ("another source", ("source",), ("nobody", "", "equipment ", "aws.events", "dispatch", "equipment")),
    ("another detail type", ("detail-type",), ("nothing-happened", "", "state-reported", "fault")),
)
UNKNOWN: Final[Json] = {
    "eem": {"fk": "x"}, "trace": "x", "extra": [], "entity": None, "__proto__": {}, "": {}, "a#b": {"id": 1},
}  # fmt: skip
NO_JSON: Final = (
    "", " ", "{", "null", "true", "1", '"x"', "[]", "NaN", '{"detail":NaN}', "\ud83d", "<xml/>", "{}", "a" * LONG,
)  # fmt: skip

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@dataclass(frozen=True, slots=True)
class PoisonMessage:
    """A message for a queue; `envelope` is what it says if that can go over the bus, too.

    It is about a machine that nothing else speaks of, whose name marks whatever becomes of it.
    """

    kind: str
    sample: str
    machine: str
    message: str
    envelope: Json | None


def chosen(count: int, dice: random.Random) -> list[PoisonMessage]:
    """Choose messages, of each kind in turn; those of the event that comes most often go first."""
    by_kind: dict[str, list[tuple[str, str, Callable[[], str]]]] = defaultdict(list)
    for path in sorted(SAMPLES.glob("*.json")):
        for kind, message in _variants(_envelope(path)):
            by_kind[kind].append((kind, path.stem, message))
    for variants in by_kind.values():
        dice.shuffle(variants)
        variants.sort(key=lambda variant: variant[1] != MOST_OFTEN)
    rounds = max(map(len, by_kind.values()))
    in_turn = [variants[n] for n in range(rounds) for _, variants in sorted(by_kind.items()) if n < len(variants)]
    return [_poison(number, kind, sample, made()) for number, (kind, sample, made) in enumerate(in_turn[:count])]


def about(machine: str, sample: str = MOST_OFTEN) -> Json:
    """Return a sample as the bus hands it over, about a machine."""
    envelope: Json = json.loads(json.dumps(_envelope(SAMPLES / f"{sample}.json")).replace(MARK, machine))
    return envelope


def _poison(number: int, kind: str, sample: str, message: str) -> PoisonMessage:
    machine = f"{OURS}poison-{number:05}"
    message = message.replace(MARK, machine)
    try:
        envelope = json.loads(message)
    except (ValueError, RecursionError):
        envelope = None
    if not isinstance(envelope, dict):
        return PoisonMessage(kind, sample, machine, f"{message} {machine}", None)
    named = all(isinstance(envelope.get(name), str) and envelope[name] for name in ("source", "detail-type"))
    fits = named and isinstance(envelope.get("detail"), dict)
    return PoisonMessage(kind, sample, machine, json.dumps({**envelope, "attack": machine}), envelope if fits else None)


def _envelope(path: Path) -> Json:
    """Read a sample as the bus hands it over, of a machine to be named, all its times a few minutes ago."""
    event = json.loads(path.read_text())
    event.pop("raw", None)
    text = json.dumps(event).replace(json.dumps(event["partitionKey"]), json.dumps(MARK))
    moved_ms = clock.now_ms() - AGO_MS - event["timestamp"]
    text = _TIME.sub(lambda found: times.to_utc(times.to_ms(found[0]) + moved_ms), text)
    moved = {**json.loads(text), "id": f"{MARK}-event", "timestamp": event["timestamp"] + moved_ms}
    return {"version": "0", "source": event["tags"]["source"], "detail-type": event["type"], "detail": moved}


def _variants(envelope: Json) -> Iterator[Variant]:
    """Yield all that can be wrong with an event."""
    for place, value in _places(envelope):
        yield "a member is missing", partial(_dumped, _without, envelope, place)
        others = (other for other in MISTYPED if type(other) is not type(value))
        yield from (("a member of another type", _with(envelope, place, other)) for other in others)
        if isinstance(value, str):
            yield from (("odd characters", _with(envelope, place, value + end)) for end in ODD_ENDS)
    for kind, odd, values in ODD_MEMBERS:
        yield from ((kind, _with(envelope, odd, value)) for value in values)
    yield from (("an unknown member", _with(envelope, ("detail", name), value)) for name, value in UNKNOWN.items())
    yield from (("a time far ahead", partial(_dumped, _all_at, envelope, at_ms)) for at_ms in AHEAD_MS)
    entities = [name for name, value in envelope["detail"].items() if isinstance(value, dict)]
    places: list[Place] = [("detail", "raw"), ("detail", "extra"), *(("detail", name, "deep") for name in entities)]
    for depth in DEPTHS:
        yield from ((f"a member {depth} deep", partial(_deep, envelope, inside, depth)) for inside in places)
    yield "an event in place of an envelope", lambda: json.dumps(envelope["detail"])
    yield "an event as text", lambda: json.dumps({**envelope, "detail": json.dumps(envelope["detail"])})
    yield from (("no event", partial(str, one)) for one in NO_JSON)


def _with(envelope: Json, place: Place, value: Any) -> Callable[[], str]:  # noqa: ANN401
    return partial(_dumped, put, envelope, place, value)


def _dumped(change: Callable[..., Json], *given: Any) -> str:  # noqa: ANN401
    return json.dumps(change(*given))


def _deep(envelope: Json, inside: Place, depth: int) -> str:
    nested = '{"a":' * depth + "1" + "}" * depth
    return json.dumps(put(envelope, inside, DEEP)).replace(f'"{DEEP}"', nested)


def _places(content: Json, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in content.items():
        yield (*place, name), value
        if isinstance(value, dict) and name != "tags":
            yield from _places(value, (*place, name))


def _all_at(envelope: Json, at_ms: int) -> Json:
    """Let everything have happened at one time; beyond the year 9999 only the event itself."""
    changed: Json = json.loads(_TIME.sub(times.to_utc(min(at_ms, LATEST_MS)), json.dumps(envelope)))
    changed["detail"]["timestamp"] = at_ms
    return changed


def _without(content: Json, place: tuple[str, ...]) -> Json:
    name, *inner = place
    if inner:
        return {**content, name: _without(content[name], tuple(inner))}
    return {other: value for other, value in content.items() if other != name}


class HostileGroup(NamedTuple):
    """A group that nobody of us publishes: a detail, as JSON, and the machines of its facts, `good` or `bad` ones.

    A group that is not as we publish them is one fault, whole; a bad fact in a good group is a fault by itself.
    """

    kind: str
    detail: str
    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()


def hostile_groups() -> Iterator[HostileGroup]:
    """Yield the groups, each about machines of its own."""
    for number, (kind, members) in enumerate(_refused().items()):
        machine = f"{OURS}group-{number:02}"
        text = json.dumps(members).replace(json.dumps(MARK), json.dumps(_fact(machine)))
        yield HostileGroup(kind, text, bad=(machine,))
    first, odd, last = (f"{OURS}grouped-{name}" for name in ("first", "odd", "last"))
    bad = {**_fact(odd), "timestamp": "soon"}
    yield HostileGroup("a bad fact among others", _group(_fact(first), bad, _fact(last)), (first, last), (odd,))
    first, odd, last = (f"{OURS}typed-{name}" for name in ("first", "odd", "last"))
    bad = {**_fact(odd), "type": "nothing-happened"}
    yield HostileGroup("a fact of another type", _group(_fact(first), bad, _fact(last)), (first, last), (odd,))
    one = f"{OURS}group-doubled"
    yield HostileGroup("doubled members", f'{{"{GROUP}":2,"{FACTS}":[],{_group(_fact(one), _fact(one))[1:]}', (one,))
    one = f"{OURS}group-same"
    yield HostileGroup(f"{SAME} times the same fact", _group(*[_fact(one)] * SAME), (one,))


def _refused() -> dict[str, dict[str, Any]]:
    """Return groups with a fact in them, in the place of a mark, that are refused as a whole."""
    mark = MARK
    return {
        "another version": {GROUP: VERSION + 1, FACTS: [mark]},
        "a version that is true": {GROUP: True, FACTS: [mark]},
        "no version": {GROUP: None, FACTS: [mark]},
        "empty": {GROUP: VERSION, FACTS: [], "beside": mark},
        "without facts": {GROUP: VERSION, "beside": mark},
        "facts that are an object": {GROUP: VERSION, FACTS: mark},
        f"{MOST_FACTS + 1:,} facts": {GROUP: VERSION, FACTS: [mark, *[{}] * MOST_FACTS]},
        "huge": {GROUP: VERSION, FACTS: [mark, *[1] * NUMBERS]},
        "a group in a group": {GROUP: VERSION, FACTS: [{GROUP: VERSION, FACTS: [mark]}]},
        "a group beside a fact": {GROUP: VERSION, FACTS: [mark, {GROUP: VERSION, FACTS: [mark]}]},
        "a fact that is null": {GROUP: VERSION, FACTS: [mark, None]},
        "a fact that is a text": {GROUP: VERSION, FACTS: [mark, "x"]},
        "a fact that is a list": {GROUP: VERSION, FACTS: [mark, [mark]]},
    }


def _fact(machine: str) -> Json:
    fact: Json = about(machine)["detail"]
    return fact


def _group(*facts: Json) -> str:
    return json.dumps({GROUP: VERSION, FACTS: facts})
