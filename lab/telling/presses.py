"""Browsers before the link of a message: what a program does is nothing, two presses of a person acknowledge."""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from playwright.sync_api import Browser, Page
from playwright.sync_api import expect as expected

from andon.tools.stack.processes import eventually
from lab.telling.seen import FIRST, SECOND, acknowledged, expect, facts_about, is_untouched, token_of, use
from lab.telling.target import Target

WITHIN_S: Final = 60
ON_SCREEN_MS: Final = 30_000

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


def by_programs(target: Target, browser: Browser, link: str) -> None:
    """Let browsers load it ahead, run scripts on it and press all that it has, without a person."""
    with _tab(browser) as page:
        _load_ahead(page, link)
    held = is_untouched(target)
    expect(target, "a browser that loads ahead", "acknowledges", held=held, seen="prefetch, prerender")
    with _tab(browser) as page:
        _open(page, link)
        for _ in range(ROUNDS):
            page.evaluate(PRESS_ALL)
            page.wait_for_timeout(APART_MS)
        seen = page.inner_text("main")
        expect(target, "a script that presses", "acknowledges", held=is_untouched(target), seen=seen)
        page.get_by_role("button", name=COMING, exact=True).click()
        for _ in range(ROUNDS):
            page.wait_for_timeout(APART_MS)
            page.evaluate(PRESS_ALL)
        seen = page.inner_text("main")
        expect(target, "a script behind a press", "acknowledges", held=is_untouched(target), seen=seen)
    with _tab(browser) as page:
        is_tried = any(_pressed_at_once(page, link) for _ in range(ATTEMPTS))
        held = is_tried and is_untouched(target)
        expect(target, "presses of a mouse, at once", "acknowledge", held=held, seen=f"tried: {is_tried}")


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


def by_people(target: Target, browser: Browser, links: Mapping[str, str]) -> None:
    """Press as people do: one after the other, each twice."""
    said = {FIRST: _press(browser, links[FIRST])}
    eventually(lambda: bool(facts_about(target)), within_s=WITHIN_S)
    by = [(one["acknowledgedBy"], one.get("via")) for one in facts_about(target)]
    expect(target, "two presses", "do not acknowledge", held=by == [(FIRST, "link")], seen=f"{by}")
    expect(target, "two presses", "are not confirmed", held="seen by you" in said[FIRST], seen=said[FIRST])
    said[SECOND] = _press(browser, links[SECOND])
    held = f"seen first by {FIRST}" in said[SECOND] and len(acknowledged(target)) == 1
    expect(target, "the second person", "does not read who was first", held=held, seen=said[SECOND])
    for person, link in links.items():
        [item] = use(target, token_of(link)).json["items"]
        expect(target, f"{person} again", "is somebody else", held=item["acknowledgedBy"] == FIRST, seen=str(item))
    times = len(facts_about(target))
    expect(target, "presses again", "are another fact", held=times == 1, seen=str(times))
    target.record.notes.append(f"links: acknowledged by {by}; the second one reads {said[SECOND].splitlines()[-2:]}")


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
