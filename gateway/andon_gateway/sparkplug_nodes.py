"""The edge nodes of a source of Sparkplug B: messages -> values, and commands that ask for births. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection

from andon_gateway.changes import Change
from andon_gateway.protobuf import Malformed
from andon_gateway.sparkplug import EdgeNode, Origin, origin_of_tag, read_topic, topics_of
from andon_gateway.sparkplug_payload import decode, rebirth


class Nodes:
    """The edge nodes that tags name. has_times: the source's count."""

    def __init__(self, tags: Collection[str], *, has_times: bool, counts: Counter[str]) -> None:
        """Know nothing yet."""
        self._has_times = has_times
        self._counts = counts
        by_node: defaultdict[Origin, list[str]] = defaultdict(list)
        for tag in tags:
            if origin := origin_of_tag(tag):
                by_node[origin.of_node].append(tag)
        self._nodes = {node: EdgeNode(node, of_node, counts) for node, of_node in by_node.items()}

    @property
    def filters(self) -> list[str]:
        """Filters of topics to subscribe to."""
        return sorted(topics_of(node)[0] for node in self._nodes)

    @property
    def trouble(self) -> str | None:
        """Which edge nodes are not there, or have to be born again."""
        unborn = sorted(origin.text for origin, node in self._nodes.items() if not node.is_born)
        return f"no birth of {', '.join(unborn)}" if unborn else None

    def take(self, topic: str, content: bytes, *, is_kept: bool, now_ms: int) -> list[Change]:  # noqa: ARG002  see Reader
        """Return the changes that a message makes; brokers never keep births, so a kept message is no birth of now."""
        found = read_topic(topic)
        node = self._nodes.get(found[1].of_node) if found else None
        if found is None or node is None or found[0].endswith("CMD"):
            return []
        if is_kept:
            self._counts["kept_ignored"] += 1
            return []
        try:
            changes = node.take(*found, decode(content))
        except Malformed:
            self._counts["malformed"] += 1
            changes = node.lose()
        return changes if self._has_times else [change._replace(source_ms=None) for change in changes]

    def tick(self, now_ms: int) -> list[Change]:  # noqa: ARG002  deaths say what is unknown
        """Return nothing: an edge node may be quiet while nothing changes."""
        return []

    def asks(self, *, now_ms: int, at_ms: int) -> list[tuple[str, bytes]]:
        """Return the commands that are due: topic and payload."""
        return [(topics_of(origin)[1], rebirth(at_ms)) for origin, node in self._nodes.items() if node.asks(now_ms)]

    def lose(self) -> list[Change]:
        """Take no value for known any more: the connection was lost."""
        return [change for node in self._nodes.values() for change in node.reset()]
