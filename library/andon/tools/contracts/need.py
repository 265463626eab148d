"""The need of a member: it is taken away and changed, and the consumer's real function is run. Pure.

| without it | with another value | the consumer |
|---|---|---|
| fails | | requires it |
| does something else | | loses something if it is gone |
| | fails | refuses the value |
| | does something else | keeps what it says |
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any, Final, NamedTuple

from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.runtime.json_types import JsonObject
from andon.tools.contracts.members import ITEM, Member, Path, alternatives_of, changed, values_at, with_member, without

# Other values than the one that a member has: what a publisher might say instead. Pure.

NULL: Final = "null"
KINDS: Final[Mapping[str, Any]] = {
    NULL: None,
    "a text": "text",
    "a number": 7,
    "a truth value": True,
    "a list": [],
    "an object": {},
}
"""A value of each kind that JSON has, by its name."""

FRACTION: Final = "a fraction"
ANOTHER_TEXT: Final = "another text"
MORE: Final = "a member that is not known"

_UTC: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


def kind_of(value: object) -> str:
    """Return the kind of a value."""
    for kind, types in _TYPES.items():
        if isinstance(value, types):
            return kind
    raise TypeError(f"{type(value).__name__} is nothing in JSON")


_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {  # a truth value is an int, too
    NULL: type(None),
    "a text": str,
    "a truth value": bool,
    "a number": (int, float),
    "a list": list,
    "an object": dict,
}


def literals_of(schema: JsonObject) -> list[Any]:
    """Return the values that a schema lists."""
    return [value for one in alternatives_of(schema) for value in one.get("enum", ())]


def literal(value: object) -> str:
    """Return the name of a value that a schema lists."""
    return json.dumps(value, ensure_ascii=False)


def others(value: Any, schema: JsonObject) -> dict[str, Any]:  # noqa: ANN401  any JSON
    """Return other values, by names: of each other kind, near ones of its own, and those that its schema lists."""
    kind = kind_of(value)
    of_kinds = {name: one for name, one in KINDS.items() if name != kind}
    listed = {literal(one): one for one in literals_of(schema) if one != value}
    return {**of_kinds, **dict(_near(value)), **listed}


def _near(value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    match value:
        case bool():
            yield "the other truth value", not value
        case str():
            yield from _near_text(value)
        case int() | float():
            yield from (("one more", value + 1), ("one less", value - 1), ("zero", 0), (FRACTION, value + 0.5))
        case list():
            yield "an empty list", []
        case dict():
            yield from (("an empty object", {}), (MORE, {**value, "notKnown": "text"}))


def _near_text(value: str) -> Iterator[tuple[str, str]]:
    yield "an empty text", ""
    if _UTC.fullmatch(value):
        yield "another time", times.to_utc(times.to_ms(value) + 61_000)
        yield "a time without milliseconds", f"{value[:-5]}Z"
    elif _DAY.fullmatch(value):
        yield "another day", times.to_utc(times.to_ms(f"{value}T00:00:00.000Z") + DAY_MS)[:10]
    yield ANOTHER_TEXT, f"{value[:-1]}{_next(value[-1:])}"


def _next(character: str) -> str:
    """Return another character of the same kind, so that the text is one of the same form."""
    for kind in (ascii_lowercase[:6], ascii_lowercase, ascii_uppercase, digits):  # hexadecimal digits, first
        if character and character in kind:
            return kind[(kind.index(character) + 1) % len(kind)]
    return "x"


class ConsumerRefusal(NamedTuple):
    """A consumer fails at what it was given."""

    error: str


Result = object
"""What a consumer makes of an event, or `ConsumerRefusal`; two of them can be compared."""

Said = JsonObject | list[JsonObject]
"""An event on the wire; or all events of a type that are stored together, which change together."""

Run = Callable[[Said], Result]


class LostMember(StrEnum):
    """The effect of a member that is gone."""

    REQUIRED = "required"
    LOST = "lost"
    UNUSED = "unused"


class Need(NamedTuple):
    """The need of a member. keeps: what it says makes a difference. refuses: names of other values; see `values`."""

    gone: LostMember
    keeps: bool = False
    refuses: frozenset[str] = frozenset()

    @property
    def is_any(self) -> bool:
        """True if the consumer reads the member at all."""
        return self != UNUSED

    def __or__(self, other: "Need") -> "Need":
        """Return the need of both, as of two events of a type."""
        gone = next(one for one in LostMember if one in {self.gone, other.gone})
        return Need(gone, self.keeps or other.keeps, self.refuses | other.refuses)


UNUSED: Final = Need(LostMember.UNUSED)

Needs = Mapping[Path, Need]


def run_of(function: Callable[[Any], object]) -> Run:
    """Return a run that tells a failure from other results."""

    def run(event: Said) -> Result:
        try:
            return repr(function(event))
        except Exception as error:  # noqa: BLE001  whatever it fails at, it would fail at for ever
            return ConsumerRefusal(f"{type(error).__name__}: {error}")

    return run


class Probe:
    """Runs a consumer on an event with one member changed at a time; `runs`: how often."""

    def __init__(self, run: Run, event: Said, members: Mapping[Path, Member], examples: Mapping[Path, Any]) -> None:
        self._run, self._event, self._members, self._examples = run, event, members, examples
        self.runs = 0

    def needs(self) -> dict[Path, Need]:
        """Return the need of each member that the consumer reads; of none if it fails at the event as it is."""
        usual = self._result(self._event)
        if isinstance(usual, ConsumerRefusal):
            return {}
        found: dict[Path, Need] = {}
        for path, member in self._members.items():  # each behind the one that it is in
            is_looked_into = path[:-1] not in found or found[path[:-1]].is_any
            found[path] = (is_looked_into and self._need(path, member, usual)) or UNUSED
        return {path: need for path, need in found.items() if need.is_any}

    def _need(self, path: Path, member: Member, usual: Result) -> Need | None:
        """Return the need of a member; of one that the event has not, as if it had the example."""
        if values_at(self._event, path):
            gone = LostMember.UNUSED if path[-1] == ITEM else self._gone(without(self._event, path), usual)
            return self._with_others(self._event, path, member, usual, gone)
        if path not in self._examples:
            return None
        event = with_member(self._event, path, self._examples[path])
        told = self._result(event)
        if not values_at(event, path) or isinstance(told, ConsumerRefusal):
            return None
        return self._with_others(event, path, member, told, LostMember.UNUSED if told == usual else LostMember.LOST)

    def _with_others(self, event: Said, path: Path, member: Member, usual: Result, gone: LostMember) -> Need:
        keeps, refuses = False, set[str]()
        unlike = [others(value, member.schema) for value in values_at(event, path)]
        for name in unlike[0]:
            result = self._result(_with_other(event, path, unlike, name))
            if isinstance(result, ConsumerRefusal):
                refuses.add(name)
            elif result != usual:
                keeps = True
        return Need(gone, keeps, frozenset(refuses))

    def _gone(self, event: Said, usual: Result) -> LostMember:
        result = self._result(event)
        if isinstance(result, ConsumerRefusal):
            return LostMember.REQUIRED
        return LostMember.UNUSED if result == usual else LostMember.LOST

    def _result(self, event: Said) -> Result:
        self.runs += 1
        return self._run(event)


def _with_other(event: Said, path: Path, others: Sequence[Mapping[str, Any]], name: str) -> Said:
    """Return an event with the other value of that name; an item of another kind than the first stays as it is."""
    in_order = iter(others)
    altered: Said = changed(event, path, lambda value: next(in_order).get(name, value))
    return altered


def together(needs: Iterable[Mapping[Path, Need]]) -> dict[Path, Need]:
    """Return the needs of several events of a type."""
    found: dict[Path, Need] = {}
    for path, need in (item for one in needs for item in one.items()):
        found[path] = found[path] | need if path in found else need
    return found
