"""Updates of nested stacks in the emulator, which forgets the attributes of what an update leaves as it is.

Without them, whatever refers to an unchanged queue by its ARN or name fails the update of its nested stack. And a name
that is made with the seed of a bucket's would be another one at the next update: functions would be replaced.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

Updated = tuple[str, dict[str, Any]]
"""A resource's physical id and its attributes."""
Properties = dict[str, Any]


def remembering(update: Callable[..., Updated], stacks: Mapping[str, Any]) -> Callable[..., Updated]:
    """Return the emulator's update of one resource, with the attributes that the resource had.

    stacks: the emulator's stacks, by name.
    """

    def updated(kind: str, made: str, before: Properties, after: Properties, stack: str, logical_id: str) -> Updated:
        known = stacks[stack]["_resources"].get(logical_id, {}).get("Attributes", {})
        now, attributes = update(kind, made, before, after, stack, logical_id, known)
        return now, {**(known if now == made else {}), **attributes}

    return updated


def apart(create: Callable[..., Updated], seed: ContextVar[str]) -> Callable[..., Updated]:
    """Return the emulator's creation of one resource, of which no seed of a name is left for the next one."""

    def created(*resource: object) -> Updated:
        before = seed.set("")
        try:
            return create(*resource)
        finally:
            seed.reset(before)

    return created
