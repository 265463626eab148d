"""The deployed page in a browser, and the limits on it."""

import sys

import pytest
from playwright.sync_api import Page

from andon.tools.stack.api import ApiClient
from tests.support.browser import Watched

FIRST_PAINT_BYTES = 100_000


def test_the_first_paint_takes_less_than_100_kb(page: Page, watch: Watched) -> None:
    page.goto("/", wait_until="networkidle")

    bytes_of = {one.url: one.sizes()["responseBodySize"] for one in watch.requests}
    sys.stdout.write(f"first paint: {len(bytes_of)} requests, {sum(bytes_of.values())} bytes\n")
    assert 0 < sum(bytes_of.values()) < FIRST_PAINT_BYTES, bytes_of


def test_a_second_visit_asks_whether_there_is_something_newer(page: Page, watch: Watched) -> None:
    page.goto("/", wait_until="networkidle")
    first = len(watch.requests)
    page.goto("/", wait_until="networkidle")

    revalidated = [one.response() for one in watch.requests[first:] if one.url.endswith(".js")]
    assert {one.status for one in revalidated if one} == {304}


@pytest.mark.parametrize(
    ("script", "trouble"),
    [
        ("document.body.setAttribute('style', 'color: red')", "violates style-src"),
        ("document.body.append(Object.assign(new Image(), {src: 'https://example.com/'}))", "img-src"),
        ("fetch('https://example.com/').catch(() => 0)", "connect-src"),
        ("document.body.append(Object.assign(document.createElement('iframe'), {src: '/'}))", "frame-src"),
        ("console.error('broken')", "console: broken"),
        ("setTimeout(() => { throw new Error('broken') })", "script: "),
    ],
)
def test_what_a_page_must_not_do_does_not_go_unseen(page: Page, watch: Watched, script: str, trouble: str) -> None:
    page.goto("/")

    page.evaluate(f"() => {{ {script} }}")

    watch.until_seen(page, trouble)
    watch.allow("")  # all of it was on purpose


@pytest.mark.parametrize("sink", ["document.body.innerHTML = '<b>x</b>'", "eval('1')", "new Function('1')"])
def test_no_text_becomes_code(page: Page, watch: Watched, sink: str) -> None:
    page.goto("/")
    watch.allow("require-trusted-types-for|script-src|Trusted|eval")

    # Later, for while Playwright evaluates something the policy lets it.
    attempt = f"() => {{ try {{ {sink}; done('') }} catch (error) {{ done(error.name) }} }}"
    refused = page.evaluate(f"() => new Promise((done) => setTimeout({attempt}))")

    assert refused in {"TypeError", "EvalError"}


@pytest.mark.parametrize("name", ["query.py", "..%2Fquery.py", "%2e%2e", "no-such.js", "constructor"])
def test_nothing_but_the_files_of_the_page_is_served(origin: str, name: str) -> None:
    assert ApiClient(origin).get(f"/page/{name}").status == 404


def test_no_other_site_shows_the_page_in_a_frame_or_reads_it(origin: str) -> None:
    headers = ApiClient(origin).get("/").headers

    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers
