"""AWS IoT's fleet provisioning, over MQTT: https://docs.aws.amazon.com/iot/latest/developerguide/fleet-provision-api.html."""

import json
import secrets
import ssl
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from andon_gateway.brokers import Broker, Tls
from andon_gateway.claim import Claim
from andon_gateway.claim_request import requested
from andon_gateway.mqtt_connection import Connection, Lost
from andon_gateway.provisioning import Expired, Kept, Refused, Signed, provision

SIGNING: Final = "$aws/certificates/create-from-csr/json"
KEEP_ALIVE_S: Final = 30
ANSWER_S: Final = 20.0  # AWS waits five seconds for whoever decides
NO_TOKEN: Final = "InvalidCertificateOwnershipToken"  # noqa: S105  the code of an error
NOT_ALLOWED: Final = "AccessDenied"


def certificate_of(broker: Broker, claim: Claim) -> str:
    """Get a certificate for the client of a broker, if there is none yet; return a line about it.

    Raises:
        Refused: AWS gives none.
        OSError: it cannot be reached, or a file not be read or written.

    """
    thing, tls = broker.client_id or claim.name, broker.tls
    if tls is None or tls.certificate is None or tls.key is None:
        raise Refused("there is no place for certificate and key")
    kept = Kept(tls.certificate, tls.key)
    is_new = provision(kept, ClaimDoor(broker, claim), lambda: requested(thing))
    return f"{thing} has {'a new' if is_new else 'a'} certificate: {kept.certificate}"


class ClaimDoor:
    """The broker of a thing, for the holder of a claim."""

    def __init__(self, broker: Broker, claim: Claim, *, answer_s: float = ANSWER_S) -> None:
        """Connect to nobody yet."""
        self._broker, self._tls, self._claim = broker, broker.tls or Tls(), claim
        self._parameters = {"Name": claim.name, "Member": claim.member}
        self._answer_s = answer_s

    def sign(self, request: str) -> Signed:
        """Have a certificate signed."""
        answer = self._ask(SIGNING, {"certificateSigningRequest": request})
        try:
            return Signed(answer["certificatePem"], answer["certificateOwnershipToken"])
        except KeyError as error:
            raise Refused(f"the broker's answer has no {error}") from None

    def register(self, token: str) -> None:
        """Become the thing, with the certificate of a token."""
        topic = f"$aws/provisioning-templates/{self._claim.template}/provision/json"
        self._ask(topic, {"certificateOwnershipToken": token, "parameters": self._parameters})

    def lets_in(self, file: Path) -> bool:
        """Return True if the thing can connect with the certificate and the key in a file."""
        own = replace(self._broker, tls=replace(self._tls, certificate=file, key=file))
        connection = Connection(own, keep_alive_s=KEEP_ALIVE_S, answer_s=self._answer_s)
        try:
            connection.open()
        except (Lost, ssl.SSLError, ConnectionResetError):
            return False
        finally:
            connection.close()
        return True

    def _ask(self, topic: str, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request, which comes over the connection of the request."""
        accepted, rejected = f"{topic}/accepted", f"{topic}/rejected"
        connection = self._connection(answers := dict[str, bytes]())
        try:
            connection.open([accepted, rejected])
            connection.deliver(topic, json.dumps(said).encode())
            connection.wait(lambda: bool(answers), "the request")
        except (Lost, OSError) as error:
            raise Refused(f"by the claim: {error}") from error
        finally:
            connection.close()
        if accepted not in answers:
            raise _refused(json.loads(answers[rejected]))
        found: dict[str, Any] = json.loads(answers[accepted])
        return found

    def _connection(self, answers: dict[str, bytes]) -> Connection:
        """Return a connection as a client of the claim, which puts incoming messages into `answers`, by topic."""
        tls = replace(self._tls, certificate=self._claim.certificate, key=self._claim.key)
        return Connection(
            replace(self._broker, tls=tls, client_id=f"{self._claim.client}{secrets.token_hex(8)}"),
            keep_alive_s=KEEP_ALIVE_S,
            take=lambda where, content, _: answers.update({where: content}),
            answer_s=self._answer_s,
        )


def _refused(answer: Mapping[str, Any]) -> Refused:
    code, message = answer.get("errorCode", ""), answer.get("errorMessage", "")
    if code == NO_TOKEN:
        return Expired(message)
    if code == NOT_ALLOWED:
        return Refused(
            "AWS IoT refuses: is the machine registered at this factory, and has the thing no certificate yet?"
        )
    return Refused(f"{code}: {message}")
