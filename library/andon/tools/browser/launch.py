"""A headless browser, driven by Playwright."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

from andon.tools.browser.installed import installed


@contextmanager
def launched() -> Iterator[Browser]:
    """Launch the browser, and close it in the end."""
    browser = installed()
    with sync_playwright() as playwright:
        environment: dict[str, str | float | bool] = {**os.environ, **browser.environment}
        running = playwright.chromium.launch(executable_path=browser.path, env=environment)
        try:
            yield running
        finally:
            running.close()
