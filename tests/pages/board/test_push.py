"""Messages to the browser: its service worker is registered under the page's own policy, and shows what comes."""

import base64
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final, NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Worker, expect

from andon.testing.environment import LocalContext
from demo.board.fake_api import contact_path, sign_in
from demo.board.pictures import PHONE
from pages.board import query
from tests.pages.board.test_query import environment

__all__ = ["environment"]  # a fixture

PATH: Final = contact_path("operator")
ENDPOINT: Final = "https://push.example/7f3c"
SUBSCRIPTION: Final = {"endpoint": ENDPOINT, "keys": {"p256dh": "B", "auth": "a"}}

# A browser without a screen asks nobody, and has no push service: what stands in for both ends at the worker.
SUBSCRIBED: Final = f"""
  Notification.requestPermission = async () => "granted";
  Object.defineProperty(Notification, "permission", {{ get: () => "default" }});
  let made = null;
  PushManager.prototype.getSubscription = async () => made;
  PushManager.prototype.subscribe = async (options) => {{
    window.asked = options;
    return made = {{ endpoint: "{ENDPOINT}", toJSON: () => ({json.dumps(SUBSCRIPTION)}),
      unsubscribe: async () => {{ made = null; return true; }} }};
  }};"""
SPY: Final = """() => { self.notified = []; self.opened = [];
  ServiceWorkerRegistration.prototype.showNotification = async (...said) => void self.notified.push(said);
  self.clients.openWindow = async (link) => void self.opened.push(link); }"""
SHOWN: Final = """async (count) => {
  while (self.notified.length < count) await new Promise((later) => setTimeout(later, 20));
  return self.notified; }"""
TAP: Final = """(link) => self.dispatchEvent(Object.assign(
  new ExtendableEvent("notificationclick"), { notification: { close() {}, data: { link } } }))"""


class Site(NamedTuple):
    """The page's own function behind an address of this machine, and an API that keeps one contact."""

    origin: str
    contacts: list[dict[str, Any]]


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("PUSH_KEY", "BPublic")
    contacts: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path == PATH:
                self.answer(200 if contacts else 404, contacts[-1] | {"verifiedAt": {}} if contacts else {})
                return
            event: dict[str, Any] = {"routeKey": "GET /", "requestContext": {"requestId": "1"}, "headers": {}}
            if path != "/":
                event |= {"routeKey": "GET /page/{file}", "pathParameters": {"file": path.removeprefix("/page/")}}
            answer = query.handler(event, LocalContext("board-query"))
            self.send(answer["statusCode"], answer["headers"], base64.b64decode(answer.get("body", "")))

        def do_PUT(self) -> None:
            contacts.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.answer(200, contacts[-1])

        def answer(self, status: int, body: object) -> None:
            self.send(status, {"content-type": "application/json"}, json.dumps(body).encode())

        def send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield Site(f"http://127.0.0.1:{server.server_port}", contacts)
        server.shutdown()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport=PHONE, locale="en-GB")
    sign_in(context, "operator")
    context.add_init_script(SUBSCRIBED)
    yield context
    context.close()


@pytest.fixture
def me(context: BrowserContext, site: Site) -> Page:
    page = context.new_page()
    page.goto(f"{site.origin}/#/me")
    return page


def turned_on(page: Page) -> Worker:
    """Turn messages on; return the worker that receives them."""
    with page.context.expect_event("serviceworker") as started:
        page.get_by_role("button", name="Tell me on this device").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    worker: Worker = started.value
    worker.evaluate(SPY)
    return worker


def deliver(page: Page, site: Site, data: str) -> None:
    """Deliver a message as the browser's push service would."""
    devtools = page.context.new_cdp_session(page)
    found: list[str] = []
    devtools.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(ids_in(event)))
    devtools.send("ServiceWorker.enable")
    while not found:
        page.wait_for_timeout(20)
    devtools.send(
        "ServiceWorker.deliverPushMessage", {"origin": site.origin, "registrationId": found[-1], "data": data}
    )
    devtools.detach()


def ids_in(event: dict[str, Any]) -> list[str]:
    return [one["registrationId"] for one in event["registrations"]]


def test_this_device_is_told_under_the_one_script_that_the_policy_lets_through(me: Page, site: Site) -> None:
    worker = turned_on(me)

    assert worker.url == f"{site.origin}/page/sw.js"
    assert site.contacts == [{"language": "en", "push": [SUBSCRIPTION]}]
    assert me.evaluate("window.asked") == {"userVisibleOnly": True, "applicationServerKey": "BPublic"}
    expect(me.get_by_role("region", name="This device")).to_contain_text("Not checked yet")
    refused = me.evaluate(
        """() => Promise.all(["/page/app.js", "/page/sw.js"].map((url) => new Promise((done) => setTimeout(
          () => navigator.serviceWorker.register(url).then(() => done(""), (error) => done(error.name))))))"""
    )
    assert refused == ["TypeError"] * 2, "a text is no address of a script, whoever has it"

    me.get_by_role("button", name="Not on this device any more").click()
    expect(me.get_by_text("You are not told there any more.")).to_be_visible()
    assert site.contacts[1:] == [{"language": "en"}]


def test_what_comes_is_shown_and_leads_to_the_page_alone(me: Page, site: Site) -> None:
    worker = turned_on(me)
    message = {
        "subject": "Press 7 stands",
        "text": "since 12:08",
        "about": "press-7",
        "urgency": "high",
        "language": "en",
    }
    link = f"{site.origin}/#a=token"

    for data in (json.dumps(message | {"link": link}), json.dumps({"link": "https://evil.example/"}), "no JSON", ""):
        deliver(me, site, data)

    first, *others = worker.evaluate(SHOWN, 4)
    assert (first[0], first[1]["body"], first[1]["tag"]) == ("Press 7 stands", "since 12:08", "press-7")
    assert first[1]["requireInteraction"] is True
    assert first[1]["data"] == {"link": link}
    assert [(subject, said["data"]["link"]) for subject, said in others] == [("Andon", f"{site.origin}/")] * 3
    worker.evaluate(TAP, link)
    assert worker.evaluate("self.opened") == [link]
