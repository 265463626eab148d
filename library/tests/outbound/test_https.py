"""A POST to somebody else's host: what it sends, where it never goes, and how each of its endings counts."""

from collections.abc import Iterator
from typing import Final

import pytest
from outbound.ended import assert_ended

from andon.outbound import provider
from andon.outbound.addresses import Destination, Hosts
from andon.outbound.delivery import NotTaken, Outcome, RefusedForGood, Sent, Unknown
from andon.outbound.provider import NOT_PUBLIC, outcome_of, post
from andon.outbound.variables import SINK
from andon.testing.certificates import Authority
from andon.testing.scripted_server import HUNG_UP, SILENCE, ScriptedAnswer, ScriptedServer, in_turn, whole

NAME: Final = "hooks.localhost"  # libcurl knows all names below `localhost`: they are this machine
HEADERS: Final = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.create(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def trusting(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """This machine counts as public, and has certificates that are trusted."""
    monkeypatch.setenv("AWS_CA_BUNDLE", str(authority.bundle))
    monkeypatch.setattr(provider, "is_public", lambda address: address in {"127.0.0.1", "::1"})
    return authority


@pytest.fixture
def server(trusting: Authority) -> Iterator[ScriptedServer]:
    with ScriptedServer(in_turn(whole()), tls=trusting.server(NAME)) as server:
        yield server


def target_of(server: ScriptedServer, path: str = "/x") -> Destination:
    return Destination(NAME, server.port, path, "")


def outcome(server: ScriptedServer) -> Outcome:
    return outcome_of(post(target_of(server), HEADERS, b"{}"), provider_id="7")


def test_a_request_is_sent_once_with_its_headers_and_body(server: ScriptedServer) -> None:
    reply = post(target_of(server, "/v2?a=b"), {**HEADERS, "topic": "t"}, b'{"n": 1}')

    (asked,) = server.requests
    assert (reply.status, reply.body, reply.failed) == (200, b"{}", "")
    assert asked.start == "POST /v2?a=b HTTP/1.1"
    assert asked.body == b'{"n": 1}'
    assert asked.headers["host"] == f"{NAME}:{server.port}"
    assert (asked.headers["content-type"], asked.headers["topic"]) == ("application/json", "t")
    assert not {"expect", "authorization", "cookie", "referer"} & asked.headers.keys()


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        *((200, Sent("7")), (202, Sent("7")), (301, RefusedForGood("HTTP 301")), (307, RefusedForGood("HTTP 307"))),
        *((400, RefusedForGood("HTTP 400")), (404, RefusedForGood("HTTP 404")), (429, NotTaken("HTTP 429"))),
        *((500, Unknown("HTTP 500")), (503, Unknown("HTTP 503"))),
    ],
)
def test_the_status_says_how_a_call_ended(status: int, expected: Outcome, server: ScriptedServer) -> None:
    elsewhere = {"Location": f"https://{NAME}:{server.port}/elsewhere"}
    server.script = in_turn(whole({}, status, more=elsewhere))

    assert_ended(outcome(server), expected)
    assert len(server.requests) == 1


def test_what_broke_off_after_the_request_went_out_may_have_been_done(server: ScriptedServer) -> None:
    server.script = in_turn(HUNG_UP)

    assert_ended(outcome(server), Unknown("ConnectionClosedError"))


def test_a_host_that_answers_and_talks_on_for_ever_has_answered(server: ScriptedServer) -> None:
    server.script = in_turn(whole(b"a" * 1_000_000))

    reply = post(target_of(server), HEADERS, b"{}")

    assert_ended(outcome_of(reply), Sent(""))
    assert len(reply.body) < 200_000


@pytest.mark.parametrize("answer", [SILENCE, ScriptedAnswer(whole(), drip_s=0.05)], ids=["silence", "drip"])
def test_a_host_that_is_slow_does_not_hold_the_others_up(
    answer: ScriptedAnswer, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert provider.LONGEST_MS == 5_000
    monkeypatch.setattr(provider, "LONGEST_MS", 200)
    server.script = in_turn(answer)

    assert_ended(outcome(server), Unknown("ReadTimeoutError"))


def test_nothing_was_sent_where_nobody_listens(trusting: Authority) -> None:
    with ScriptedServer(in_turn(whole()), tls=trusting.server(NAME)) as server:
        target = target_of(server)

    assert_ended(outcome_of(post(target, HEADERS, b"{}")), NotTaken("EndpointConnectionError"))


def test_nothing_is_sent_to_a_host_with_another_ones_certificate(trusting: Authority) -> None:
    with ScriptedServer(in_turn(whole()), tls=trusting.server("other.localhost")) as server:
        assert_ended(outcome(server), NotTaken("SSLError"))
    assert server.requests == []


def test_nothing_is_sent_to_a_host_whose_certificate_nobody_vouches_for(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_CA_BUNDLE")

    assert_ended(outcome(server), NotTaken("SSLError"))
    assert server.requests == []


@pytest.mark.parametrize(
    "host", [NAME, "localhost", "127.0.0.1", "127.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0"]
)
def test_no_connection_is_made_to_an_address_that_is_not_public(host: str, authority: Authority) -> None:
    with ScriptedServer(in_turn(whole()), tls=authority.server(NAME)) as server:
        reply = post(Destination(host, server.port, "/", ""), HEADERS, b"{}")

    assert_ended(outcome_of(reply), RefusedForGood(NOT_PUBLIC))
    assert server.connections == 0


def test_a_name_that_leads_elsewhere_when_it_is_asked_again_is_checked_again(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_ended(outcome(server), Sent("7"))
    checked: list[str] = []

    def is_public(address: str) -> bool:
        checked.append(address)
        return False

    monkeypatch.setattr(provider, "is_public", is_public)

    assert_ended(outcome(server), RefusedForGood(NOT_PUBLIC))
    assert (server.connections, len(checked)) == (1, 1)  # one address that is not public is enough


def test_no_proxy_of_the_environment_stands_between(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("https_proxy", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    assert_ended(outcome(server), Sent("7"))


@pytest.fixture
def sink(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with ScriptedServer(in_turn(whole())) as sink:
        monkeypatch.setenv(SINK, sink.url)
        yield sink


def test_on_one_machine_all_goes_into_the_sink(sink: ScriptedServer) -> None:
    target = Hosts(["events.pagerduty.com"]).target_of("https://events.pagerduty.com/v2/enqueue#key")

    assert_ended(outcome_of(post(target, HEADERS, b"{}")), Sent(""))
    assert [asked.start for asked in sink.requests] == ["POST /events.pagerduty.com/v2/enqueue HTTP/1.1"]


@pytest.mark.parametrize(
    "form", ["http://localhost:{}", "http://127.0.0.1:{}/", "http://127.0.0.1:{}@a.localhost", "{}"]
)
def test_nothing_but_a_port_of_this_machine_can_be_the_sink(
    form: str, sink: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SINK, form.format(sink.port))

    assert_ended(outcome_of(post(Destination(NAME, sink.port, "/", ""), HEADERS, b"{}")), RefusedForGood(NOT_PUBLIC))
    assert sink.connections == 0
