"""A watched browser: a test of a page fails of anything that the page should never do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, Response

from andon.tools.stack.users import PASSWORD

# A refusal is an answer that the page has to cope with, although Chromium calls it an error.
STATUS: Final = "Failed to load resource: the server responded with a status of"
REFUSED: Final = re.compile(rf"{STATUS} (400|401|403|404|409|412|428) ")
POLL_MS: Final = 20
SOON_MS: Final = 120_000
REPORT: Final = """addEventListener("securitypolicyviolation", ({violatedDirective, blockedURI}) =>
  console.error(`violates ${violatedDirective}: ${blockedURI}`))"""


@dataclass  # without slots: Playwright keeps something on the object of a callback
class Watched:
    """The troubles of all pages of a context."""

    origins: frozenset[str]
    allowed: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    _seen: list[str] = field(default_factory=list)

    @property
    def troubles(self) -> list[str]:
        """Errors on the console and of scripts, violations of the policy, foreign requests, and failures of ours."""
        return [one for one in self._seen if not any(re.search(allowed, one) for allowed in self.allowed)]

    def until_seen(self, page: Page, trouble: str) -> None:
        """Wait until there is a trouble with these words: what a browser reports comes when it comes."""
        for _ in range(0, SOON_MS, POLL_MS):
            if any(trouble in one for one in self.troubles):
                return
            page.wait_for_timeout(POLL_MS)
        raise AssertionError((trouble, self.troubles))

    def allow(self, trouble: str) -> None:
        """Expect troubles, which the test causes itself, by a regular expression."""
        self.allowed.append(trouble)

    def watch(self, context: BrowserContext) -> None:
        """See what all pages of a context do from now on."""
        context.add_init_script(REPORT)
        context.on("console", self._console)
        context.on("weberror", lambda error: self._seen.append(f"script: {error.error}"))
        context.on("request", self._request)
        context.on("response", self._response)
        context.on("page", self._page)

    def _page(self, page: Page) -> None:
        page.on("websocket", lambda socket: self._is_own(socket.url))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not REFUSED.match(message.text):
            self._seen.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        self.requests.append(request)
        self._is_own(request.url)

    def _response(self, response: Response) -> None:
        is_missing = response.status == 404 and "/page/" in response.url
        if response.status >= 500 or is_missing:
            self._seen.append(f"{response.status}: {response.url}")

    def _is_own(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"data", "blob", "about"} and f"{parts.scheme}://{parts.netloc}" not in self.origins:
            self._seen.append(f"foreign: {url}")


@contextmanager
def watched(context: BrowserContext, origins: frozenset[str]) -> Iterator[Watched]:
    """Watch a context; the test fails at its end if there was any trouble."""
    watching = Watched(origins)
    watching.watch(context)
    yield watching
    assert watching.troubles == []


def fill_in(page: Page, user: str, password: str = PASSWORD) -> None:
    """Fill in the provider's form and send it."""
    page.get_by_label("Username").fill(user)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def session(page: Page, call: str) -> object:
    """Return the result of a function of `session.js`, as `who()`; of an error its class or message."""
    returned: object = page.evaluate(
        f"""async () => {{
          const session = await import("/page/session.js");
          try {{ return await session.{call}; }} catch (error) {{
            return error instanceof session.SignedOut ? "SignedOut" : `${{error}}`;
          }}
        }}"""
    )
    return returned


def leave(page: Page, call: str, *, to: str | re.Pattern[str]) -> None:
    """Call what leaves the page, as `signOut()`, and wait until the browser is at the address `to`."""
    with page.expect_navigation(url=to):
        # Without waiting for what it returns: the page that would say so may be gone.
        page.evaluate(f"""async () => {{ const session = await import("/page/session.js"); void session.{call}; }}""")


def leave_for_sign_in(page: Page, call: str = "signIn()") -> None:
    """Begin a sign-in, and wait for the provider's form."""
    leave(page, call, to=re.compile(r"/oauth2/authorize\?"))
