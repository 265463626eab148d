"""Small worlds of two services, explored whole: every order in which edits are made and messages come."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from andon.sync.crossing import Edit
from andon.testing.memory.tables import Partitions
from toys.pair import NAMES, Name, Side
from toys.two_sides import TwoSides

Kind = Literal["put", "delete"]


class Planned(NamedTuple):
    """An edit that somebody is going to make, and what the clock of the service says then."""

    kind: Kind
    clock_ms: int


Plans = dict[Name, Sequence[Planned]]


class State(NamedTuple):
    """A state of the world.

    tables: rows by variable. done: the number of plans that were carried out. edits: those that were made, for a
    deletion of what is not there is none. waiting: messages that have not come yet, by who published them. came: those
    that have, which may come again.
    """

    tables: dict[str, Partitions]
    done: dict[Name, int]
    edits: tuple[Edit, ...]
    waiting: tuple[tuple[Name, str], ...]
    came: tuple[tuple[Name, str], ...]


class Explored(NamedTuple):
    """The number of states, and of those in which everything has come."""

    states: int
    ends: int


Check = Callable[[TwoSides, State], None]


def explore(sides: TwoSides, plans: Plans, *, at_end: Check, at_each: Check) -> Explored:
    """Visit every state that the plans can lead to; check each, and each in which nothing is on its way."""
    sides.clear()
    first = State(_tables(sides), dict.fromkeys(NAMES, 0), (), (), ())
    visited, to_visit, ends = {_identity(first)}, [first], 0
    while to_visit:
        state = to_visit.pop()
        _restore(sides, state)
        at_each(sides, state)
        if not state.waiting and all(state.done[name] == len(plans[name]) for name in NAMES):
            _restore(sides, state)
            at_end(sides, state)
            ends += 1
        for following in _following(sides, state, plans):
            identity = _identity(following)
            if identity not in visited:
                visited.add(identity)
                to_visit.append(following)
    return Explored(len(visited), ends)


def _following(sides: TwoSides, state: State, plans: Plans) -> Iterator[State]:
    for name in NAMES:
        if state.done[name] < len(plans[name]):
            _restore(sides, state)
            side = sides.sides[name]
            _carry_out(sides, side, plans[name][state.done[name]], label=f"{name}{state.done[name]}")
            done = {**state.done, name: state.done[name] + 1}
            yield _with_published(sides, side, state._replace(done=done))
    for number, (source, body) in enumerate(state.waiting):
        _restore(sides, state)
        reader = sides.sides[source].other
        sides.listen(reader, [body])
        waiting = (*state.waiting[:number], *state.waiting[number + 1 :])
        yield _with_published(sides, reader, state._replace(waiting=waiting, came=(*state.came, (source, body))))


def _carry_out(sides: TwoSides, side: Side, planned: Planned, *, label: str) -> None:
    """Make an edit upon what stands there, as somebody does who has just read it."""
    row = sides.row(side)
    is_there = row is not None and "deleted" not in row
    version = row["version"] if row is not None and is_there else None
    if planned.kind == "put":
        said = {"text": label} if side.name == "old" else {"lines": [label]}
        side.put("n", said, now_ms=planned.clock_ms, if_match=version)
    elif is_there:
        side.delete("n", now_ms=planned.clock_ms, if_match=version)


def _with_published(sides: TwoSides, side: Side, state: State) -> State:
    published = tuple((side.name, body) for body in sides.trigger(side, sides.records(side)))
    edits = (*state.edits, *sides.edits[side.name])
    return state._replace(tables=_tables(sides), edits=edits, waiting=(*state.waiting, *published))


def _tables(sides: TwoSides) -> dict[str, Partitions]:
    return {variable: table.partitions for variable, table in sides.world.tables.items()}


def _restore(sides: TwoSides, state: State) -> None:
    sides.clear()
    for variable, table in sides.world.tables.items():
        table.partitions = state.tables[variable]


def _identity(state: State) -> str:
    """Return a state's identity, without the ids of events: they differ from one way to the next."""
    rows = {variable: _plain(partitions) for variable, partitions in state.tables.items()}
    messages = [sorted(_meaning(*message) for message in some) for some in (state.waiting, state.came)]
    return json.dumps([rows, state.done, messages], sort_keys=True)


def _plain(partitions: Partitions) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in row.items() if name != "fingerprint"}
        for rows in partitions.values()
        for row in rows.values()
    ]


def _meaning(source: Name, body: str) -> str:
    detail = json.loads(body)["detail"]
    said = detail["note" if source == "old" else "page"]
    return json.dumps([source, detail["type"], detail["timestamp"], said], sort_keys=True)
