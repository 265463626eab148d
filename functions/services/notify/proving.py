"""Codes and tests: the waiting ones of a person, as they are when sent."""

from collections.abc import Mapping
from typing import Any, Final

from andon.outbound.delivery import Waiting, Wake
from andon.runtime.clock import MINUTE_MS
from services.notify import contact_code
from services.notify.contact import address_of, reach_of
from services.notify.proofs import CODE, Proof, ProofMessage, notice_of
from services.notify.reach import LANGUAGE
from services.notify.tables import person_in

TEST_MS: Final = 10 * MINUTE_MS
"""A test that could not be sent for so long is sent no more."""


def waiting_of(wake: Wake, proof: Proof, now_ms: int) -> Waiting:
    """Read the notice of a code or test; none if it counts no more, or the address is another one by now."""
    asked = _asked(wake, proof, now_ms)
    waits = () if asked is None else (notice_of(wake.message, asked, wake.at_ms),)
    return Waiting(waits, waits)


def _asked(wake: Wake, proof: Proof, now_ms: int) -> ProofMessage | None:
    reach = reach_of(wake.recipient)
    if reach is None:
        return None
    language = reach["contact"].get("language", LANGUAGE)
    if proof.kind == CODE:
        code = contact_code.current(person_in(wake.recipient), proof.channel, now_ms=now_ms)
        if code is None or code.at_ms != wake.at_ms or code.address != _address(reach["contact"], proof):
            return None
        return ProofMessage(proof, code.code, code.address, language)
    if proof.channel not in reach["verified"] or wake.at_ms + TEST_MS <= now_ms:
        return None
    return ProofMessage(proof, "", _address(reach["contact"], proof), language)


def _address(row: Mapping[str, Any], proof: Proof) -> Any:  # noqa: ANN401  a text, or a subscription
    return address_of(row, proof.channel)
