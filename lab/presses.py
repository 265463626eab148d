"""Telling people, as a deployed stack alone can show it: links in browsers, and webhooks into the private network."""

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from random import Random
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Browser, Page
from playwright.sync_api import expect as expected

from andon.testing.proving.deployed import DeployedWorld
from andon.testing.proving.prover import Record
from andon.testing.proving.world import HostReply, LivingWorld
from andon.tools.browser.launch import launched
from andon.tools.stack.api import ApiClient
from andon.tools.stack.errors import ToolFailed
from lab.plant import MAIL, SMS, UNTOLD, WEBHOOK, acknowledged, ask, open_plant, providers_of, reach, report

MACHINE, FIRST, SECOND = "linked", "op-905", "sv-905"
SEEN: Final = "state-acknowledged"
ROUTE: Final = "/links/seen"
WITHIN_S: Final = 90
ON_SCREEN_MS: Final = 30_000
LINK: Final = re.compile(r"https?://\S+")

# What follows links without a person: mail scanners, previews of chats, browsers that load ahead.
AHEAD: Final = {"purpose": "prefetch", "sec-purpose": "prefetch;prerender", "x-purpose": "preview"}
METHODS: Final = ("GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE")
FORM: Final = {"content-type": "application/x-www-form-urlencoded"}

COMING, YES = "I'm on it", "Yes, I go there now"
APART_MS: Final = 1_200
ROUNDS: Final = 4
AT_ONCE_S: Final = 0.9
ATTEMPTS: Final = 10

# A script that does all that a script can: clicks, keys and sends of whatever the page has, shown or not.
PRESS_ALL: Final = """() => {
  for (const one of document.querySelectorAll("button, form, input, [tabindex]")) {
    for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"])
      one.dispatchEvent(new MouseEvent(type, {bubbles: true, cancelable: true, view: window}));
    for (const type of ["keydown", "keyup"])
      one.dispatchEvent(new KeyboardEvent(type, {key: "Enter", code: "Enter", bubbles: true}));
    one.click();
    if (one.matches("form")) one.requestSubmit();
  }
}"""

LOADS_AHEAD: Final = """<!doctype html><link rel=prefetch href="{link}"><link rel=preload as=fetch href="{link}">
<script type=speculationrules>
{{"prerender": [{{"source": "list", "urls": ["{link}"], "eagerness": "immediate"}}]}}</script>
<a href="{link}">a message</a>"""
LOADED: Final = "() => performance.getEntriesByType('resource').length > 0"


def of_links(world: LivingWorld, _: Random, record: Record) -> None:
    """Open links in all ways: two presses of a person acknowledge what they name, and all else does nothing."""
    links = _told(world)
    is_untouched = lambda: not acknowledged(world, MACHINE)  # noqa: E731
    _lifeless(links[FIRST], is_untouched, record)
    with launched() as browser:
        _by_programs(browser, links[FIRST], is_untouched, record)
        _by_people(world, browser, links, record)


def _told(world: LivingWorld) -> dict[str, str]:
    """Let a machine report an error; return the link in the message of each."""
    ways = {FIRST: {SMS: "+523300005001"}, SECOND: {MAIL: "linked-sv@example.com"}}
    for person, way in ways.items():
        reach(world, person, **way)
    steps = ((0, "duty:operator"), (0, "duty:supervisor"))
    open_plant(world, "links", [MACHINE], {"operators": [FIRST], "supervisor": SECOND}, steps)
    report(world, MACHINE)
    whose = {address: person for person, way in ways.items() for address in way.values()}

    def found() -> dict[str, str]:
        got = [one for one in providers_of(world).got() if one.address in whose]
        return {whose[one.address]: links[0] for one in got if (links := LINK.findall(one.text))}

    if not world.until(lambda: found().keys() == ways.keys(), within_s=WITHIN_S):
        raise ToolFailed(f"links came to {[*found()]} alone")
    return found()


def _lifeless(link: str, is_untouched: Callable[[], bool], record: Record) -> None:
    """Send whatever a program may send that follows a link."""
    page, token = link.partition("#")[0], _token_of(link)
    origin = ApiClient(page.rstrip("/"))
    query = urlencode({"token": token, "a": token})
    for method in METHODS:
        for path in ("/", f"/?{query}", ROUTE, f"{ROUTE}?{query}", f"{ROUTE}/{token}"):
            for headers in ({}, AHEAD):
                body = {"token": token} if method == "GET" else None
                answer = origin.request(method, path, body, headers)
                is_page = method == "GET" and not path.startswith(ROUTE)
                held = is_untouched() and (is_page or answer.status >= HTTPStatus.BAD_REQUEST)
                seen = f"{method} {path.partition('?')[0]}: {answer.status}"
                record.expect("no request but one acknowledges", held, seen)
    wrong: tuple[Any, ...] = (None, {}, {"token": ""}, [token], f"token={token}")
    for sent in wrong:
        answer = origin.request("POST", f"{ROUTE}?{query}", sent, FORM if isinstance(sent, str) else None)
        held = is_untouched() and answer.status == HTTPStatus.BAD_REQUEST
        record.expect("a POST of something else is refused", held, f"{sent}: {answer.status}")


def _by_programs(browser: Browser, link: str, is_untouched: Callable[[], bool], record: Record) -> None:
    """Let browsers load it ahead, run scripts on it and press all that it has, without a person."""
    with _tab(browser) as page:
        _load_ahead(page, link)
    record.expect("a browser that loads ahead does nothing", is_untouched(), "prefetch, prerender")
    with _tab(browser) as page:
        _open(page, link)
        for _ in range(ROUNDS):
            page.evaluate(PRESS_ALL)
            page.wait_for_timeout(APART_MS)
        record.expect("a script that presses does nothing", is_untouched(), page.inner_text("main"))
        page.get_by_role("button", name=COMING, exact=True).click()
        for _ in range(ROUNDS):
            page.wait_for_timeout(APART_MS)
            page.evaluate(PRESS_ALL)
        record.expect("a script behind a press does nothing", is_untouched(), page.inner_text("main"))
    with _tab(browser) as page:
        is_tried = any(_pressed_at_once(page, link) for _ in range(ATTEMPTS))
        record.expect("two presses at once do nothing", is_tried and is_untouched(), f"tried: {is_tried}")


def _load_ahead(page: Page, link: str) -> None:
    """Open a page of the link's origin that asks the browser to load the link before anybody follows it."""
    elsewhere = f"{link.partition('#')[0]}elsewhere"
    page.route(elsewhere, lambda route: route.fulfill(content_type="text/html", body=LOADS_AHEAD.format(link=link)))
    page.goto(elsewhere)
    page.wait_for_function(LOADED, timeout=ON_SCREEN_MS)
    page.wait_for_timeout(APART_MS)


def _pressed_at_once(page: Page, link: str) -> bool:
    """Press both buttons as fast as can be; return True if that was too fast for a person."""
    _open(page, link)
    began = time.monotonic()
    page.get_by_role("button", name=COMING, exact=True).click()
    page.get_by_role("button", name=YES, exact=True).click(no_wait_after=True)
    return time.monotonic() - began < AT_ONCE_S


def _by_people(world: LivingWorld, browser: Browser, links: Mapping[str, str], record: Record) -> None:
    """Press as people do: one after the other, each twice."""

    def by() -> list[tuple[str, str]]:
        seen = (fact["acknowledgement"] for fact in world.facts(SEEN))
        return [(one["acknowledgedBy"], one.get("via")) for one in seen if one["equipmentId"] == MACHINE]

    first = _press(browser, links[FIRST])
    world.until(by, within_s=WITHIN_S)
    record.expect("two presses acknowledge", by() == [(FIRST, "link")], by())
    record.expect("two presses are confirmed", "seen by you" in first, first)
    second = _press(browser, links[SECOND])
    is_read = f"seen first by {FIRST}" in second and len(acknowledged(world, MACHINE)) == 1
    record.expect("the second person reads who was first", is_read, second)
    for link in links.values():
        answer = world.request("POST /links/seen", body={"token": _token_of(link)}, groups=[])
        [item] = answer.body["items"]
        record.expect("later presses read who was first", item["acknowledgedBy"] == FIRST, item)
    record.expect("presses again are no other fact", len(by()) == 1, by())


def _press(browser: Browser, link: str) -> str:
    """Press twice, with a second between; return what the page says then."""
    with _tab(browser) as page:
        _open(page, link)
        page.get_by_role("button", name=COMING, exact=True).click()
        page.wait_for_timeout(APART_MS)
        page.get_by_role("button", name=YES, exact=True).click()
        page.get_by_role("status").filter(has_text=re.compile(r"\w")).first.wait_for(timeout=ON_SCREEN_MS)
        return page.inner_text("main")


@contextmanager
def _tab(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en-GB")
    try:
        yield context.new_page()
    finally:
        context.close()


def _open(page: Page, link: str) -> None:
    page.goto("about:blank")  # else only the fragment would change
    page.goto(link)
    expected(page.get_by_role("button", name=COMING, exact=True)).to_be_visible(timeout=ON_SCREEN_MS)


def _token_of(link: str) -> str:
    return urlsplit(link).fragment.removeprefix("a=")


NAME: Final = "inside.localhost"  # libcurl resolves it to this machine, as a name of somebody else's could


def private_addresses(world: LivingWorld, _: Random, record: Record) -> None:
    """Let a webhook's name lead to this machine, on AWS's settings, and another one redirect there: neither may."""
    if not isinstance(world, DeployedWorld):
        raise TypeError("libcurl resolves names where it is deployed")
    with _inside() as (port, connections):
        address = f"https://{NAME}:{port}/hook"
        world.configure(OUTBOUND_SINK="", WEBHOOK_HOSTS=f"{NAME}:{port}")
        _refused(world, record, "op-971001", address, "AddressNotPublic")
        world.configure()
        providers_of(world).answer(WEBHOOK, HostReply(HTTPStatus.TEMPORARY_REDIRECT, location=address))
        _refused(world, record, "op-971002", "https://redirects.example.com/hook", "HTTP 307")
        record.expect("nobody connects to the private network", not connections, len(connections))


@contextmanager
def _inside() -> Iterator[tuple[int, list[object]]]:
    """Serve in the private network; yield the port, and who has connected."""
    connections, listening = list[object](), socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        with suppress(OSError):
            while True:
                connections.append(listening.accept()[1])

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield int(listening.getsockname()[1]), connections
    finally:
        listening.close()


def _refused(world: LivingWorld, record: Record, person: str, address: str, reason: str) -> None:
    mail = f"{person}@example.com"
    reach(world, person, webhook=address, mail=mail)
    ask(world, person)
    is_told = world.until(lambda: mail in {one.address for one in providers_of(world).got(MAIL)}, within_s=WITHIN_S)

    def reasons() -> list[str]:
        return [one["failure"]["reason"] for one in world.facts(UNTOLD) if one["failure"]["person"] == person]

    world.until(reasons, within_s=WITHIN_S)
    record.expect("a webhook into the private network is refused", reasons() == [reason], f"{address}: {reasons()}")
    record.expect("the next channel tells", is_told, person)
