"""What a view keeps of one event."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from patterns.events.domain_event import DomainEvent
from patterns.rules.stored_event import Collected
from patterns.runtime.errors import Poison


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewUpdate:
    """A write of one row, under one oplock.

    key: the row's primary key, all text.
    key_fields: what derives from the key; every type writes it, so that indexes see the row whichever event came first.
    fields: the whole set that `oplock` guards; `None` removes the attribute. Sets under different oplocks are disjoint.
    """

    key: Mapping[str, Any]
    fields: Mapping[str, Any]
    oplock: str
    key_fields: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in self.key.items():
            if not isinstance(value, str) or not value:
                raise Poison(f"key attribute {name} must be text")


On = Mapping[tuple[str, str], Callable[[DomainEvent], ViewUpdate]]
"""`(source, type)` -> what the view keeps of it."""

Heard = Mapping[tuple[str, str], Callable[[DomainEvent], ViewUpdate | Collected]]
"""`(source, type)` -> what a control service keeps of it: fields of a row, or the whole event, for its rules."""
