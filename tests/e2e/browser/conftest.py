"""Browsers before the deployed stack. Nothing here is skipped: without a browser these tests fail."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from andon.tools.browser.launch import launched
from andon.tools.stack.stack import Stack
from tests.support.browser import Watched, fill_in, leave_for_sign_in, session, watched

# What the page waits for comes from a deployed stack, whose functions may be cold on a machine with other work to do.
expect.set_options(timeout=120_000)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for this folder, and no longer, for Playwright keeps an event loop in this thread while it runs."""
    with launched() as running:
        yield running


@pytest.fixture
def origin(stack: Stack) -> str:
    return stack.outputs["BoardUrl"].removesuffix("/")


@pytest.fixture
def context(browser: Browser, origin: str) -> Iterator[BrowserContext]:
    """A browser without cookies and storage, at a language and time zone of its own."""
    context = browser.new_context(base_url=origin, locale="en-GB", timezone_id="America/Mexico_City")
    yield context
    context.close()


@pytest.fixture
def watch(context: BrowserContext, origin: str) -> Iterator[Watched]:
    """The browser's requests and console; at the end of the test there was no trouble."""
    live = f"ws://data-ats.iot.us-east-1.localhost:{origin.rpartition(':')[2]}"
    with watched(context, frozenset({origin, live})) as watching:
        yield watching


@pytest.fixture
def page(context: BrowserContext, watch: Watched) -> Page:  # noqa: ARG001
    """A tab, watched."""
    return context.new_page()


SignedIn = Callable[..., Page]


@pytest.fixture
def signed_in(page: Page) -> SignedIn:
    """Return a function that signs a user in by the real form, by default the role's own, at a place of the page."""

    def sign_in(user: str, place: str = "", *, wall: bool = False) -> Page:
        page.goto(f"/{place}")
        leave_for_sign_in(page, "signIn({wall: true})" if wall else "signIn()")
        with page.expect_navigation(url=lambda url: "code=" in url):
            fill_in(page, user)
        assert session(page, "start()")
        return page

    return sign_in
