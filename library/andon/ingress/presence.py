"""Presence of clients, as the broker tells it: one connected, or is gone. Pure.

Messages come late, twice and in any order. Their times are of clocks that differ by up to two minutes, so that those of
a quick reconnect may be the wrong way round; versions count connections, and begin again after an hour offline.
https://docs.aws.amazon.com/iot/latest/developerguide/life-cycle-events.html
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from andon.ingress.names import SEPARATOR, name_in
from andon.runtime import strict_json
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonObject
from andon.runtime.strict_json import is_whole

CONNECTED, DISCONNECTED = "connected", "disconnected"
HAPPENINGS: Final = (CONNECTED, DISCONNECTED)

# The same client connected once more: that connection goes on.
TAKEN_OVER: Final = "DUPLICATE_CLIENTID"

_PRESENCE: Final = "presence"

TOPIC: Final = "$aws/events/presence/{happening}/+"
SQL: Final = (
    "SELECT eventType AS presence, clientId AS client, timestamp AS at, versionNumber AS version, "
    "disconnectReason AS reason FROM '{topic}' WHERE regexp_matches(clientId, '^{root}{separator}')"
)
"""The statement of a rule: of all clients of an account, those of one deployment."""

CLOCKS_APART_MS: Final = 5 * 60_000
"""Two times that are farther apart are in order: more than two clocks can differ, less than until versions restart."""


class Presence(NamedTuple):
    """A thing that connected, or is gone.

    thing: its name on the broker. name: that within the deployment. at_ms: when, in epoch milliseconds. version: the
    broker's number of the connection. reason: why it is gone, in the broker's words.
    """

    thing: str
    name: str
    is_connected: bool
    at_ms: int
    version: int
    reason: str | None

    def is_after(self, *, at_ms: int, version: int, is_connected: bool) -> bool:
        """Compare it with another one of the same thing; a connection begins before it ends."""
        if abs(self.at_ms - at_ms) > CLOCKS_APART_MS:
            return self.at_ms > at_ms
        return (self.version, is_connected) > (version, self.is_connected)


def sql_of(happening: str, root: str) -> str:
    """Return the statement of the rule about a happening."""
    return SQL.format(topic=TOPIC.format(happening=happening), root=root, separator=SEPARATOR)


def about_client(body: str) -> JsonObject | None:
    """Return the members of a queue's message if it is about a client; None: it is from one, or is no message."""
    if f'"{_PRESENCE}"' not in body:
        return None
    try:
        members = strict_json.loads(body)
    except ValueError:
        return None
    return members if isinstance(members, dict) and _PRESENCE in members else None


def from_members(members: Mapping[str, object], root: str) -> Presence | None:
    """Read a message about a client; None: the same client is connected anew.

    Raises:
        Poison: it does not say what it should, or is about a client of another deployment.

    """
    happening, client, reason = (members.get(name) for name in (_PRESENCE, "client", "reason"))
    at_ms, version = members.get("at"), members.get("version", 0)
    if happening not in HAPPENINGS or not isinstance(client, str) or not is_whole(at_ms) or not is_whole(version):
        raise Poison("not a message about a client")
    if (name := name_in(root, client)) is None:
        raise Poison(f"{client} is no thing of {root}")
    if reason == TAKEN_OVER:
        return None
    why = reason if happening == DISCONNECTED and isinstance(reason, str) else None
    return Presence(client, name, happening == CONNECTED, at_ms, version, why)
