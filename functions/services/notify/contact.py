"""Contact of a person: the one row that has addresses. They stand in no event, log or answer to others."""

from collections.abc import Mapping
from typing import Any, Final, Literal, NotRequired, TypedDict

from andon.dynamodb.schema import KeyQuery
from andon.outbound.addresses import masked_mail, masked_phone
from andon.runtime import times
from andon.runtime.errors import Conflict
from andon.runtime.json_types import members_of
from andon.versions.optimistic_lock import Command, Draft, VersionedRow
from andon.versions.versioned_write import Versions
from services.notify.contacts_table import CONTACT, CONTACTS, KEYS, VERIFIED
from services.notify.tables import partition_of

Channel = Literal["push", "sms", "mail", "webhook"]

CHANNELS: Final[tuple[Channel, ...]] = ("push", "sms", "mail", "webhook")
PLACES: Final[Mapping[Channel, str]] = {"mail": "email", "sms": "phone", "webhook": "webhooks", "push": "push"}
"""Channel -> the attribute of a contact with its addresses."""

ERASED: Final = "This person was erased. Nobody is told anything at this id again."
HIDDEN: Final = "•••"
MOST_ROWS: Final = 20


class ContactContent(TypedDict):
    """The addresses of a person, and when which is used."""

    email: NotRequired[str]
    phone: NotRequired[str]
    push: NotRequired[list[Any]]
    webhooks: NotRequired[list[str]]
    language: NotRequired[str]
    order: NotRequired[list[Channel]]
    quietHours: NotRequired[dict[str, str]]


class ContactRow(ContactContent, VersionedRow):
    """The row of a contact, its primary key aside."""


class ContactVersion(ContactContent):
    """How a person is reached: in full for the person, masked for others. `verifiedAt`: by channel, fixed-width UTC."""

    verifiedAt: dict[str, str]
    version: int
    changedAt: str


class Reach(TypedDict):
    """A contact, and the channels with a verified present address, with the times (fixed-width UTC)."""

    contact: ContactRow
    verified: dict[Channel, str]


def versions_of(person: str) -> Versions[ContactRow]:
    """Return the place of a person's contact; no earlier version is kept."""
    return Versions(table=CONTACTS, key=KEYS.of(partition_of(person), CONTACT))


def write(content: Mapping[str, object], command: Command) -> Draft:
    """Decide the addresses of a person; None removes one.

    An address that changed is not verified any more: see `reach_of`.
    """
    return Draft(content=content, attributes={}, command=command, revives=False, gone=Conflict(ERASED))


def reach_of(partition: str) -> Reach | None:
    """Read how somebody is reached, with one request; None if there is no contact."""
    found = CONTACTS.query(KeyQuery(KEYS, partition, forward=True), limit=MOST_ROWS, consistent=True).items
    rows = {str(row[str(KEYS.sort)]): row for row in found}
    if CONTACT not in rows or rows[CONTACT].get("deleted"):
        return None
    contact = members_of(ContactRow, rows[CONTACT])
    proofs = ((channel, rows.get(f"{VERIFIED}{channel}")) for channel in CHANNELS)
    verified = {
        channel: times.to_utc(int(proof["at"]))
        for channel, proof in proofs
        if proof is not None and proof["address"] == address_of(contact, channel)
    }
    return {"contact": contact, "verified": verified}


def address_of(contact: Mapping[str, Any], channel: Channel) -> Any:  # noqa: ANN401  a text, or a subscription
    """Return the address that a channel uses: the first of several; None if there is none."""
    found = contact.get(PLACES[channel])
    return (found[0] if found else None) if isinstance(found, list) else found


def to_response(reach: Reach, *, is_own: bool) -> ContactVersion:
    """Return a contact for a response: in full for its person, masked for all others."""
    row: Mapping[str, object] = reach["contact"]
    shown = {name: row[name] for name in ("language", "order", "quietHours") if name in row}
    addresses = {name: row[name] for name in PLACES.values() if row.get(name)}
    kept = addresses if is_own else {name: _MASKS[name](value) for name, value in addresses.items()}
    verified = {channel: reach["verified"].get(channel) for channel in CHANNELS if row.get(PLACES[channel])}
    said = {
        **kept,
        **shown,
        "verifiedAt": {channel: at for channel, at in verified.items() if at is not None},
        "version": reach["contact"]["version"],
        "changedAt": times.to_utc(reach["contact"]["timestamp"]),
    }
    return members_of(ContactVersion, said)


def _hidden(addresses: list[Any]) -> list[str]:
    return [HIDDEN for _ in addresses]


_MASKS: Final[Mapping[str, Any]] = {
    "email": masked_mail,
    "phone": masked_phone,
    "push": _hidden,
    "webhooks": _hidden,
}
