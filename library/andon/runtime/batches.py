"""Entries -> requests that AWS takes: so many entries, and so many bytes, at the most. Pure."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

Entry = TypeVar("Entry")


def batches(sized: Iterable[tuple[Entry, int]], *, most: int, most_bytes: int) -> Iterator[list[Entry]]:
    """Split entries, each with its bytes, in their order; one that is too large by itself is a batch of its own."""
    batch, size = list[Entry](), 0
    for entry, more in sized:
        if batch and (len(batch) == most or size + more > most_bytes):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += more
    if batch:
        yield batch
