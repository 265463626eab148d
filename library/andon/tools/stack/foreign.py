"""Recognises requests that come from a web page of another site.

A browser sends a page's requests to 127.0.0.1, too. It says on them where the page is from (`Origin`, and
`Sec-Fetch-Site` in https://www.w3.org/TR/fetch-metadata/), and a page cannot change what it says. A page whose own
name was pointed to 127.0.0.1 (DNS rebinding) is known by its `Host`. Tools such as curl and boto3 send no `Origin`.

Standard library only: the emulator's process, which has an environment of its own, imports it, too.
"""

import re
from collections.abc import Iterable
from typing import Final

_OWN_HOST: Final = re.compile(r"(127\.0\.0\.1|localhost)(:\d+)?", re.IGNORECASE)
# "same-site" is not enough: each port of 127.0.0.1 is the same site. "none": a person typed the address.
_OWN_SITES: Final = frozenset({"same-origin", "none"})


def refusal(headers: Iterable[tuple[str, str]]) -> str | None:
    """Return why a request with these headers (names in any case) is refused; None if it is not foreign.

    What a page says of itself may come once only; a page served by the same host and port is no foreigner.
    """
    said: dict[str, list[str]] = {"host": [], "origin": [], "sec-fetch-site": []}
    for name, value in headers:
        said.get(name.lower(), []).append(value.strip())
    if len(said["host"]) != 1 or not _OWN_HOST.fullmatch(said["host"][0]):
        return "Host is not this machine"
    if any(origin.lower() != f"http://{said['host'][0]}".lower() for origin in said["origin"]):
        return "Origin is another site"
    if any(site.lower() not in _OWN_SITES for site in said["sec-fetch-site"]):
        return "Sec-Fetch-Site is another site"
    return None
