"""Sign-in by the real form, and what happens to the tokens until sign-out."""

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from contract import groups
from tests.e2e.browser.conftest import SignedIn
from tests.support.browser import Watched, fill_in, leave, leave_for_sign_in, session

TOKEN_ENDPOINT = "**/oauth2/token"
HOUR_MS = 3_600_000
CALL = """async ([method, path]) => {
  const token = await (await import("/page/session.js")).accessToken();
  const response = await fetch(path, {method, headers: {authorization: `Bearer ${token}`}});
  return response.status;
}"""


def storage(page: Page) -> dict[str, Any]:
    """Return the browser's storage: `{"session": {…}, "local": {…}}`."""
    return dict(page.evaluate("() => ({session: {...sessionStorage}, local: {...localStorage}})"))


def call(page: Page, method: str, path: str) -> int:
    return int(page.evaluate(CALL, [method, path]))


def to_token_endpoint(watch: Watched) -> list[dict[str, list[str]]]:
    return [parse_qs(one.post_data or "") for one in watch.requests if one.url.endswith("/oauth2/token")]


def on_the_way_back(page: Page, answer: Callable[[Route, dict[str, str]], None]) -> None:
    """Sign in, and answer instead of the provider when it sends back; with the parameters that it sends."""

    def answered(route: Route) -> None:
        location = route.fetch(max_redirects=0).headers["location"]
        answer(route, {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()})

    page.goto("/")
    page.route("**/login", answered)
    leave_for_sign_in(page)
    with page.expect_response("**/login"):
        fill_in(page, "operator")


def changed(page: Page, change: dict[str, str]) -> None:
    """Sign in, and change parameters of the address that the provider sends back to."""

    def answer(route: Route, parameters: dict[str, str]) -> None:
        route.fulfill(status=302, headers={"location": f"/?{urlencode(parameters | change)}"})

    with page.expect_navigation(url=re.compile(r"/\?code=")):
        on_the_way_back(page, answer)


def test_who_signs_in_by_the_form_is_who_the_token_names_and_comes_back_to_the_same_place(
    signed_in: SignedIn, origin: str
) -> None:
    page = signed_in("supervisor", "#/board/Acme/Guadalajara")

    who = session(page, "who()")
    assert isinstance(who, dict)
    assert who.pop("subject")
    assert who == {"name": "supervisor", "groups": [groups.SUPERVISOR], "readsOnly": False}
    assert page.url == f"{origin}/#/board/Acme/Guadalajara", "the code is not in the address any more"
    assert call(page, "GET", "/board/Acme") == 200


def test_the_tokens_of_a_person_are_gone_with_the_tab(signed_in: SignedIn, context: BrowserContext) -> None:
    page = signed_in("operator")

    kept = storage(page)
    assert kept["local"] == {}
    assert [*kept["session"]] == ["andon.tokens"], "the verifier is gone, too"
    other = context.new_page()
    other.goto("/")
    assert session(other, "start()") is None


def test_a_reload_keeps_the_session_and_asks_for_no_token(signed_in: SignedIn, watch: Watched) -> None:
    page = signed_in("operator")
    before = len(to_token_endpoint(watch))

    page.reload()

    assert session(page, "start()") == session(page, "who()") != None  # noqa: E711
    assert len(to_token_endpoint(watch)) == before


def test_a_wrong_password_leads_nowhere(page: Page) -> None:
    page.goto("/")
    leave_for_sign_in(page)

    fill_in(page, "operator", "Not-the-password-1")

    expect(page.get_by_text("Incorrect username or password")).to_be_visible()
    assert "code=" not in page.url


@pytest.mark.parametrize("redirect", ["https://example.com/", "{origin}/page/", "{origin}.example.com/", "{origin}"])
def test_a_foreign_redirect_is_refused_before_anybody_types_a_password(page: Page, origin: str, redirect: str) -> None:
    page.goto("/")
    leave_for_sign_in(page)
    parts = urlsplit(page.url)
    query = parse_qs(parts.query) | {"redirect_uri": [redirect.format(origin=origin)]}

    response = page.goto(f"{origin}{parts.path}?{urlencode(query, doseq=True)}")

    assert response is not None
    assert response.status == 400
    expect(page.get_by_label("Password")).to_have_count(0)


def test_without_its_verifier_a_code_is_of_no_use_to_who_steals_it(page: Page, origin: str) -> None:
    stolen: list[str] = []

    def steal(route: Route, parameters: dict[str, str]) -> None:
        stolen.append(parameters["code"])
        route.fulfill(status=204)

    on_the_way_back(page, steal)

    client = page.request.get("/page/settings.json").json()["clientId"]
    form = {"grant_type": "authorization_code", "client_id": client, "code": stolen[0], "redirect_uri": f"{origin}/"}
    for verifier in ({}, {"code_verifier": "x" * 43}):
        answer = page.request.post("/oauth2/token", form=form | verifier)
        assert (answer.status, answer.json()["error"]) == (400, "invalid_grant")


def test_a_way_back_with_another_state_is_refused(page: Page, watch: Watched) -> None:
    changed(page, {"state": "of-somebody-else"})

    assert session(page, "start()") is None
    assert session(page, "refusal()") == "state"
    assert to_token_endpoint(watch) == []
    assert "code=" not in page.url


def test_a_way_back_that_nobody_began_changes_no_session(signed_in: SignedIn, watch: Watched) -> None:
    page = signed_in("operator")
    before, asked = session(page, "who()"), len(to_token_endpoint(watch))

    page.goto("/?code=of-the-attacker&state=of-the-attacker")

    assert session(page, "start()") == before
    assert session(page, "refusal()") == "state"
    assert len(to_token_endpoint(watch)) == asked


def test_a_code_that_the_provider_does_not_know_is_refused(page: Page) -> None:
    changed(page, {"code": "made-up"})

    assert session(page, "start()") is None
    assert session(page, "refusal()") == "exchange"


def test_an_expired_token_is_renewed_once_whoever_asks(page: Page, signed_in: SignedIn, watch: Watched) -> None:
    page.clock.install()
    signed_in("supervisor")
    old, before = session(page, "accessToken()"), len(to_token_endpoint(watch))

    page.clock.fast_forward(HOUR_MS)
    asked = "Promise.all([1, 2, 3].map(() => session.accessToken()))"
    tokens = page.evaluate(f"""async () => {{ const session = await import("/page/session.js"); return {asked}; }}""")

    assert len(set(tokens)) == 1
    assert tokens[0] != old
    assert [one["grant_type"] for one in to_token_endpoint(watch)[before:]] == [["refresh_token"]]
    assert call(page, "GET", "/board/Acme") == 200, "with the groups of before"


def test_a_session_that_the_provider_ends_is_over(page: Page, signed_in: SignedIn) -> None:
    signed_in("operator")
    page.route(TOKEN_ENDPOINT, lambda route: route.fulfill(status=400, json={"error": "invalid_grant"}))
    page.evaluate("""async () => {
      const {onEnd} = await import("/page/session.js");
      onEnd(() => { window.ends = 1 });
    }""")

    assert session(page, "accessToken({renew: true})") == "SignedOut"
    assert page.evaluate("() => window.ends") == 1
    assert session(page, "who()") is None
    assert storage(page) == {"session": {}, "local": {}}


@pytest.mark.parametrize("status", [None, 429, 500])
def test_without_the_provider_the_session_goes_on(
    page: Page, signed_in: SignedIn, watch: Watched, status: int | None
) -> None:
    watch.allow(r"Failed to load resource|^500: .*/oauth2/token")
    page.clock.install()
    signed_in("operator")
    before = session(page, "who()")
    page.route(TOKEN_ENDPOINT, lambda route: route.fulfill(status=status) if status else route.abort())

    page.clock.fast_forward(HOUR_MS)
    assert str(session(page, "accessToken()")).startswith(("TypeError", "Error"))
    assert session(page, "who()") == before

    page.unroute(TOKEN_ENDPOINT)
    assert call(page, "GET", "/board/Acme") == 200


def test_sign_out_withdraws_the_tokens_and_forgets_them(page: Page, signed_in: SignedIn, origin: str) -> None:
    signed_in("operator")
    refresh = json.loads(storage(page)["session"]["andon.tokens"])["refresh"]
    withdrawn: list[str] = []

    def configuration(route: Route) -> None:  # the emulator cannot revoke; Cognito can
        known = route.fetch().json()
        route.fulfill(json=known | {"revocation_endpoint": f"{origin}/oauth2/revoke"})

    def revoke(route: Route) -> None:
        withdrawn.append(route.request.post_data or "")
        route.fulfill(status=200)

    page.route("**/.well-known/openid-configuration", configuration)
    page.route("**/oauth2/revoke", revoke)
    page.reload()
    leave(page, "signOut()", to=f"{origin}/")

    assert [parse_qs(one)["token"] for one in withdrawn] == [[refresh]]
    assert storage(page) == {"session": {}, "local": {}}
    assert session(page, "start()") is None
    assert session(page, "accessToken()") == "SignedOut"
    page.go_back()
    page.goto("/")
    assert session(page, "start()") is None


def test_a_wall_screen_stays_signed_in_over_a_restart_and_can_only_read(
    page: Page, signed_in: SignedIn, browser: Browser, origin: str
) -> None:
    signed_in("operator", wall=True)
    state = page.context.storage_state()

    restarted = browser.new_context(base_url=origin, storage_state=state)
    wall = restarted.new_page()
    wall.goto("/")
    who = session(wall, "start()")

    assert isinstance(who, dict)
    assert who["readsOnly"] is True
    assert session(wall, "accessToken({renew: true})")
    assert call(wall, "GET", "/board/Acme") == 200
    log = "/equipment/press-7/logs/ERROR/2020-04-24T14:55:00.000Z"
    for method, path in [("PUT", f"{log}/assignment"), ("PUT", "/equipment/press-7"), ("POST", "/states")]:
        assert call(wall, method, path) == 403, "whoever signed it in"
    restarted.close()


def test_who_uses_a_wall_screen_for_a_moment_leaves_it_signed_in(page: Page, signed_in: SignedIn, origin: str) -> None:
    signed_in("analyst", wall=True)
    signed_in("supervisor")
    assert session(page, "who().name") == "supervisor"

    leave(page, "signOut()", to=f"{origin}/")

    assert session(page, "start().then(({name}) => name)") == "analyst"


def test_a_wall_screen_that_signs_out_does_so_in_all_tabs(
    page: Page, signed_in: SignedIn, context: BrowserContext, origin: str
) -> None:
    signed_in("analyst", wall=True)
    other = context.new_page()
    other.goto("/")
    assert session(other, "start()")
    ended = other.evaluate_handle(
        """async () => { const {onEnd} = await import("/page/session.js"); return {end: new Promise(onEnd)} }"""
    )

    leave(page, "signOut()", to=f"{origin}/")

    ended.evaluate("async ({end}) => { await end }")
    assert session(other, "who()") is None
