"""Groups that nobody of us publishes, on the bus and in a queue: good facts are kept, each bad one is a fault.

A group that is not as we publish them is one fault, whole; a bad fact in a good group is a fault by itself.
"""

import json
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from andon.events.group import FACTS, GROUP, MOST_FACTS, VERSION
from andon.tools.ops.redrive import QUEUE
from andon.tools.stack.processes import eventually
from lab.attack import events, poison, queues
from lab.attack.operations import OURS
from lab.attack.target import AttackTarget

PART: Final = "groups"
BOARD: Final = f"Board{QUEUE}"
WITHIN_S: Final = 300  # beside replays and looks for drift
SHOWS_S: Final = 5
SAME: Final = 300  # facts, in 200 KB
NUMBERS: Final = 100_000  # in 200 KB
SHOWN: Final = 700

Fact = dict[str, Any]


class HostileGroup(NamedTuple):
    """A detail, as JSON, and the machines of its facts: those that are `good`, and those that are `bad`."""

    kind: str
    detail: str
    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()


def attack(target: AttackTarget) -> None:
    """Put each group on the bus and into the board's queue, wait until all are dealt with, and look for their facts."""
    groups = [*hostile_groups()]
    with queues.impatient(target.stack):
        for group in groups:
            envelope = events.about(OURS) | {"detail": "@"}
            body = json.dumps(envelope).replace('"@"', group.detail)
            queues.send(target.stack, target.stack.outputs[BOARD], [body])
            queues.publish(target.stack, envelope, group.detail)
        drained = target.drained(within_s=WITHIN_S)
    target.record.expect(PART, "queues run dry", "some group is tried for ever", held=drained, seen="make attack")
    faults, dead = [*poison.faults(target)], queues.dead_letters(target.stack)
    for group in groups:
        _check(target, group, faults, dead)


def hostile_groups() -> Iterator[HostileGroup]:
    """Yield the groups, each about machines of its own."""
    for number, (kind, members) in enumerate(_refused().items()):
        machine = f"{OURS}group-{number:02}"
        text = json.dumps(members).replace(json.dumps(events.MARK), json.dumps(_fact(machine)))
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
    mark = events.MARK
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


def _fact(machine: str) -> Fact:
    fact: Fact = events.about(machine)["detail"]
    return fact


def _group(*facts: Fact) -> str:
    return json.dumps({GROUP: VERSION, FACTS: facts})


def _check(target: AttackTarget, group: HostileGroup, faults: list[str], dead: list[str]) -> None:
    """Look for each machine of a group: on the board if its fact is good, among the faults if it is bad."""
    machines = (*group.good, *group.bad)
    shown = {one for one in machines if _is_shown(target, one, within_s=SHOWS_S if one in group.good else 0)}
    wrong = {
        "a good fact is lost": {*group.good} - shown,
        "a bad fact is believed": {*group.bad} & shown,
        "a bad fact is no fault": {one for one in group.bad if not any(one in fault for fault in faults)},
        "a good fact is a fault": {one for one in group.good if _is_alone_in(faults, one, group.bad)},
        "a dead letter, not a fault": {one for one in machines if any(one in body for body in dead)},
    }
    seen = f"{group.detail[:SHOWN]}…  # {len(group.detail)} characters"
    target.record.attempt(PART, group.kind, {effect: f"{min(of)}: {seen}" for effect, of in wrong.items() if of})


def _is_alone_in(faults: list[str], machine: str, others: tuple[str, ...]) -> bool:
    return any(machine in fault and not any(other in fault for other in others) for fault in faults)


def _is_shown(target: AttackTarget, machine: str, *, within_s: float) -> bool:
    asked = target.operation(poison.BOARD).request({"id": machine})

    def found() -> bool:
        return target.send(asked).status == HTTPStatus.OK

    return eventually(found, within_s=within_s) if within_s else found()
