"""Codes of six digits: to enter one that was sent to an address is to prove the address.

A code lives for ten minutes and five tries. Each try is written before it is answered, upon the tries that were read,
so that guesses at the same time are not answered more often.
"""

from secrets import compare_digest, randbelow
from typing import Any, Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import (
    Check,
    ConditionFailed,
    Put,
    TransactionConditionsFailed,
    TransactionConflict,
    Update,
    transact,
)
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.runtime.clock import MINUTE_MS
from andon.runtime.errors import Gone, Invalid, NotFound, TooManyRequests
from andon.versions.versioned_write import Contended
from services.notify import proofs
from services.notify.contact import Channel, address_of, reach_of, versions_of
from services.notify.contacts_table import CODE, CONTACT, CONTACTS, KEYS, TEST, VERIFIED
from services.notify.proofs import LIFETIME_MS, Proof
from services.notify.tables import TABLE, partition_of

MOST_TRIES: Final = 5
EVERY_MS: Final = MINUTE_MS
"""A code, and a test, are sent to an address at most so often."""

DIGITS: Final = 6
NO_ADDRESS: Final = "There is no address on this channel."
NOT_VERIFIED: Final = "There is no address on this channel that was verified."
NOT_ERASED: Final = Condition("attribute_not_exists(#deleted)", {"deleted": "deleted"})
OVER: Final = "There is no code that counts. Ask for a new one."
WRONG: Final = "is not the code that was sent"


class Code(NamedTuple):
    """A code, and the address that it goes to. at_ms: when it was made."""

    code: str
    address: Any
    at_ms: int


def new_code() -> str:
    """Return a code that nobody can guess in five tries."""
    return f"{randbelow(10**DIGITS):0{DIGITS}d}"


def ask(person: str, channel: Channel, code: str, *, actor: str, now_ms: int) -> None:
    """Have a code sent to the present address of a channel; one that was asked for before counts no more.

    Raises:
        NotFound: there is no address.
        TooManyRequests: one was asked for less than `EVERY_MS` ago.
        Contended: somebody asked at the same time.

    """
    row = {"code": code, "address": _address(person, channel), "tries": 0}
    _send(person, Proof(proofs.CODE, channel), {**_key(person, CODE, channel), **row}, actor=actor, now_ms=now_ms)


def ask_test(person: str, channel: Channel, *, actor: str, now_ms: int) -> None:
    """Have a test sent to the present address of a channel, if it was verified.

    Raises:
        NotFound: no address was.
        TooManyRequests: one was asked for less than `EVERY_MS` ago.
        Contended: somebody asked at the same time.

    """
    reach = reach_of(partition_of(person))
    if reach is None or channel not in reach["verified"]:
        raise NotFound(NOT_VERIFIED)
    _send(person, Proof(proofs.TEST, channel), _key(person, TEST, channel), actor=actor, now_ms=now_ms)


def current(person: str, channel: Channel, *, now_ms: int) -> Code | None:
    """Read the code that was sent last by a channel; None if none counts."""
    row = CONTACTS.get(_key(person, CODE, channel), consistent=True)
    if row is None or "code" not in row or row["at"] + LIFETIME_MS <= now_ms:
        return None
    return Code(row["code"], row["address"], row["at"])


def verify(person: str, channel: Channel, code: str, *, now_ms: int) -> None:
    """Note that the present address of a channel is the person's, if this is the code that was sent to it.

    Raises:
        Gone: there is no code, it was tried too often, is too old, or went to another address.
        Invalid: it is another code.
        Contended: somebody tried at the same time.

    """
    key = _key(person, CODE, channel)
    row, address = CONTACTS.get(key, consistent=True), _address(person, channel)
    if row is None or row["tries"] >= MOST_TRIES or row["at"] + LIFETIME_MS <= now_ms or row["address"] != address:
        raise Gone(OVER)
    as_read = Condition(
        "#tries = :tries AND #at = :at", {"tries": "tries", "at": "at"}, {"tries": row["tries"], "at": row["at"]}
    )
    try:
        if not compare_digest(row["code"].encode(), code.encode()):
            CONTACTS.update(key, assign={"tries": row["tries"] + 1}, condition=as_read)
            raise Invalid.field("body.code", WRONG)
        proof = {**_key(person, VERIFIED, channel), "address": address, "at": now_ms}
        spent = Update(CONTACTS, key, {"tries": MOST_TRIES}, (), as_read)  # a command deletes nothing
        transact({"code": spent, "proof": Put(CONTACTS, proof, UNCONDITIONAL)})
    except (ConditionFailed, TransactionConditionsFailed, TransactionConflict) as failed:
        raise Contended from failed


def _send(person: str, proof: Proof, row: Item, *, actor: str, now_ms: int) -> None:
    """Write the code or test, and the message that wakes the sender, both or none."""
    kept = {**row, "at": now_ms, "ttl": (now_ms + LIFETIME_MS) // 1000 + 1}
    rarely = Condition("attribute_not_exists(#at) OR #at <= :since", {"at": "at"}, {"since": now_ms - EVERY_MS})
    message = proofs.row_of(person, proof, actor=actor, now_ms=now_ms)
    contact = Check(CONTACTS, KEYS.of(partition_of(person), CONTACT), NOT_ERASED)
    try:
        transact(
            {
                "contact": contact,
                "asked": Put(CONTACTS, kept, rarely),
                "message": Put(TABLE, message, TABLE.absent),
            }
        )
    except TransactionConditionsFailed as failed:
        if "contact" in failed.failed:
            raise NotFound(NO_ADDRESS) from failed
        raise TooManyRequests(retry_after_seconds=EVERY_MS // 1000) from failed
    except TransactionConflict as failed:
        raise Contended from failed


def _address(person: str, channel: Channel) -> Any:  # noqa: ANN401  a text, or a subscription
    """Return the present address of a channel.

    Raises:
        NotFound: there is none.

    """
    contact = versions_of(person).current()
    address = None if contact is None or contact.get("deleted") else address_of(contact, channel)
    if address is None:
        raise NotFound(NO_ADDRESS)
    return address


def _key(person: str, kind: str, channel: Channel) -> dict[str, str | int]:
    return KEYS.of(partition_of(person), f"{kind}{channel}")
