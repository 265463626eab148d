"""Links of messages: two presses of a person acknowledge what they name, and whatever else opens them does nothing."""

import re
import secrets
import time
from collections.abc import Iterable
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from andon.outbound.links import Link, sign
from andon.runtime import times
from andon.tools.browser.launch import launched
from andon.tools.stack.api import ApiClient
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.processes import eventually
from contract import links as signed
from contract.log_rows import log_of
from lab.telling import kept, presses
from lab.telling.plant import Plant, steps
from lab.telling.providers import MAIL, SMS
from lab.telling.seen import FIRST, MACHINE, PART, ROUTE, SECOND, acknowledged, expect, is_untouched, token_of, use
from lab.telling.target import Target

ADDRESSES: Final = {FIRST: {SMS: "+523300005001"}, SECOND: {MAIL: "linked-sv@example.com"}}
SECRET: Final = "LinkSecret"  # noqa: S105  the name of the output that names the secret
VERIFIER: Final = "services/dispatch/command"
HOUR_S: Final = 3_600
WITHIN_S: Final = 60

LINK: Final = re.compile(r"https?://\S+")
TOLD_OF_TOKEN: Final = 20
"""Characters of its beginning, and of its end, that are looked for."""

# What follows links without a person: mail scanners, previews of chats, browsers that load ahead.
AHEAD: Final = {"purpose": "prefetch", "sec-purpose": "prefetch;prerender", "x-purpose": "preview"}
METHODS: Final = ("GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE")
FORM: Final = {"content-type": "application/x-www-form-urlencoded"}


def prove(target: Target) -> None:
    """Tell two people of one error, and open their links in all ways."""
    links = _told(target)
    _lifeless(target, links[FIRST])
    with launched() as browser:
        presses.by_programs(target, browser, links[FIRST])
        presses.by_people(target, browser, links)
    tokens = {*map(token_of, links.values()), *counting(target), *_rotated(target)}
    _unwritten(target, tokens)


def counting(target: Target) -> list[str]:
    """Let tokens that do not count be used, and one that does; return the latter."""
    key, expires = _key(target), int(time.time()) + HOUR_S
    machine = f"{MACHINE}-{secrets.token_hex(4)}"
    log = log_of(machine, "ERROR", times.to_utc(time.time_ns() // 1_000_000))
    link = Link(FIRST, (signed.reference_of(log),), expires)
    good = sign(link, purpose=signed.SEEN, key=key)
    others = {
        **{f"changed at {at}": _changed(good, at) for at, _ in enumerate(good)},
        "cut": good[:-4],
        "longer": f"{good}AAAA",
        "expired": sign(link._replace(expires=int(time.time())), purpose=signed.SEEN, key=key),
        **{f"for {purpose!r}": sign(link, purpose=purpose, key=key) for purpose in ("", "told", "Seen", "seen ")},
        "by another key": sign(link, purpose=signed.SEEN, key=secrets.token_bytes(32)),
    }
    answers = {why: use(target, token) for why, token in others.items()}
    words = {answer.json["detail"] for answer in answers.values()}
    for why, answer in answers.items():
        is_gone = answer.status == HTTPStatus.GONE and len(words) == 1
        expect(target, f"a token {why.partition(' at ')[0]}", "counts", held=is_gone, seen=f"{why}: {answer.status}")
    expect(target, "tokens that do not count", "change something", held=not acknowledged(target, machine), seen=machine)
    _counts(target, "a token that was signed", good)
    expect(
        target, "a token that was signed", "changes nothing", held=len(acknowledged(target, machine)) == 1, seen=machine
    )
    target.record.notes.append(f"links: {len(others)} tokens that do not count, all 410 in the same words")
    return [good]


def _told(target: Target) -> dict[str, str]:
    """Let a machine report an error; return the link in the message of each."""
    target.reach_all(ADDRESSES)
    plant = Plant(target, PART, [MACHINE])
    plant.open({"operators": [FIRST], "supervisor": SECOND}, steps("duty:operator", "duty:supervisor"))
    plant.report(MACHINE)
    addresses = {address: person for person, way in ADDRESSES.items() for address in way.values()}

    def found() -> dict[str, str]:
        got = [one for one in target.providers.got() if one.address in addresses]
        return {addresses[one.address]: address[0] for one in got if (address := LINK.findall(one.text))}

    if not eventually(lambda: found().keys() == ADDRESSES.keys(), within_s=WITHIN_S):
        raise ToolFailed(f"links came to {[*found()]} alone")
    return found()


def _lifeless(target: Target, link: str) -> None:
    """Send whatever a program may send that follows a link."""
    page, token = link.partition("#")[0], token_of(link)
    origin = ApiClient(page.rstrip("/"))
    query = urlencode({"token": token, "a": token})
    for method in METHODS:
        for path in ("/", f"/?{query}", ROUTE, f"{ROUTE}?{query}", f"{ROUTE}/{token}"):
            for headers in ({}, AHEAD):
                body = {"token": token} if method == "GET" else None
                answer = origin.request(method, path, body, headers)
                is_page = method == "GET" and not path.startswith(ROUTE)
                held = is_untouched(target) and (is_page or answer.status >= HTTPStatus.BAD_REQUEST)
                seen = f"{method} {path.partition('?')[0]}: {answer.status}"
                expect(target, f"{method} without a browser", "acknowledges", held=held, seen=seen)
    for wrong in (None, {}, {"token": ""}, [token], f"token={token}"):
        answer = origin.request("POST", f"{ROUTE}?{query}", wrong, FORM if isinstance(wrong, str) else None)
        held = is_untouched(target) and answer.status == HTTPStatus.BAD_REQUEST
        expect(target, "POST of something else", "acknowledges", held=held, seen=str(answer.status))


def _rotated(target: Target) -> list[str]:
    """Change the key twice: the one before it counts, and the one before that does not. Return the tokens."""
    first = _key(target)
    keys = [first, *(secrets.token_hex(32).encode() for _ in range(2))]
    log = log_of(MACHINE, "ERROR", times.to_utc(time.time_ns() // 1_000_000))
    link = Link(FIRST, (signed.reference_of(log),), int(time.time()) + HOUR_S)
    tokens = [sign(link, purpose=signed.SEEN, key=key) for key in keys]
    try:
        for number, key in enumerate(keys[1:], start=1):
            _set_key(target, key)
            _counts(target, "the key that is current", tokens[number])
            _counts(target, "the key before it", tokens[number - 1])
        status = use(target, tokens[0]).status
        expect(target, "the key of long ago", "counts", held=status == HTTPStatus.GONE, seen=str(status))
    finally:
        _set_key(target, first)
    return tokens


def _unwritten(target: Target, tokens: Iterable[str]) -> None:
    """Look for tokens in what is stored and logged."""
    parts = [part for token in tokens for part in (token[:TOLD_OF_TOKEN], token[-TOLD_OF_TOKEN:])]
    is_logged = False
    for place, text in (*kept.lake(target), *kept.logs(target), *kept.rows(target)):
        is_logged = is_logged or ROUTE in text
        found = [part for part in parts if part in text]
        expect(target, place, "has something of a token", held=not found, seen=" ".join(found[:3]))
    expect(target, "the logs", "have no line of the route, so that nothing was tried", held=is_logged, seen=ROUTE)


def _counts(target: Target, kind: str, token: str) -> None:
    status = use(target, token).status
    expect(target, kind, "does not count", held=status == HTTPStatus.OK, seen=str(status))


def _key(target: Target) -> bytes:
    client = target.stack.client("secretsmanager")
    return str(client.get_secret_value(SecretId=target.stack.outputs[SECRET])["SecretString"]).encode()


def _set_key(target: Target, key: bytes) -> None:
    """Give the secret another value, and let who verifies ask for it now: each process keeps it for five minutes."""
    client = target.stack.client("secretsmanager")
    client.put_secret_value(SecretId=target.stack.outputs[SECRET], SecretString=key.decode())
    target.renew(VERIFIER)


def _changed(token: str, at: int) -> str:
    other = "A" if token[at] != "A" else "B"
    return f"{token[:at]}{other}{token[at + 1 :]}"
