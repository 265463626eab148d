"""Counts of a pass over a store."""

from dataclasses import dataclass


@dataclass(slots=True)
class SweepCounts:
    """seen: rows, objects or messages. found: mentions that are, or would be, replaced. kept: those that stay."""

    seen: int = 0
    found: int = 0
    kept: int = 0

    def add(self, found: int, kept: int) -> None:
        """Count a row, an object or a message."""
        self.seen += 1
        self.found += found
        self.kept += kept
