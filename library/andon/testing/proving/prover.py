"""A prover: parts of a story, proved over worlds by seeds; what they found, and how to see it again.

A project keeps its provers in `lab/`: each is a module with `PARTS`, by name, and if it needs them `OUTSIDE`, which
makes the hosts of others for one part, and `VARIABLES` of all handlers. One that needs less than a world, or more, says
its own `WORLD`: what opens it in memory.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from random import Random
from types import ModuleType
from typing import Any, Final, NamedTuple, Protocol

from andon.testing.proving.memory import InMemory
from andon.testing.proving.world import NO_FAULTS, Faults, LivingWorld, Outside, nobody

_SHOWN: Final = 400  # characters of what shows a finding
_SURE: Final = 0.001
"""A fault that dice miss less often than this was not missed by them."""


class Record:
    """Sentences that were tried, how often each did not hold, the first thing that shows it, and notes."""

    def __init__(self) -> None:
        self.tried, self.broken = Counter[str](), Counter[str]()
        self.shown, self.notes = dict[str, str](), list[str]()
        self.part, self.seed = "", 0

    def expect(self, sentence: str, held: object, seen: object = "") -> None:
        """Count a sentence; `seen` shows why it did not hold."""
        name = f"{self.part}: {sentence}"
        self.tried[name] += 1
        if not held:
            self.broken[name] += 1
            self.shown.setdefault(name, f"seed {self.seed}: {seen}"[:_SHOWN])

    def note(self, text: object) -> None:
        """Add a line about this part."""
        self.notes.append(f"{self.part}: {text}")

    def text(self) -> str:
        """Return notes, findings and counts."""
        found = (
            f"BROKEN  {name} ({times} of {self.tried[name]} times)\n        {self.shown[name]}"
            for name, times in self.broken.items()
        )
        return "\n".join([*self.notes, *found, f"{self.tried.total()} tried, {self.broken.total()} broken"])


class ProvedPart(NamedTuple):
    """A part of a prover. in_memory, deployed: the worlds in which it can be proved."""

    prove: Callable[[Any, Random, Record], None]
    faults: Faults = NO_FAULTS
    in_memory: bool = True
    deployed: bool = True


class Prover(NamedTuple):
    """The content of a prover: parts by name, the hosts of others for one of them, variables of all handlers.

    world: opens it in memory.
    """

    parts: Mapping[str, ProvedPart]
    outside: Callable[[Random], Outside] = lambda _: nobody
    variables: Mapping[str, str] = {}
    world: "Opened" = InMemory

    @classmethod
    def of(cls, module: ModuleType) -> "Prover":
        """Return the prover that a module of `lab/` is."""
        given = {
            name.lower(): getattr(module, name) for name in ("OUTSIDE", "VARIABLES", "WORLD") if hasattr(module, name)
        }
        return cls(module.PARTS, **given)


class Opened(Protocol):
    """Begins a world for one part."""

    def __call__(
        self, dice: Random, faults: Faults, *, outside: Outside, variables: Mapping[str, str]
    ) -> AbstractContextManager[Any]:
        """Return the world."""
        ...


def prove(
    prover: Prover, *, seeds: Iterable[int] = (1,), only: Sequence[str] = (), deployed: Opened | None = None
) -> Record:
    """Prove parts, by default all, each for each seed in a world of its own: in memory, or deployed."""
    record = Record()
    for name in only or prover.parts:
        part, counted = prover.parts[name], _Counted()
        record.part = name
        if not (part.deployed if deployed else part.in_memory):
            record.note(f"is proved {'in memory' if deployed else 'deployed'} only")
            continue
        for seed in seeds:
            record.seed, dice = seed, Random(f"{name} {seed}")  # noqa: S311  no secrets
            opened = deployed or prover.world
            with opened(dice, part.faults, outside=prover.outside(dice), variables=prover.variables) as world:
                _try(part, world, dice, record)
                counted.add(world)
        counted.judge(part.faults, world.makes, record)
    return record


def _try(part: ProvedPart, world: object, dice: Random, record: Record) -> None:
    try:
        part.prove(world, dice, record)
    except Exception as error:  # noqa: BLE001  other parts and seeds are to be tried
        record.expect("it can be tried", held=False, seen=f"{type(error).__name__}: {error}")


class _Counted:
    """Faults of a part over all seeds of a run: one that was declared and never happened proves nothing.

    A single seed may have missed it by its dice, if there were occasions; then it says so, and does not fail.
    """

    def __init__(self) -> None:
        self._seeds, self._counts, self._occasions = 0, Counter[str](), Counter[str]()

    def add(self, world: LivingWorld) -> None:
        self._seeds += 1
        self._counts += world.counts
        self._occasions += world.occasions

    def judge(self, faults: Faults, makes: frozenset[str], record: Record) -> None:
        for fault, share in faults.shares().items():
            if fault in makes:
                number = self._occasions[fault]
                said = f"{fault}: {self._counts[fault]} of {number}"
                record.note(said)
                is_missed = self._seeds == 1 and number > 0 and (1 - share) ** number >= _SURE
                record.expect("its faults happen", self._counts[fault] or is_missed, said)
