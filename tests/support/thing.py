"""A thing at the emulator's broker, by paho: over a WebSocket, where no certificate is asked for."""

import json
from contextlib import AbstractContextManager
from typing import Any, Final, Self
from urllib.parse import urlsplit

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

WITHIN_S: Final = 15
AT_LEAST_ONCE: Final = 1


class Thing(AbstractContextManager["Thing"]):
    """Connected while the context lasts, by its own name."""

    def __init__(self, endpoint: str, name: str) -> None:
        self._port = urlsplit(endpoint).port or 0
        version = CallbackAPIVersion.VERSION2
        self._client = Client(version, name, protocol=MQTTProtocolVersion.MQTTv5, transport="websockets")
        self._client.ws_set_options("/mqtt", headers=self._headers)

    def __enter__(self) -> Self:
        self._client.connect("127.0.0.1", self._port)
        self._client.loop_start()
        return self

    def __exit__(self, *_: object) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def publish(self, topic: str, said: object) -> None:
        """Publish JSON, or bytes as they are, and wait until the broker has them."""
        payload = said if isinstance(said, bytes) else json.dumps(said)
        sent = self._client.publish(topic, payload, qos=AT_LEAST_ONCE)
        sent.wait_for_publish(WITHIN_S)
        assert sent.is_published()

    def _headers(self, usual: dict[str, Any]) -> dict[str, Any]:
        """Name the broker, and no page: paho names one."""
        named = {name: value for name, value in usual.items() if name != "Origin"}
        return {**named, "Host": f"a1-ats.iot.us-east-1.localhost:{self._port}"}
