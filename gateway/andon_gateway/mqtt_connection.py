"""One connection to a broker of MQTT 3.1.1, from the first word to the last; paho's reconnecting is not used."""

import contextlib
import secrets
import ssl
import time
from collections.abc import Callable, Sequence
from typing import Final

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.reasoncodes import ReasonCode

from andon_gateway.brokers import Broker, Tls

ANSWER_S: Final = 10.0
LOOK_S: Final = 0.25

Take = Callable[[str, bytes, bool], None]
"""Takes a message: topic (empty if it is no UTF-8), content, and True if the broker had kept it."""


class Lost(Exception):
    """There is no connection, or no longer; it says why."""


class Connection:
    """A client that is used once, by one thread; a broker that is silent for twice `keep_alive_s` is given up."""

    def __init__(
        self, broker: Broker, *, keep_alive_s: int, take: Take = lambda *_: None, answer_s: float = ANSWER_S
    ) -> None:
        """Prepare it."""
        self._broker = broker
        self._keep_alive_s = keep_alive_s
        self._take = take
        self._answer_s = answer_s
        self._is_connected = False
        self._subscribed: list[ReasonCode] | None = None
        self._acknowledged: set[int] = set()
        self._why: str | None = None
        self._client = self._new_client()

    def _new_client(self) -> Client:
        id_ = self._broker.client_id or f"andon-gateway-{secrets.token_hex(4)}"
        client = Client(CallbackAPIVersion.VERSION2, id_, clean_session=True, reconnect_on_failure=False)
        client.connect_timeout = self._answer_s
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_publish = self._on_publish
        client.on_message = self._on_message
        client.on_disconnect = self._on_disconnect
        return client

    def open(self, filters: Sequence[str] = ()) -> None:
        """Connect, and subscribe with QoS 1.

        Raises:
            Lost: the broker does not let us, or does not answer.
            OSError: it cannot be reached, or a file not be read.

        """
        if self._broker.tls:
            self._client.tls_set_context(_context(self._broker.tls))
        if self._broker.user and self._broker.password_file:
            password = self._broker.password_file.read_text().strip()
            self._client.username_pw_set(self._broker.user, password)
        self._client.connect(self._broker.host, self._broker.port, self._keep_alive_s)
        self.wait(lambda: self._is_connected, "CONNECT")
        if filters:
            self._client.subscribe([(one, 1) for one in filters])
            self.wait(lambda: self._subscribed is not None, "SUBSCRIBE")
        refused = [one for one, code in zip(filters, self._subscribed or (), strict=False) if code.is_failure]
        if refused:
            raise Lost(f"the broker refused to subscribe to {', '.join(refused)}")

    def step(self, seconds: float = LOOK_S) -> None:
        """Read and write for so long, or less.

        Raises:
            Lost: the connection is.

        """
        code = self._client.loop(seconds)
        if code != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise Lost(self._why or f"the connection was lost: {code.name}")

    def publish(self, topic: str, content: bytes) -> None:
        """Publish with QoS 0.

        Raises:
            Lost: the connection is.

        """
        if self._client.publish(topic, content, qos=0).rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise Lost("the connection was lost")

    def deliver(self, topic: str, content: bytes) -> None:
        """Publish with QoS 1, and return when the broker has acknowledged it.

        Raises:
            Lost: it has not, or the connection is.

        """
        number = self._client.publish(topic, content, qos=1).mid
        self.wait(lambda: number in self._acknowledged, "PUBLISH")
        self._acknowledged.clear()

    def wait(self, is_there: Callable[[], bool], what: str) -> None:
        """Read and write until something is there.

        Raises:
            Lost: it is not in time, or the connection is.

        """
        ends_s = time.monotonic() + self._answer_s
        while not is_there():
            left_s = ends_s - time.monotonic()
            if left_s <= 0:
                raise Lost(f"no answer to {what} within {self._answer_s:g} s")
            self.step(min(left_s, LOOK_S))

    def close(self) -> None:
        """Disconnect, if there is a connection."""
        with contextlib.suppress(OSError, ValueError):
            self._client.disconnect()
            self._client.loop(0)

    def _on_connect(self, _client: Client, _data: object, _flags: object, code: ReasonCode, _more: object) -> None:
        self._is_connected = not code.is_failure
        if code.is_failure:
            self._why = f"the broker refused the connection: {code}"

    def _on_disconnect(self, _client: Client, _data: object, _flags: object, code: ReasonCode, _more: object) -> None:
        self._why = self._why or f"the connection was lost: {code}"

    def _on_subscribe(
        self, _client: Client, _data: object, _number: int, codes: list[ReasonCode], _more: object
    ) -> None:
        self._subscribed = codes

    def _on_publish(self, _client: Client, _data: object, number: int, _code: object, _more: object) -> None:
        self._acknowledged.add(number)

    def _on_message(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        try:
            topic = message.topic
        except UnicodeDecodeError:  # raised, it would end the connection; kept by the broker, each one after that, too
            topic = ""
        self._take(topic, bytes(message.payload), message.retain)


def _context(tls: Tls) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=tls.ca)
    if tls.certificate and tls.key:
        context.load_cert_chain(tls.certificate, tls.key)
    if tls.alpn:
        context.set_alpn_protocols(tls.alpn)
    return context
