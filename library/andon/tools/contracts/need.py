"""The need of a member: it is taken away and changed, and the consumer's real function is run. Pure.

| without it | with another value | the consumer |
|---|---|---|
| fails | | requires it |
| does something else | | loses something if it is gone |
| | fails | refuses the value |
| | does something else | keeps what it says |
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

from andon.runtime.json_types import JsonObject
from andon.tools.contracts import values
from andon.tools.contracts.members import ITEM, Member, Path, changed, values_at, with_member, without


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
        others = [values.others(value, member.schema) for value in values_at(event, path)]
        for name in others[0]:
            result = self._result(_with_other(event, path, others, name))
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
