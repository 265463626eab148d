"""The page in a real browser, before an API that says what a test wants."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from andon.tools.browser.launch import launched
from demo.board import factory
from demo.board.fake_api import FakeApi
from demo.board.pictures import WALL, api, context_of
from tests.support.pages import Screen

expect.set_options(timeout=120_000)  # a machine may be busy


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for this folder, and no longer, for Playwright keeps an event loop in this thread while it runs."""
    with launched() as running:
        yield running


@pytest.fixture
def known() -> FakeApi:
    """The fake API's state: the factory of the pictures."""
    return api()


Opened = Callable[..., Screen]

BOARD = f"#/board/{factory.COMPANY}/{factory.FACTORY}"


@pytest.fixture
def opened(browser: Browser, known: FakeApi) -> Iterator[Opened]:
    """Return a function that opens the page; at the end the console had only expected lines."""
    contexts: list[BrowserContext] = []
    screens: list[Screen] = []

    def open_page(
        place: str = BOARD,
        *,
        role: str | None = "supervisor",
        name: str | None = None,
        reads_only: bool = False,
        size: ViewportSize = WALL,
        search: str = "",
    ) -> Screen:
        contexts.append(context_of(browser, known, size, role=role, name=name, reads_only=reads_only))
        page: Page = contexts[-1].new_page()
        screens.append(Screen(page, known))
        screens[-1].open(place, search=search)
        return screens[-1]

    yield open_page
    troubles = [trouble for screen in screens for trouble in screen.troubles]
    for context in contexts:
        context.close()
    assert troubles == []
