"""SES, SNS and the hosts of webhooks, played on a port of this machine: they keep what they are sent.

What came in whole counts as told, whatever was answered: nobody can say that the person did not get it.
"""

import json
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, NamedTuple, Self
from urllib.parse import parse_qs

MAIL, SMS, WEBHOOK = "mail", "sms", "webhook"
_SES: Final = "/v2/email/outbound-emails"
_SNS: Final = (
    '<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult>'
    "<MessageId>{id}</MessageId></PublishResult></PublishResponse>"
)


class Got(NamedTuple):
    """A message that came in whole. address: of a webhook, its host and path. at: epoch seconds."""

    at: float
    channel: str
    address: str
    subject: str
    text: str
    status: int


@dataclass(slots=True)
class Behaviour:
    """Behaviour of a provider. late_s: says how long it thinks first, anew each time. location: of a redirect."""

    status: int = HTTPStatus.OK
    late_s: Callable[[], float] = field(default=lambda: 0.0)
    location: str = ""


class Providers(AbstractContextManager["Providers"]):
    """The providers of all channels, from the beginning of the block to its end."""

    def __init__(self) -> None:
        self._got: list[Got] = []
        self._turn, self._over = threading.Lock(), threading.Event()
        self._behaviours = {name: Behaviour() for name in (MAIL, SMS, WEBHOOK)}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._server.block_on_close = False

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Address that they listen on."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a sender that calls them."""
        return {
            "MAIL_FROM": "andon@example.com",
            "SMS_MOST_DOLLARS": "0.25",
            "WEBHOOK_HOSTS": "*.example.com",
            "OUTBOUND_SINK": self.url,
            "AWS_ENDPOINT_URL_SESV2": self.url,
            "AWS_ENDPOINT_URL_SNS": self.url,
        }

    def got(self, *channels: str, since: float = 0) -> list[Got]:
        """Return the messages that came by some channels, by default by all, since a time."""
        with self._turn:
            return [one for one in self._got if one.at >= since and (not channels or one.channel in channels)]

    def behave(self, channel: str, behaviour: Behaviour) -> None:
        """Answer so from now on."""
        self._behaviours[channel] = behaviour

    def take(self, path: str, body: bytes) -> tuple[Behaviour, bytes]:
        """Keep a message and return how it is answered."""
        channel, address, subject, text = _read(path, body)
        behaviour = self._behaviours[channel]
        with self._turn:
            self._got.append(Got(time.time(), channel, address, subject, text, behaviour.status))
            said = f"id-{len(self._got)}"
        self._over.wait(behaviour.late_s())
        answer = _SNS.format(id=said) if channel == SMS else json.dumps({"MessageId": said, "id": said})
        return behaviour, answer.encode()


def _read(path: str, body: bytes) -> tuple[str, str, str, str]:
    """Return the channel of a request, and the message's address, subject and text."""
    if path == "/":
        form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        subject, _, text = form["Message"].partition("\n")
        return SMS, form["PhoneNumber"], subject, text
    said: dict[str, Any] = json.loads(body)
    if path == _SES:
        simple = said["Content"]["Simple"]
        [address] = said["Destination"]["ToAddresses"]
        return MAIL, address, simple["Subject"]["Data"], simple["Body"]["Text"]["Data"]
    return WEBHOOK, path.removeprefix("/"), said["subject"], said["text"]


def _handler_of(providers: Providers) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if len(body) < int(self.headers["content-length"]):
                return  # whoever sent it was killed meanwhile
            behaviour, answer = providers.take(self.path, body)
            try:
                self.send_response(behaviour.status)
                if behaviour.location:
                    self.send_header("location", behaviour.location)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)
            except OSError:
                pass  # it does not wait any more

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
