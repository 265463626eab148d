"""A subscriber by MQTT over a WebSocket, as a screen is one."""

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Self
from urllib.parse import urlsplit

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

from andon.tools.stack.processes import PATIENCE_S


class Subscriber(AbstractContextManager["Subscriber"]):
    """Connected and subscribed while the context lasts, by what `GET /board/{company}/changes` answered."""

    def __init__(self, changes: dict[str, str]) -> None:
        self._changes, self._url = changes, urlsplit(changes["url"])
        self._messages: list[MQTTMessage] = []
        self._is_subscribed = False
        self._client = Client(CallbackAPIVersion.VERSION2, changes["clientId"], transport="websockets")
        self._client.ws_set_options(f"{self._url.path}?{self._url.query}", {"Host": self._url.netloc})
        self._client.on_connect = lambda client, *_: client.subscribe(changes["topic"], qos=1)
        self._client.on_subscribe = self._on_subscribe
        self._client.on_message = lambda _client, _data, message: self._messages.append(message)

    def __enter__(self) -> Self:
        # As browsers do, which take every name below `localhost` for this machine.
        self._client.connect("127.0.0.1", self._url.port or 443)
        self._wait(lambda: self._is_subscribed, within_s=PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._client.disconnect()

    def next(self, *, within_s: float = PATIENCE_S) -> tuple[str, dict[str, Any]]:
        """Return the topic and the body of the next message.

        Raises:
            TimeoutError: there is none in time.

        """
        self._wait(lambda: self._messages, within_s=within_s)
        message = self._messages.pop(0)
        body: dict[str, Any] = json.loads(message.payload)
        return message.topic, body

    def _on_subscribe(self, _client: Client, _data: object, _number: int, codes: list[Any], _more: object) -> None:
        self._is_subscribed = not codes[0].is_failure

    def _wait(self, holds: Callable[[], object], *, within_s: float) -> None:
        ends_s = time.monotonic() + within_s
        while not holds():
            if (left_s := ends_s - time.monotonic()) <= 0:
                raise TimeoutError
            code = self._client.loop(left_s)
            assert code == MQTTErrorCode.MQTT_ERR_SUCCESS, code.name
