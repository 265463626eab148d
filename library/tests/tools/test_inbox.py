"""Whatever a channel sends can be read as it was meant."""

import base64
import json
import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outbound.messages import MESSAGE

from andon.outbound import mail, sms
from andon.outbound.addresses import Destination, Hosts, subscription_of
from andon.outbound.delivery import Message
from andon.outbound.push import MOST_BYTES, content_of, encrypt, ephemeral
from andon.outbound.webhook import pagerduty, plain, teams
from andon.runtime.json_types import JsonObject
from andon.tools.inbox import __main__
from andon.tools.inbox.__main__ import MOST, most_of
from andon.tools.inbox.sent import (
    BROKEN,
    ELSEWHERE,
    HOST,
    Browser,
    NotForThis,
    SentMessage,
    browser_of,
    mails_in,
    posts_in,
    texts_in,
)
from andon.tools.stack.errors import ToolFailed

Format = Callable[[Message, Destination, str], JsonObject]

AT_S = 1_795_000_000.25
AT_MS = 1_795_000_000_250
TEXT = f"{MESSAGE.text}\n{MESSAGE.link}"
ANA = browser_of("ana")


def posted(address: str, body: bytes, **headers: str) -> dict[str, Any]:
    """The sink's answer, with a message in it."""
    encoded = base64.b64encode(body).decode()
    return {"messages": [{"id": 7, "at": AT_MS, "address": address, "headers": headers, "body": encoded}]}


def pushed(browser: Browser, content: bytes, *, address: str | None = None) -> list[SentMessage]:
    to = subscription_of(browser.subscription, Hosts([HOST]))
    body = encrypt(content, browser=to.browser, auth=to.auth, once=ephemeral(os.urandom(16)))
    return [*posts_in(posted(address or to.target.url, body, **{"content-encoding": "aes128gcm"}))]


def shown(one: SentMessage) -> list[str]:
    return __main__.message(one).plain.split("\n")


def test_a_mail_is_read() -> None:
    record = {"MessageId": "m", "To": ["ana@example.com"], "Timestamp": AT_S, "Subject": MESSAGE.subject}
    answer = {"messages": {"000000000000": [{**record, "BodyText": mail.text_of(MESSAGE)}]}}

    assert [*mails_in(answer)] == [
        SentMessage(AT_MS, "mail", "m", "ana@example.com", MESSAGE.subject, mail.text_of(MESSAGE))
    ]


def test_an_sms_is_read() -> None:
    text = sms.text_of(MESSAGE, most_parts=3).text
    answer = {"sms_messages": {"+5213": [{"MessageId": "s", "Message": text, "Timestamp": AT_S}]}}

    [one] = texts_in(answer)

    assert one[:5] == (AT_MS, "sms", "s", "+5213", MESSAGE.subject)
    assert one.text.endswith(f"\n{MESSAGE.link}")


@pytest.mark.parametrize("made", [plain, pagerduty, teams])
def test_a_webhook_of_each_format_says_what_its_message_said(made: Format) -> None:
    target = Hosts(["hooks.example.com"]).target_of("https://hooks.example.com/ana")

    def read(body: JsonObject) -> SentMessage:
        [one] = posts_in(posted(target.url, json.dumps(body).encode()))
        return one

    assert read(made(MESSAGE, target, "here")) == (AT_MS, "webhook", "7", target.url, MESSAGE.subject, TEXT)
    assert read(made(MESSAGE._replace(link=""), target, "here")).text == MESSAGE.text


@pytest.mark.parametrize("body", [b"\xff{", b"[]", b'{"text": "no subject"}'])
def test_a_body_of_another_format_is_shown_as_it_is(body: bytes) -> None:
    [one] = posts_in(posted("https://hooks.example.com/ana", body))

    assert (one.subject, one.text) == ("", body.decode(errors="replace"))


@given(st.binary(max_size=MOST_BYTES))
def test_a_browser_reads_what_was_encrypted_for_it_and_no_other_one_does(content: bytes) -> None:
    to = subscription_of(ANA.subscription, Hosts([HOST]))
    body = encrypt(content, browser=to.browser, auth=to.auth, once=ephemeral(os.urandom(16)))

    assert ANA.read(body) == content
    with pytest.raises(NotForThis):
        browser_of("eva").read(body)


@given(st.binary(max_size=200))
def test_what_is_no_push_is_for_no_browser(body: bytes) -> None:
    with pytest.raises(NotForThis):
        ANA.read(body)


def test_a_push_is_read_by_the_browser_that_its_address_is_of() -> None:
    [one] = pushed(ANA, content_of(MESSAGE))
    [foreign] = pushed(ANA, content_of(MESSAGE), address="https://fcm.googleapis.com/x")
    [broken] = pushed(ANA, content_of(MESSAGE), address=f"https://{HOST}/eva")

    assert one == (AT_MS, "push", "7", f"https://{HOST}/ana", MESSAGE.subject, TEXT)
    assert (foreign.text, broken.text) == (ELSEWHERE, BROKEN)


def test_a_link_stands_in_a_line_of_its_own_and_nothing_else_reaches_the_terminal() -> None:
    text = f"a\tb\n\nsee {MESSAGE.link}\n{MESSAGE.link}"
    one = SentMessage(AT_MS, "mail", "m", "ana@example.com", "Press\x1b[2J 7", text)

    lines = shown(one)

    assert lines[1] == "11:06:40  mail    ana@example.com"
    assert [line.strip() for line in lines[2:]] == ["Press�[2J 7", "a�b", f"see {MESSAGE.link}", MESSAGE.link]
    assert lines[-1] == MESSAGE.link


def test_the_heading_says_how_many_are_not_shown() -> None:
    one = SentMessage(AT_MS, "mail", "m", "ana@example.com", "", "")

    assert __main__.heading([one] * 3, url="here", shown=3).plain == "here · sent: 3 · times are UTC"
    assert "the newest 2 of them here (more: N=3)" in __main__.heading([one] * 3, url="here", shown=2).plain


def test_the_number_of_messages_is_one() -> None:
    assert [most_of(text) for text in (None, "", "3")] == [MOST, MOST, 3]
    for wrong in ("0", "-1", "x", "1.5"):
        with pytest.raises(ToolFailed, match="N is a number of messages"):
            most_of(wrong)
