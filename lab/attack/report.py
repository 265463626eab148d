"""The record of an attack: attempts, and the findings among them."""

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

HEAD = f"{'part':<12}{'tried':>8}{'held':>8}{'broken':>8}"


class AttackFinding(NamedTuple):
    """Something that broke: how often, and how to see it again."""

    key: str
    times: int
    reproduction: str


@dataclass(slots=True)
class Record:
    """Counts what each part tried. A kind of attack that breaks something is a finding, `part: kind: effect`."""

    tried: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    kinds: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    _found: Counter[str] = field(default_factory=Counter)
    _reproductions: dict[str, str] = field(default_factory=dict)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def attempt(self, part: str, kind: str, effects: Mapping[str, str]) -> None:
        """Count one attempt; `effects` are what broke, each with its reproduction."""
        with self._turn:
            self.tried[part] += 1
            self.kinds.add(f"{part}: {kind}")
            self.broken[part] += bool(effects)
            for effect, reproduction in effects.items():
                key = f"{part}: {kind}: {effect}"
                self._found[key] += 1
                self._reproductions.setdefault(key, reproduction)

    def expect(self, part: str, kind: str, effect: str, *, held: bool, seen: str) -> None:
        """Count one attempt that has one way to break; `seen` is what shows it."""
        self.attempt(part, kind, {} if held else {effect: seen})

    @property
    def findings(self) -> list[AttackFinding]:
        """The findings, in the order in which they were made."""
        return [AttackFinding(key, self._found[key], shown) for key, shown in self._reproductions.items()]

    def unexplained(self, known: Mapping[str, str]) -> list[AttackFinding]:
        """Return the findings that nobody knows."""
        return [finding for finding in self.findings if finding.key not in known]

    def mended(self, known: Mapping[str, str]) -> list[str]:
        """Return the known findings that were tried and did not break any more."""
        return [key for key in known if key.rpartition(": ")[0] in self.kinds and key not in self._found]


def table(record: Record) -> str:
    """Lay the counts out, a line for each part."""
    rows = [
        f"{part:<12}{tried:>8}{tried - record.broken[part]:>8}{record.broken[part]:>8}"
        for part, tried in record.tried.items()
    ]
    tried, broken = record.tried.total(), record.broken.total()
    return "\n".join([HEAD, *rows, f"{'all':<12}{tried:>8}{tried - broken:>8}{broken:>8}", *record.notes])


def findings(record: Record, known: Mapping[str, str]) -> str:
    """Write a line for each kind that broke, with its reproduction, and one for each known that did not."""
    broke = [
        f"{'known ' if one.key in known else 'BROKEN'}  {one.key} ({one.times} times)\n        {one.reproduction}"
        for one in record.findings
    ]
    mended = [f"MENDED  {key}: it does not break any more; delete it from KNOWN" for key in record.mended(known)]
    return "\n".join(broke + mended)
