"""The emulator's broker for things: MQTT over TLS, on this machine alone, where certificates and their policies count.

The emulator's own listener binds every address, whatever it is told, serves who shows no certificate, and asks for
policies only where all of AWS asks for signatures. So it stays off, and this one begins when it is first asked for:
`GET /_andon/broker` answers `{"host", "port", "certificates"}`. The front lets nobody through to it.
"""

import asyncio
import importlib
import json
import secrets
import ssl
import time
from typing import Any, Final

from andon.ingress.fleet import SIGNING
from andon.tools.stack.sink import Application, Message, Receive, Send, answer

# Certificates that clients of the emulator's broker ask for, each for a key of its own: `CreateCertificateFromCsr`.
#
# AWS IoT has that as a request over MQTT, this emulator by HTTP alone, which signs here, too. The request goes the
# way of the emulator's `CreateKeysAndCertificate`, whose answer is the same but for the key.
# https://docs.aws.amazon.com/iot/latest/developerguide/fleet-provision-api.html#create-cert-csr

PENDING: Final = "PENDING_ACTIVATION"
OK: Final = 200
_NO_CLAIM: Final = "A request of provisioning needs the certificate of a claim."

Reply = tuple[str, dict[str, Any]]
"""The end of the topic of an answer, and the answer."""


def _add_signing(iot: Any) -> None:  # noqa: ANN401  the emulator's module
    """Let the emulator's broker sign requests for certificates, and provision nobody who has no certificate."""
    parse, reply = iot._parse_fleet_provisioning_topic, iot._fleet_provisioning_reply  # noqa: SLF001  the emulator's

    def parse_topic(topic: str) -> tuple[str, str | None] | None:
        found: tuple[str, str | None] | None = parse(topic)
        return (SIGNING, None) if topic == SIGNING else found

    async def reply_to(
        account: str, region: str, operation: str, template: str | None, payload: bytes, connection: dict[str, str]
    ) -> Reply:
        if "claimCertificateId" not in connection:
            return _rejected(iot, "Unauthorized", _NO_CLAIM)
        if operation == SIGNING:
            with iot.request_scope(account, region):
                return _signed(iot, payload)
        answer: Reply = await reply(account, region, operation, template, payload, connection)
        return answer

    iot._parse_fleet_provisioning_topic, iot._fleet_provisioning_reply = parse_topic, reply_to  # noqa: SLF001  as above


def _signed(iot: Any, payload: bytes) -> Reply:  # noqa: ANN401  the emulator's module
    try:
        request = json.loads(payload)["certificateSigningRequest"]
    except (ValueError, KeyError, TypeError):
        return _rejected(iot, "InvalidPayload", "Message cannot be parsed")
    status, _, body = iot._create_certificate_from_csr({"certificateSigningRequest": request}, {})  # noqa: SLF001
    made = json.loads(body)
    if status != OK:
        return _rejected(iot, "InvalidCsr", made.get("message", "CSR violates constraints"))
    id_, token = made["certificateId"], secrets.token_urlsafe(48)
    iot._drop_expired(iot._ownership_tokens)  # noqa: SLF001  the emulator's
    iot._certificates[id_] = {**iot._certificates[id_], "status": PENDING}  # noqa: SLF001  the emulator's
    expires = time.time() + iot._OWNERSHIP_TOKEN_SECONDS  # noqa: SLF001  the emulator's
    iot._ownership_tokens[token] = {"certificateId": id_, "expiration": expires}  # noqa: SLF001  the emulator's
    pem = made["certificatePem"]
    return "accepted", {"certificateOwnershipToken": token, "certificateId": id_, "certificatePem": pem}


def _rejected(iot: Any, code: str, message: str) -> Reply:  # noqa: ANN401  the emulator's module
    answer: Reply = iot._fleet_rejected(code, message)  # noqa: SLF001  the emulator's
    return answer


PATH: Final = "/_andon/broker"
HOST: Final = "127.0.0.1"
IOT: Final = "ministack.services.iot"
_ATTRIBUTES: Final = "iot:connectattributes"
_WILL: Final = "LastWill"


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
                _hold_to_policies(iot._WSSession)  # noqa: SLF001  the emulator's
                _add_signing(iot)
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


def _hold_to_policies(session: Any) -> None:  # noqa: ANN401  the emulator's class of sessions
    """Hold every session with a certificate to its policies, a will included, as AWS does.

    https://docs.aws.amazon.com/iot/latest/developerguide/policy-actions.html
    """
    allows = session._policy_allows  # noqa: SLF001  the emulator's

    def has_certificate(self: Any) -> bool:  # noqa: ANN401  a session
        return self.certificate_id is not None

    def allows_by_attributes(self: Any, action: str, resource: str) -> bool:  # noqa: ANN401  a session
        if self._will_topic is not None and has_certificate(self):
            self._policy_context = {**self._policy_context, _ATTRIBUTES: _WILL}
        return bool(allows(self, action, resource))

    session._evaluates_policies, session._policy_allows = has_certificate, allows_by_attributes  # noqa: SLF001
