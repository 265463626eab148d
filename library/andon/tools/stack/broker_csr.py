"""Certificates that clients of the emulator's broker ask for, each for a key of its own: `CreateCertificateFromCsr`.

AWS IoT has that as a request over MQTT, this emulator by HTTP alone, which signs here, too. The request goes the way of
the emulator's `CreateKeysAndCertificate`, whose answer is the same but for the key.
https://docs.aws.amazon.com/iot/latest/developerguide/fleet-provision-api.html#create-cert-csr
"""

import json
import secrets
import time
from typing import Any, Final

from andon.ingress.fleet import SIGNING

PENDING: Final = "PENDING_ACTIVATION"
OK: Final = 200
NO_CLAIM: Final = "A request of provisioning needs the certificate of a claim."

Reply = tuple[str, dict[str, Any]]
"""The end of the topic of an answer, and the answer."""


def add_signing(iot: Any) -> None:  # noqa: ANN401  the emulator's module
    """Let the emulator's broker sign requests for certificates, and provision nobody who has no certificate."""
    parse, reply = iot._parse_fleet_provisioning_topic, iot._fleet_provisioning_reply  # noqa: SLF001  the emulator's

    def parse_topic(topic: str) -> tuple[str, str | None] | None:
        found: tuple[str, str | None] | None = parse(topic)
        return (SIGNING, None) if topic == SIGNING else found

    async def reply_to(
        account: str, region: str, operation: str, template: str | None, payload: bytes, connection: dict[str, str]
    ) -> Reply:
        if "claimCertificateId" not in connection:
            return _rejected(iot, "Unauthorized", NO_CLAIM)
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
