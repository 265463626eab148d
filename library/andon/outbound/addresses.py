"""Addresses of people: an e-mail address, a phone number; and how they are shown to others. Pure, without imports."""

import re
from typing import Final

# What all servers of mail take unquoted; no name, no comment, no second address, no line's end.
# https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address
MAIL_PATTERN: Final = (
    r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$"
)
MOST_CHARACTERS_OF_MAIL: Final = 254
# E.164, as SNS wants it.
PHONE_PATTERN: Final = r"^\+[1-9][0-9]{6,14}$"

_SHOWN: Final = 2


def mail_address(text: str) -> str:
    """Return `text` if it is an address of mail.

    Raises:
        ValueError: it is none.

    """
    if len(text) > MOST_CHARACTERS_OF_MAIL or not re.fullmatch(MAIL_PATTERN, text):
        raise ValueError("must be an e-mail address")
    return text


def phone_number(text: str) -> str:
    """Return `text` if it is a phone number with its country's code.

    Raises:
        ValueError: it is none.

    """
    if not re.fullmatch(PHONE_PATTERN, text):
        raise ValueError("must be a phone number with + and the country's code, without spaces: +5213312345678")
    return text


def masked_mail(address: str) -> str:
    """Return an address of mail as others see it: `a•••@e•••`, the same length for all."""
    name, _, host = address.rpartition("@")
    return f"{name[:1]}•••@{host[:1]}•••"


def masked_phone(number: str) -> str:
    """Return a phone number as others see it: its last two digits."""
    return f"•••{number[-_SHOWN:]}"
