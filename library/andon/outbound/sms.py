"""Messages -> SMS, by SNS's Publish to a phone number.

https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
https://docs.aws.amazon.com/sns/latest/dg/sms_publish-to-phone.html
"""

import re
import unicodedata
from typing import Final, NamedTuple
from urllib.parse import urlencode

from andon.outbound.addresses import phone_number
from andon.outbound.delivery import Message, Outcome, RefusedForGood
from andon.outbound.provider import AwsService, call_once, outcome_of_call

# Texts of SMS: written in the alphabet of GSM, in which a part holds 160 characters instead of 70. Pure.
#
# https://www.etsi.org/deliver/etsi_gts/03/0338/05.00.00_60/gsmts_0338v050000p.pdf
# https://docs.aws.amazon.com/sns/latest/dg/sms_publish-to-phone.html

ALPHABET: Final = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
EXTENDED: Final = frozenset("^{}\\[~]|€\f")  # each takes the room of two

# Room in one part, and in each of several, in septets of GSM or in units of UTF-16.
_GSM_ROOM: Final = (160, 153)
_UNICODE_ROOM: Final = (70, 67)

# What has no accent to drop, but a plain form.
_PLAIN: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032`\u00b4", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212•·", "-"),
        **dict.fromkeys("→⇒➔", "->"),
        **dict.fromkeys("\u00a0\u2007\u2009\u202f\t", " "),
        **dict.fromkeys("\r\u200b\u200c\u200d\ufeff\ufe0f\u00ad", ""),
        **dict.fromkeys("\f\u2028\u2029", "\n"),
        **dict(zip("çıłŁđĐ°\u00d7", "cilLdDox", strict=True)),
        **{"…": "...", "œ": "oe", "Œ": "OE", "ẞ": "SS"},  # noqa: PIE800  one line for the longer ones
    }
)
_UNKNOWN: Final = "?"
_CUT: Final = "..."
_LAST_OF_ONE_UNIT: Final = 0xFFFF


class SmsText(NamedTuple):
    """A text as it is sent; parts: those that are paid for; is_gsm: in the alphabet of GSM, else in UTF-16."""

    text: str
    parts: int
    is_gsm: bool


def sms_text(text: str, *, most_parts: int, end: str = "") -> SmsText:
    """Return a text that takes at most so many parts; it is cut where it is longer, before `end`, which stays whole.

    Accents that the alphabet lacks are dropped. A text with letters that have no form in it stays as it is, in UTF-16.

    Raises:
        ValueError: `end` alone takes more than that.

    """
    folded = fold(text)
    kept = text if folded is None else folded
    if parts_of(end) > most_parts:
        raise ValueError(f"the end takes more than {most_parts} parts")
    whole = kept + end
    if parts_of(whole) <= most_parts:
        return SmsText(whole, parts_of(whole), is_gsm(whole))
    shortest, longest = 0, len(kept)  # of a length that fits, and of one that does not
    while longest - shortest > 1:
        middle = (shortest + longest) // 2
        fits = parts_of(f"{kept[:middle]}{_CUT}{end}") <= most_parts
        shortest, longest = (middle, longest) if fits else (shortest, middle)
    cut = f"{kept[:shortest].rstrip()}{_CUT}{end}" if shortest else end
    return SmsText(cut, parts_of(cut), is_gsm(cut))


def fold(text: str) -> str | None:
    """Return a text in the alphabet of GSM, None if it has letters that no letter of it stands for."""
    folded = [_folded(character) for character in unicodedata.normalize("NFC", text).translate(_PLAIN)]
    return None if None in folded else "".join(part for part in folded if part is not None)


def is_gsm(text: str) -> bool:
    """Return True if all characters of a text are of the alphabet of GSM."""
    return ALPHABET.union(EXTENDED).issuperset(text)


def parts_of(text: str) -> int:
    """Return the number of parts that a text takes; none of its characters stands in two of them."""
    gsm = is_gsm(text)
    alone, each = _GSM_ROOM if gsm else _UNICODE_ROOM
    sizes = [_size(character, gsm=gsm) for character in text]
    if sum(sizes) <= alone:
        return 1
    parts, used = 1, 0
    for size in sizes:
        if used + size > each:
            parts, used = parts + 1, 0
        used += size
    return parts


def _size(character: str, *, gsm: bool) -> int:
    return 2 if (character in EXTENDED if gsm else ord(character) > _LAST_OF_ONE_UNIT) else 1


def _folded(character: str) -> str | None:
    if character in ALPHABET or character in EXTENDED:
        return character
    bare = "".join(one for one in unicodedata.normalize("NFKD", character) if not unicodedata.combining(one))
    if is_gsm(bare):
        return bare
    return None if unicodedata.category(character)[0] == "L" else _UNKNOWN


NAME: Final = "sms"
SNS: Final = AwsService("sns", "SNS", "sns")

_MOST_PARTS: Final = 3

# The reasons of a refusal before any request.
ADDRESS: Final = "address"
TOO_LONG: Final = "too long"

_HEADERS: Final = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
_ID: Final = re.compile(rb"<MessageId>([A-Za-z0-9-]{1,100})</MessageId>")


class Sms:
    """The channel of SMS."""

    name = NAME

    def __init__(self, *, most_dollars: str, most_parts: int = _MOST_PARTS) -> None:
        """Pay at most so much for a message, as `0.25`: one that costs more is not sent."""
        self._most_dollars = most_dollars
        self._most_parts = most_parts

    def send(self, message: Message) -> Outcome:
        """Hand a message to SNS once."""
        try:
            number = phone_number(message.address)
        except ValueError:
            return RefusedForGood(ADDRESS)
        try:
            written = text_of(message, most_parts=self._most_parts)
        except ValueError:
            return RefusedForGood(TOO_LONG)
        reply = call_once(SNS, "/", _HEADERS, urlencode(self._request(number, written.text)).encode())
        found = _ID.search(reply.body)
        return outcome_of_call(reply, provider_id=found[1].decode() if found else "")

    def _request(self, number: str, text: str) -> dict[str, str]:
        attributes = (
            ("AWS.SNS.SMS.SMSType", "String", "Transactional"),
            ("AWS.SNS.SMS.MaxPrice", "Number", self._most_dollars),
        )
        request = {"Action": "Publish", "Version": "2010-03-31", "PhoneNumber": number, "Message": text}
        for index, (name, kind, value) in enumerate(attributes, start=1):
            entry = f"MessageAttributes.entry.{index}"
            request |= {f"{entry}.Name": name, f"{entry}.Value.DataType": kind, f"{entry}.Value.StringValue": value}
        return request


def text_of(message: Message, *, most_parts: int) -> SmsText:
    """Return the text of a message: its subject, its lines, and the link, which is never cut.

    Raises:
        ValueError: the link alone takes more parts.

    """
    end = f"\n{message.link}" if message.link else ""
    return sms_text(f"{message.subject}\n{message.text}", most_parts=most_parts, end=end)
