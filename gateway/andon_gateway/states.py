"""Values -> state of a machine: the first rule that holds, with hysteresis. Pure.

Each rule is a latch of its own, whatever the others say. It closes when its `when` has held for `for_ms`, and opens
when its `until` holds, or, without one, when its `when` does not. The state is that of the first closed latch. If a
rule before it is unknown, so is the state, and nothing is reported.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from andon_gateway.conditions import Condition, Value
from andon_gateway.detail import Detail


class Rule(NamedTuple):
    """A state, and when a machine is in it; `when` None: always."""

    state: str
    when: Condition | None = None
    until: Condition | None = None
    for_ms: int = 0
    detail: Detail | None = None


class NoSignal(NamedTuple):
    """The state of a machine that was unknown for so long."""

    after_ms: int
    state: str


class Machine(NamedTuple):
    """Rules by which a machine has its state; repeat_ms: after so long an unchanged state is reported again."""

    rules: tuple[Rule, ...]
    repeat_ms: int | None = None
    no_signal: NoSignal | None = None


class Latch(NamedTuple):
    """Memory of a rule; since_ms: since when its `when` has held, while it is open."""

    is_closed: bool = False
    since_ms: int | None = None


class Memory(NamedTuple):
    """Memory of a machine. at_ms: of the newest step; unknown_since_ms: of its state."""

    latches: tuple[Latch, ...]
    state: str | None = None
    reported_ms: int = 0
    at_ms: int = 0
    unknown_since_ms: int | None = None


class Report(NamedTuple):
    """A state to be reported."""

    state: str
    at_ms: int
    detail: str | None = None


def remembered(machine: Machine, state: str | None, reported_ms: int) -> Memory:
    """Return the memory of a machine that last reported `state`.

    The first rule of that state is closed. Else a value between `when` and `until` would end the state at a restart.
    """
    first = next((number for number, rule in enumerate(machine.rules) if rule.state == state), None)
    latches = tuple(Latch(is_closed=number == first) for number in range(len(machine.rules)))
    return Memory(latches, state, reported_ms, reported_ms)


def kinds_of(machine: Machine) -> Mapping[str, type]:
    """Return the kind of value that the rules want under each name, see `Condition.kinds`; not where they want both."""
    conditions = [one for rule in machine.rules for one in (rule.when, rule.until) if one]
    wanted = {pair for one in conditions for pair in one.kinds()}
    return {name: kind for name, kind in wanted if (name, str if kind is float else float) not in wanted}


def step(machine: Machine, memory: Memory, values: Mapping[str, Value], at_ms: int) -> tuple[Memory, Report | None]:
    """Return a machine's memory after values of a time, and the report that is due; time never goes back."""
    now_ms = max(at_ms, memory.at_ms)
    judged = [_judged(*one, values, now_ms) for one in zip(machine.rules, memory.latches, strict=True)]
    memory = memory._replace(latches=tuple(latch for latch, _ in judged), at_ms=now_ms)
    for rule, (_, truth) in zip(machine.rules, judged, strict=True):
        if truth is None:
            break
        if truth:
            detail = rule.detail.of(values) if rule.detail else None
            return _reported(machine, memory._replace(unknown_since_ms=None), Report(rule.state, now_ms, detail))
    since_ms = now_ms if memory.unknown_since_ms is None else memory.unknown_since_ms
    memory = memory._replace(unknown_since_ms=since_ms)
    if machine.no_signal and now_ms - since_ms >= machine.no_signal.after_ms:
        return _reported(machine, memory, Report(machine.no_signal.state, now_ms))
    return memory, None


def due_ms(machine: Machine, memory: Memory) -> int | None:
    """Return when the machine has to be stepped without new values; None: never."""
    return min(_due(machine, memory), default=None)


def _due(machine: Machine, memory: Memory) -> Iterator[int]:
    for rule, latch in zip(machine.rules, memory.latches, strict=True):
        if latch.since_ms is not None:
            yield latch.since_ms + rule.for_ms
    silent = machine.no_signal
    if silent and memory.unknown_since_ms is not None and memory.state != silent.state:
        yield memory.unknown_since_ms + silent.after_ms
    is_spoken_for = memory.unknown_since_ms is None or (silent is not None and memory.state == silent.state)
    if machine.repeat_ms and memory.state is not None and is_spoken_for:
        yield memory.reported_ms + machine.repeat_ms


def _judged(rule: Rule, latch: Latch, values: Mapping[str, Value], now_ms: int) -> tuple[Latch, bool | None]:
    when = True if rule.when is None else rule.when.holds(values)
    if latch.is_closed:
        ended = rule.until.holds(values) if rule.until else (None if when is None else not when)
        return (Latch(), False) if ended else (latch, None if ended is None else True)
    if not when:
        return Latch(), when
    since_ms = now_ms if latch.since_ms is None else latch.since_ms
    if now_ms - since_ms >= rule.for_ms and not (rule.until and rule.until.holds(values)):
        return Latch(is_closed=True), True
    return Latch(since_ms=since_ms) if now_ms - since_ms < rule.for_ms else Latch(), False


def _reported(machine: Machine, memory: Memory, report: Report) -> tuple[Memory, Report | None]:
    is_again = machine.repeat_ms and report.at_ms - memory.reported_ms >= machine.repeat_ms
    if report.state == memory.state and not is_again:
        return memory, None
    return memory._replace(state=report.state, reported_ms=report.at_ms), report
