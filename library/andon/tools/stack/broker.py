"""The emulator's broker for things: MQTT over TLS, on this machine alone, where certificates and their policies count.

The emulator's own listener binds every address, whatever it is told, serves who shows no certificate, and asks for
policies only where all of AWS asks for signatures. So it stays off, and this one begins when it is first asked for:
`GET /_andon/broker` answers `{"host", "port", "certificates"}`. The front lets nobody through to it.
"""

import asyncio
import importlib
import ssl
from typing import Any, Final

from andon.tools.stack.broker_csr import add_signing
from andon.tools.stack.shortcut import Application, Message, Receive, Send
from andon.tools.stack.sink import answer

PATH: Final = "/_andon/broker"
HOST: Final = "127.0.0.1"
IOT: Final = "ministack.services.iot"
OK: Final = 200
ATTRIBUTES: Final = "iot:connectattributes"
WILL: Final = "LastWill"


class Broker:
    """The emulator, and the listener beside it."""

    def __init__(self, emulator: Application) -> None:
        self._emulator = emulator
        self._opening = asyncio.Lock()
        self._server: asyncio.Server | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, as an ASGI application."""
        if scope["type"] == "http" and scope["path"] == PATH:
            await answer(send, OK, await self._address())
        else:
            await self._emulator(scope, receive, send)

    async def _address(self) -> dict[str, Any]:
        """Return the listener's address, and the certificates of whoever signed its own."""
        iot = importlib.import_module(IOT)
        async with self._opening:
            if self._server is None:
                hold_to_policies(iot._WSSession)  # noqa: SLF001  the emulator's
                add_signing(iot)
                # Not by `loop.start_tls`, as the emulator does: under uvloop its handshake never ends.
                self._server = await asyncio.start_server(
                    iot._mtls_handle_conn,  # noqa: SLF001  as above
                    HOST,
                    0,
                    ssl=required(await iot._mtls_context()),  # noqa: SLF001  as above
                )
        port = self._server.sockets[0].getsockname()[1]
        return {"host": HOST, "port": port, "certificates": iot.get_ca_cert_pem()}


def required(context: ssl.SSLContext) -> ssl.SSLContext:
    """Refuse who shows no certificate."""
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def hold_to_policies(session: Any) -> None:  # noqa: ANN401  the emulator's class of sessions
    """Hold every session with a certificate to its policies, a will included, as AWS does.

    https://docs.aws.amazon.com/iot/latest/developerguide/policy-actions.html
    """
    allows = session._policy_allows  # noqa: SLF001  the emulator's

    def has_certificate(self: Any) -> bool:  # noqa: ANN401  a session
        return self.certificate_id is not None

    def allows_by_attributes(self: Any, action: str, resource: str) -> bool:  # noqa: ANN401  a session
        if self._will_topic is not None and has_certificate(self):
            self._policy_context = {**self._policy_context, ATTRIBUTES: WILL}
        return bool(allows(self, action, resource))

    session._evaluates_policies, session._policy_allows = has_certificate, allows_by_attributes  # noqa: SLF001
