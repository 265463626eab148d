"""Mail: SES's request as the SDK makes it, no header but ours, and how each answer of SES's counts."""

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, Final

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st
from outbound.ended import assert_ended
from outbound.messages import MESSAGE
from wire.test_security import authorization_of

from andon.outbound.addresses import mail_address, masked_mail, masked_phone, phone_number
from andon.outbound.delivery import Message, NotTaken, Outcome, RefusedForGood, Sent, Unknown
from andon.outbound.mail import ADDRESS, SUBJECT, Mail, html_of, request_of, text_of
from andon.testing.either_wire import TOKEN, connected
from andon.testing.scripted_server import HUNG_UP, ScriptedAnswer, ScriptedServer, in_turn, whole
from andon.wire import aws

SENDER: Final = "andon@example.com"
MAIL: Final = Mail(SENDER)
TO_ANA: Final = MESSAGE._replace(address="ana@plant.example.mx")
TAKEN: Final = whole({"MessageId": "0100-7"})


@pytest.fixture
def ses() -> Iterator[ScriptedServer]:
    with ScriptedServer(in_turn(TAKEN)) as ses, connected(aws.LIBCURL, ses.url, AWS_DEFAULT_REGION="eu-central-1"):
        yield ses


def test_a_message_is_handed_over_as_the_sdk_does_it(ses: ScriptedServer) -> None:
    assert_ended(MAIL.send(TO_ANA), Sent("0100-7"))
    boto3.client("sesv2").send_email(**request_of(TO_ANA, SENDER))

    ours, theirs = ses.requests
    assert (ours.start, json.loads(ours.body)) == (theirs.start, json.loads(theirs.body))
    assert ours.headers["content-type"] == theirs.headers["content-type"]
    assert ours.headers["x-amz-security-token"] == TOKEN
    assert ours.headers["authorization"] == authorization_of(ours, "ses", TOKEN)


def refused(code: str, status: int) -> bytes:
    return whole({"message": "Address ana@plant.example.mx"}, status, more={"x-amzn-ErrorType": f"{code}:http://a/"})


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (refused("MessageRejected", 400), RefusedForGood("MessageRejected")),
        (refused("MailFromDomainNotVerifiedException", 400), NotTaken("MailFromDomainNotVerifiedException")),
        (refused("AccessDeniedException", 403), NotTaken("AccessDeniedException")),
        (refused("SendingPausedException", 400), NotTaken("SendingPausedException")),
        (refused("TooManyRequestsException", 429), NotTaken("TooManyRequestsException")),
        (refused("LimitExceededException", 400), NotTaken("LimitExceededException")),
        (refused("InternalFailure", 500), Unknown("InternalFailure")),
        (whole(b"<html>ana@plant.example.mx", 503), Unknown("HTTP 503")),
        (whole(b"", 400), RefusedForGood("HTTP 400")),
        (whole(b"no JSON"), Sent("")),
        (HUNG_UP, Unknown("ConnectionClosedError")),
    ],
)
def test_a_message_is_handed_over_once_whatever_the_answer(
    answer: bytes | ScriptedAnswer, expected: Outcome, ses: ScriptedServer
) -> None:
    ses.script = in_turn(answer)

    assert_ended(MAIL.send(TO_ANA), expected)
    assert len(ses.requests) == 1


def test_a_connection_that_was_kept_would_be_used_twice_by_libcurl(ses: ScriptedServer) -> None:
    MAIL.send(TO_ANA)
    ses.script = in_turn(HUNG_UP)

    assert_ended(MAIL.send(TO_ANA), Unknown("ConnectionClosedError"))
    assert (len(ses.requests), ses.connections) == (2, 2)


def test_nothing_was_sent_where_nobody_listens() -> None:
    with connected(aws.LIBCURL, "http://127.0.0.1:1"):
        assert_ended(MAIL.send(TO_ANA), NotTaken("EndpointConnectionError"))


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r", "\0", "\x0b", "\u2028", "\u2029", "\x85", "\x7f"])
def test_no_subject_brings_a_header_of_its_own(end: str, ses: ScriptedServer) -> None:
    assert_ended(MAIL.send(TO_ANA._replace(subject=f"x{end}Bcc: eve@evil.org")), RefusedForGood(SUBJECT))
    assert ses.requests == []


@pytest.mark.parametrize(
    "address",
    [
        *("ana@plant.mx,eve@evil.org", "ana@plant.mx\r\nBcc: eve@evil.org", "Ana <ana@plant.mx>", "ana@plant.mx\n"),
        *(
            "ana",
            "ana@",
            "@plant.mx",
            "ana@plant",
            "ana@127.0.0.1",
            "ána@plant.mx",
            '"a b"@plant.mx',
            "a@b@plant.mx",
            "",
        ),
        *("ana@plant..mx", "ana@-plant.mx", f"{'a' * 65}@plant.mx", f"ana@{'plant.' * 50}mx"),
    ],
)
def test_what_is_no_address_gets_no_mail(address: str, ses: ScriptedServer) -> None:
    assert_ended(MAIL.send(MESSAGE._replace(address=address)), RefusedForGood(ADDRESS))
    assert ses.requests == []


@pytest.mark.parametrize("address", ["a@b.mx", "ana.lópez@plant.mx".replace("ó", "o"), "o'hara+andon@a-b.example.mx"])
def test_ordinary_addresses_are_taken(address: str) -> None:
    assert mail_address(address) == address


@pytest.mark.parametrize("number", ["5213312345678", "+0213312345678", "+52 33 1234", "+1234567890123456", "+52331\n"])
def test_what_is_no_number_is_refused(number: str) -> None:
    with pytest.raises(ValueError, match="country's code"):
        phone_number(number)


def test_others_see_too_little_of_an_address_to_write_to_it() -> None:
    assert masked_mail("ana.lopez@plant.example.mx") == "a•••@p•••"
    assert masked_phone("+5213312345678") == "•••78"


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str | None] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name not in {"style", "lang", "charset"}]

    def handle_data(self, words: str) -> None:
        self.words.append(words)


def page_of(message: Message) -> Any:  # noqa: ANN401  the class is private
    page = _Page()
    page.feed(html_of(message))
    return page


@given(st.text(max_size=60), st.text(max_size=100))
def test_no_text_becomes_a_tag_or_a_link(subject: str, text: str) -> None:
    tag = "<a href=https://evil.org>x</a>"
    page = page_of(TO_ANA._replace(subject=f"{subject} {tag}", text=f"{text}\n{tag}", language=f'"> {tag}'))

    assert page.links == [MESSAGE.link]
    assert set(page.tags) <= {"html", "meta", "body", "h1", "p", "a"}


def test_both_bodies_say_the_same_and_where_the_link_leads() -> None:
    page = page_of(TO_ANA)

    assert page.words == [MESSAGE.subject, *MESSAGE.text.splitlines(), "page.example.com"]
    assert text_of(TO_ANA) == f"{MESSAGE.text}\n\n{MESSAGE.link}"
    assert text_of(TO_ANA._replace(link=None)) == MESSAGE.text
    assert page_of(TO_ANA._replace(link=None)).links == []


def test_machines_do_not_answer_it() -> None:
    assert request_of(TO_ANA, SENDER)["Content"]["Simple"]["Headers"] == (
        {"Name": "Auto-Submitted", "Value": "auto-generated"},
    )
