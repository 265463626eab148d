"""A thing at the emulator's broker, by paho: over TLS with a certificate, or over a WebSocket without one."""

import json
import ssl
from contextlib import AbstractContextManager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, Self
from urllib.parse import urlsplit

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from andon.tools.stack.processes import PATIENCE_S
from andon.tools.thing.certificate import CERTIFICATE, KEY, SIGNERS

AT_LEAST_ONCE: Final = 1
FAILED: Final = 0x80


class Refused(Exception):
    """The broker does not let it do that."""


class Thing(AbstractContextManager["Thing"]):
    """Connected while the context lasts; a connection that the broker ends stays so.

    Raises:
        Refused: the broker does not take it, or ends its connection.

    """

    def __init__(self, client: Client, port: int) -> None:
        self._client, self._port = client, port
        self._said = SimpleQueue[tuple[str, int]]()
        client.on_connect = lambda _client, _data, _flags, reason, _more: self._said.put(("connected", reason.value))
        client.on_publish = lambda _client, _data, _id, reason, _more: self._said.put(("published", reason.value))
        client.on_subscribe = lambda _client, _data, _id, codes, _more: self._said.put(("subscribed", codes[0].value))
        client.on_disconnect = lambda _client, _data, _flags, reason, _more: self._said.put(("ended", reason.value))

    def __enter__(self) -> Self:
        try:
            self._client.connect("127.0.0.1", self._port)
        except (ssl.SSLError, ConnectionError) as error:
            raise Refused(str(error)) from error
        self._client.loop_start()
        try:
            self._wait_for("connected")
        except BaseException:
            self._client.loop_stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def publish(self, topic: str, said: object, *, retain: bool = False) -> None:
        """Publish JSON, or bytes as they are, and wait until the broker has them."""
        self._client.publish(topic, said if isinstance(said, bytes) else json.dumps(said), AT_LEAST_ONCE, retain)
        self._wait_for("published")

    def subscribe(self, topic_filter: str) -> None:
        """Subscribe, and wait until the broker has granted it."""
        self._client.subscribe(topic_filter, AT_LEAST_ONCE)
        self._wait_for("subscribed")

    def _wait_for(self, what: str) -> None:
        try:
            said, reason = self._said.get(timeout=PATIENCE_S)
        except Empty:
            raise Refused(f"not {what} within {PATIENCE_S:.0f} s") from None
        if said != what or reason >= FAILED:
            raise Refused(f"{said}: {reason:#x}")


def without_certificate(endpoint: str, name: str) -> Thing:
    """Return a thing that connects over a WebSocket."""
    port = urlsplit(endpoint).port or 0

    def headers(usual: dict[str, Any]) -> dict[str, Any]:
        """Name the broker, and no page: paho names one."""
        named = {header: value for header, value in usual.items() if header != "Origin"}
        return {**named, "Host": f"a1-ats.iot.us-east-1.localhost:{port}"}

    client = _client(name, transport="websockets")
    client.ws_set_options("/mqtt", headers=headers)
    return Thing(client, port)


def with_certificate(port: int, name: str, folder: Path, *, of: Path | None, will: str | None = None) -> Thing:
    """Return a thing that connects over TLS and trusts what `folder` says; of: the folder of its certificate."""
    client = _client(name, transport="tcp")
    certificate, key = (str(of / file) if of else None for file in (CERTIFICATE, KEY))
    client.tls_set(str(folder / SIGNERS), certificate, key)
    if will:
        client.will_set(will, "{}", AT_LEAST_ONCE)
    return Thing(client, port)


def _client(name: str, *, transport: Any) -> Client:  # noqa: ANN401  a Literal that paho does not export
    version, protocol = CallbackAPIVersion.VERSION2, MQTTProtocolVersion.MQTTv5
    return Client(version, name, protocol=protocol, transport=transport, reconnect_on_failure=False)
