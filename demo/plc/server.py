"""An OPC UA server with the values of a press. A line on standard input turns one: `oil 81`, or `oil bad`.

`python -m demo.plc.server --port 4840`, and `--certificate FILE --key FILE` for an encrypted channel beside the
open one. It prints `ready`, and after each line `ok` or what was wrong with it.
"""

import argparse
import asyncio
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from asyncua import Node, Server, ua
from asyncua.crypto.permission_rules import User, UserRole

HOST: Final = "127.0.0.1"
NAMESPACE: Final = "urn:andon:plc"
URI: Final = "urn:andon:plc:server"


class Tag(NamedTuple):
    """A value of the press, and what it begins with."""

    node: str
    first: float | bool


TAGS: Final = {
    "oil": Tag("Press1.OilTemperature", 60.0),
    "mode": Tag("Press1.Mode", 1),
    "estop": Tag("Press1.EStop", first=False),
}


class OneUser:
    """Lets in who is anonymous, and one user."""

    def __init__(self, name: str, password: str) -> None:
        self._known = name, password

    def get_user(
        self, iserver: object, username: str | None = None, password: str | None = None, certificate: object = None
    ) -> User | None:
        """Return the user with a name and a password; None: there is none."""
        del iserver, certificate
        return User(role=UserRole.User) if username is None or (username, password) == self._known else None


async def serve(port: int, certificate: Path | None, key: Path | None, user: str | None) -> None:
    """Serve until standard input ends."""
    server = Server(user_manager=OneUser(*user.split(":", 1)) if user else None)
    await server.init()
    server.set_endpoint(f"opc.tcp://{HOST}:{port}")
    await server.set_application_uri(URI)
    await _secure(server, certificate, key)
    nodes = await _nodes(server)
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async with server:
        print("ready", flush=True)
        while line := (await lines.readline()).decode():
            print(await _turned(nodes, line), flush=True)


async def _secure(server: Server, certificate: Path | None, key: Path | None) -> None:
    server.set_security_policy([ua.SecurityPolicyType.NoSecurity])
    if certificate and key:
        policies = [ua.SecurityPolicyType.NoSecurity, ua.SecurityPolicyType.Basic256Sha256_SignAndEncrypt]
        server.set_security_policy(policies)
        await server.load_certificate(certificate)
        await server.load_private_key(key)


async def _nodes(server: Server) -> dict[str, Node]:
    """Add the nodes of the press; return them by the names of `TAGS`."""
    index = await server.register_namespace(NAMESPACE)
    press = await server.nodes.objects.add_object(index, "Press1")
    return {
        name: await press.add_variable(ua.NodeId(tag.node, index), tag.node, tag.first) for name, tag in TAGS.items()
    }


async def _turned(nodes: Mapping[str, Node], line: str) -> str:
    """Turn the value that a line names; return the answer to the line."""
    try:
        name, text = line.split()
        await nodes[name].write_value(value_of(text, TAGS[name].first))
    except (KeyError, ValueError):
        return f"turn one of {', '.join(TAGS)} by a line such as: oil 81, estop 1, oil bad"
    return "ok"


def value_of(text: str, first: float | bool) -> ua.DataValue:  # noqa: FBT001  of its kind
    """Return a value of the kind of a first one.

    Raises:
        ValueError: the text is none.

    """
    kind = {bool: ua.VariantType.Boolean, int: ua.VariantType.Int64, float: ua.VariantType.Double}[type(first)]
    now = datetime.now(UTC)
    if text == "bad":
        status = ua.StatusCode(ua.StatusCodes.BadSensorFailure)
        return ua.DataValue(ua.Variant(first, kind), status, SourceTimestamp=now)
    value = bool(int(text)) if isinstance(first, bool) else type(first)(text)
    return ua.DataValue(ua.Variant(value, kind), SourceTimestamp=now)


def main() -> None:
    """Serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=4840)
    parser.add_argument("--certificate", type=Path)
    parser.add_argument("--key", type=Path)
    parser.add_argument("--user", help="NAME:PASSWORD, the only one beside anonymous; without it all")
    chosen = parser.parse_args()
    asyncio.run(serve(chosen.port, chosen.certificate, chosen.key, chosen.user))


if __name__ == "__main__":
    main()
