"""A screen's rows: the rule by which a page takes over pushed changes, in whatever order."""

from collections.abc import Iterable, Mapping
from typing import Any

Item = Mapping[str, Any]


class Screen:
    """The screen of a place: the items that it got, each with the greatest version so far, tombstones among them."""

    def __init__(self) -> None:
        self._got: dict[str, Item] = {}

    def take(self, messages: Iterable[Item]) -> "Screen":
        """Take messages over; what is older than what is there gives way."""
        for message in messages:
            known = self._got.get(message["equipmentId"])
            if known is None or message["version"] >= known["version"]:
                self._got[message["equipmentId"]] = message
        return self

    @property
    def shown(self) -> dict[str, Item]:
        """The items by equipment, as far as they are pushed at once: not the time of a repeated `NORMAL`."""
        return {name: as_pushed(item) for name, item in self._got.items() if not item.get("gone")}


def as_pushed(item: Item) -> Item:
    """Leave out what changes without being pushed."""
    unseen = {"version"} | ({"stateTimestamp"} if item["state"] == "NORMAL" else set())
    return {name: value for name, value in item.items() if name not in unseen}


def is_within(topic: str, topic_filter: str) -> bool:
    """Return True if a topic matches a filter that has a wildcard at its end only, as MQTT says."""
    if not topic_filter.endswith("/#"):
        return topic == topic_filter
    return f"{topic}/".startswith(topic_filter.removesuffix("#"))
