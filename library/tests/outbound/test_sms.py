"""SMS: SNS's request as the SDK makes it, with a price that it may not exceed."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qsl

import boto3
import pytest
from outbound.ended import assert_ended
from outbound.messages import MESSAGE
from wire.test_security import authorization_of

from andon.outbound.delivery import NotTaken, Outcome, RefusedForGood, Sent, Unknown
from andon.outbound.sms import ADDRESS, TOO_LONG, Sms, text_of
from andon.testing.either_wire import TOKEN, connected
from andon.testing.scripted_server import HUNG_UP, ScriptedAnswer, ScriptedServer, in_turn, whole
from andon.wire import aws

NUMBER: Final = "+5213312345678"
SMS: Final = Sms(most_dollars="0.25")
TO_ANA: Final = MESSAGE._replace(address=NUMBER)
TAKEN: Final = (
    b'<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult><MessageId>94f20ce6-1</MessageId>'
    b"</PublishResult><ResponseMetadata><RequestId>f187</RequestId></ResponseMetadata></PublishResponse>"
)


def refused(code: str, status: int) -> bytes:
    words = f"<Type>Sender</Type><Code>{code}</Code><Message>Invalid: {NUMBER}</Message>"
    return whole(f"<ErrorResponse><Error>{words}</Error><RequestId>1</RequestId></ErrorResponse>".encode(), status)


@pytest.fixture
def sns() -> Iterator[ScriptedServer]:
    with (
        ScriptedServer(in_turn(whole(TAKEN))) as sns,
        connected(aws.LIBCURL, sns.url, AWS_DEFAULT_REGION="eu-central-1"),
    ):
        yield sns


def test_a_message_is_handed_over_as_the_sdk_does_it(sns: ScriptedServer) -> None:
    assert_ended(SMS.send(TO_ANA), Sent("94f20ce6-1"))
    boto3.client("sns").publish(
        PhoneNumber=NUMBER,
        Message=text_of(TO_ANA, most_parts=3).text,
        MessageAttributes={
            "AWS.SNS.SMS.SMSType": {"DataType": "String", "StringValue": "Transactional"},
            "AWS.SNS.SMS.MaxPrice": {"DataType": "Number", "StringValue": "0.25"},
        },
    )

    ours, theirs = sns.requests
    assert (ours.start, dict(parse_qsl(ours.body))) == (theirs.start, dict(parse_qsl(theirs.body)))
    assert ours.headers["content-type"] == theirs.headers["content-type"]
    assert ours.headers["authorization"] == authorization_of(ours, "sns", TOKEN)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (refused("InvalidParameter", 400), RefusedForGood("InvalidParameter")),
        (refused("AuthorizationError", 403), NotTaken("AuthorizationError")),
        (refused("Throttling", 400), NotTaken("Throttling")),
        (refused("Throttled", 429), NotTaken("Throttled")),
        (refused("InternalError", 500), Unknown("InternalError")),
        (refused("To +5213312345678", 400), RefusedForGood("HTTP 400")),
        (HUNG_UP, Unknown("ConnectionClosedError")),
    ],
)
def test_a_message_is_handed_over_once_whatever_the_answer(
    answer: bytes | ScriptedAnswer, expected: Outcome, sns: ScriptedServer
) -> None:
    sns.script = in_turn(answer)

    assert_ended(SMS.send(TO_ANA), expected)
    assert len(sns.requests) == 1


@pytest.mark.parametrize(
    "number", ["", "5213312345678", "+52 33 1234 5678", "arn:aws:sns:us-east-1:000000000000:topic"]
)
def test_what_is_no_number_gets_no_sms(number: str, sns: ScriptedServer) -> None:
    assert_ended(SMS.send(MESSAGE._replace(address=number)), RefusedForGood(ADDRESS))
    assert sns.requests == []


def test_a_text_is_cut_and_its_link_is_not() -> None:
    written = text_of(TO_ANA._replace(text="línea " * 200), most_parts=3)

    assert written.parts == 3
    assert written.text.startswith("Press 7: ERROR\nlinea linea")
    assert written.text.endswith(f"...\n{MESSAGE.link}")


def test_a_link_that_is_longer_than_what_may_be_paid_for_is_not_sent(sns: ScriptedServer) -> None:
    assert_ended(SMS.send(TO_ANA._replace(link="https://x/" + "a" * 500)), RefusedForGood(TOO_LONG))
    assert sns.requests == []
