"""Retries and final errors, over either wire, from a scripted server."""

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import pytest

from andon.dynamodb.client import Put, Table, transact
from andon.dynamodb.schema import Keys
from andon.runtime import clock
from andon.runtime.errors import CallFailed
from andon.testing.either_wire import BOTH, connected, outcome_of
from andon.testing.scripted_server import (
    HUNG_UP,
    SILENCE,
    ReceivedRequest,
    Script,
    ScriptedAnswer,
    ScriptedServer,
    in_turn,
    refused,
    whole,
)
from andon.wire import aws, aws_json, deadline, retries
from andon.wire.deadline import begun_by

KEY: Final = {"pk": {"S": "a"}}
ITEM: Final = {"Item": {"pk": {"S": "a"}, "n": {"N": "9" * 38}}}
THROTTLING: Final = ("ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded")


@pytest.fixture(autouse=True)
def longest_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """No jitter: every pause is the longest."""
    monkeypatch.setattr(random, "random", lambda: 1.0)


def get() -> dict[str, Any]:
    found = aws.call("dynamodb", "get_item", TableName="things", Key=KEY)
    return {name: value for name, value in found.items() if name != "ResponseMetadata"}


def code_of(do: Callable[[], object]) -> str:
    """Return the code of the error that a call ends with."""
    with pytest.raises(CallFailed) as failed:
        do()
    return failed.value.code


def outcomes(script: Callable[[], Script], do: Callable[[], object] = get) -> tuple[Any, int]:
    """Return the outcome of a call, the same over both wires, and the number of requests it took."""
    found = []
    for wire in BOTH:
        with ScriptedServer(script()) as server, connected(wire, server.url):
            found.append((outcome_of(do), len(server.requests)))
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize("code", THROTTLING)
def test_throttling_is_tried_again_with_longer_and_longer_pauses(code: str, pauses: list[float]) -> None:
    outcome = outcomes(lambda: in_turn(refused(code), refused(code), refused(code), whole(ITEM)))

    assert outcome == (ITEM, 4)
    assert pauses[:3] == [1, 2, 4]
    assert all(other <= longest for other, longest in zip(pauses[3:], pauses[:3], strict=True))  # botocore's jitter


def test_four_attempts_are_all(pauses: list[float]) -> None:
    outcome, requests = outcomes(lambda: in_turn(refused("ThrottlingException")))

    assert (outcome["code"], requests, len(pauses)) == ("ThrottlingException", 4, 2 * 3)


@pytest.mark.parametrize("status", [500, 502, 503, 504])
@pytest.mark.parametrize("body", [b'{"__type": "InternalServerError"}', b"<html>no</html>", b"", b"[]"])
def test_what_failed_inside_of_aws_is_tried_again_soon(status: int, body: bytes, pauses: list[float]) -> None:
    answers = [whole(body, status), whole(ITEM)]
    if body == b"[]":  # botocore's parser breaks off at it
        with ScriptedServer(in_turn(*answers)) as server, connected(aws.LIBCURL, server.url):
            assert (get(), len(server.requests)) == (ITEM, 2)
    else:
        assert outcomes(lambda: in_turn(*answers)) == (ITEM, 2)
    assert max(pauses) <= 0.05


def test_too_many_requests_is_throttling_whatever_the_body_says(pauses: list[float]) -> None:
    assert outcomes(lambda: in_turn(whole(b"slower", 429), whole(ITEM))) == (ITEM, 2)
    assert (pauses[0], len(pauses)) == (1, 2)


@pytest.mark.parametrize("code", ["ValidationException", "ResourceNotFoundException", "AccessDeniedException"])
def test_a_refusal_is_final(code: str, pauses: list[float]) -> None:
    outcome, requests = outcomes(lambda: in_turn(refused(code), whole(ITEM)))

    assert (outcome["code"], outcome["Error"]["Message"]) == (code, f"{code}, it says")
    assert (requests, pauses) == (1, [])


@pytest.mark.parametrize("body", [b"<html>", b"", b'{"__type": "Valida'])
def test_a_refusal_without_json_has_its_status_as_its_code(body: bytes) -> None:
    assert outcomes(lambda: in_turn(whole(body, 403)), lambda: code_of(get)) == ("403", 1)


@pytest.mark.parametrize(
    "form", ["{}", "com.amazonaws.dynamodb.v20120810#{}", "{}:http://internal.amazon.com/coral/", "a.b#{}:http://c/d#e"]
)
def test_a_code_is_read_in_each_of_its_forms(form: str) -> None:
    outcome, _ = outcomes(lambda: in_turn(refused(form.format("ResourceNotFoundException"))))

    assert outcome["code"] == "ResourceNotFoundException"


def test_sqs_calls_its_errors_what_they_were_called_before() -> None:
    code = {"x-amzn-query-error": "AWS.SimpleQueueService.NonExistentQueue;Sender"}
    answer = whole({"__type": "com.amazonaws.sqs#QueueDoesNotExist", "message": "no"}, 400, more=code)

    def send() -> object:
        return aws.call("sqs", "send_message", QueueUrl="http://q", MessageBody="a")

    code, _ = outcomes(lambda: in_turn(answer), lambda: code_of(send))
    assert code == "AWS.SimpleQueueService.NonExistentQueue"


def test_what_comes_with_an_error_is_kept() -> None:
    row = {"pk": {"S": "工"}, "n": {"N": "9" * 38}}
    outcome, _ = outcomes(lambda: in_turn(refused("ConditionalCheckFailedException", Item=row)))

    assert outcome["Item"] == row


def test_a_cancelled_transaction_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THINGS_TABLE", "things")
    table = Table("THINGS_TABLE", Keys("pk", one_partition_per="entity"))
    writes = {name: Put(table, {"pk": name}, table.absent) for name in ("one", "two")}

    def outcome(*codes: str, row: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401
        reasons = [{"Code": code, "Message": "…", **({"Item": row} if row else {})} for code in codes]
        cancelled = refused("com.amazonaws.dynamodb#TransactionCanceledException", CancellationReasons=reasons)
        return outcomes(lambda: in_turn(cancelled), lambda: transact(writes))

    row = {"pk": {"S": "two"}, "b": {"B": "AP8="}}
    failed = {"one": {"pk": "two", "b": "AP8="}, "two": {"pk": "two", "b": "AP8="}}
    both = outcome("ConditionalCheckFailed", "ConditionalCheckFailed", row=row)
    assert both == ({"raised": "TransactionConditionsFailed", "failed": failed}, 1)
    assert outcome("None", "ConditionalCheckFailed")[0]["failed"] == {"two": None}
    for code in ("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"):
        assert outcome(code, "None") == ({"raised": "TransactionConflict"}, 1)
    assert outcome("None", "ValidationError")[0]["code"] == "TransactionCanceledException"


@pytest.mark.parametrize("wrong", [1, 2, 3])
def test_a_changed_byte_is_noticed_and_tried_again(wrong: int, pauses: list[float]) -> None:  # noqa: ARG001
    assert outcomes(lambda: in_turn(*[whole(ITEM, crc=0)] * wrong, whole(ITEM))) == (ITEM, wrong + 1)


@pytest.fixture
def server_of(pauses: list[float]) -> Iterator[Callable[[Script], ScriptedServer]]:  # noqa: ARG001  none is slept
    """Connects libcurl to a server with a script."""
    servers, connections = [], []

    def serve(script: Script) -> ScriptedServer:
        servers.append(ScriptedServer(script).__enter__())
        connections.append(connected(aws.LIBCURL, servers[-1].url))
        connections[-1].__enter__()
        return servers[-1]

    yield serve
    for connection, server in zip(connections, servers, strict=True):
        connection.__exit__(None, None, None)
        server.__exit__()


Serve = Callable[[Script], ScriptedServer]


@pytest.mark.parametrize("header", [{"X-Amz-Crc32": "0"}, {"X-Amz-Crc32": "no number"}])
def test_what_is_never_as_it_was_sent_is_an_error(server_of: Serve, header: dict[str, str]) -> None:
    server = server_of(in_turn(whole(ITEM, more=header)))

    with pytest.raises(CallFailed, match="ChecksumError"):
        get()
    assert len(server.requests) == 4


@pytest.mark.parametrize("body", [b"", b'{"Item": {"pk"', b"[]", b"null", b'"{}"', b"<html>"])
def test_a_success_that_is_no_json_object_is_none(server_of: Serve, body: bytes) -> None:
    server = server_of(in_turn(whole(body), whole(ITEM)))

    assert get() == ITEM
    assert len(server.requests) == 2

    server.script = in_turn(whole(body))
    with pytest.raises(CallFailed, match="ResponseParserError"):
        get()


@pytest.mark.parametrize(
    "ending", [HUNG_UP, ScriptedAnswer(b"", reset=True), ScriptedAnswer(whole(ITEM)[:-9], closed=True)]
)
def test_a_connection_that_ends_is_tried_again(ending: ScriptedAnswer, pauses: list[float]) -> None:  # noqa: ARG001
    outcome, requests = outcomes(lambda: in_turn(ending, ending, whole(ITEM)))
    assert (outcome, requests) == (ITEM, 3)


def test_a_connection_that_always_ends_is_an_error(pauses: list[float]) -> None:  # noqa: ARG001
    outcome, requests = outcomes(lambda: in_turn(HUNG_UP))

    assert (outcome["code"], requests) == ("ConnectionClosedError", 4)


def test_nobody_listening_is_an_error(pauses: list[float]) -> None:
    with ScriptedServer(in_turn(whole())) as ended:
        url = ended.url
    for wire in BOTH:
        with connected(wire, url):
            assert outcome_of(get)["code"] == "EndpointConnectionError"
    assert len(pauses) == 2 * 3


@pytest.mark.parametrize("slow", [SILENCE, ScriptedAnswer(whole(ITEM), drip_s=0.05)])
def test_what_takes_too_long_is_tried_again(
    slow: ScriptedAnswer, server_of: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = server_of(in_turn(whole(ITEM), slow, whole(ITEM)))
    assert get() == ITEM  # with time enough, by the handle that is used again
    monkeypatch.setattr(deadline, "ATTEMPT_MS", 1_000)  # enough for the attempt behind it, on a busy machine

    assert get() == ITEM
    assert len(server.requests) == 3

    monkeypatch.setattr(deadline, "ATTEMPT_MS", 150)
    server.script = in_turn(SILENCE)
    with pytest.raises(CallFailed, match="ReadTimeoutError"):
        get()


def test_a_transaction_comes_again_with_its_token(pauses: list[float]) -> None:  # noqa: ARG001
    def tokens(wire: str, answers: list[bytes | ScriptedAnswer]) -> list[str]:
        with ScriptedServer(in_turn(*answers)) as server, connected(wire, server.url):
            for _ in range(2):
                aws.call("dynamodb", "transact_write_items", TransactItems=[])
        return [asked.json["ClientRequestToken"] for asked in server.requests]

    for wire in BOTH:
        lost, throttled, done, another = tokens(wire, [HUNG_UP, refused("TransactionInProgressException"), whole()])

        assert lost == throttled == done != another
        assert 1 <= len(done) <= 36


@pytest.mark.parametrize("wire", BOTH)
def test_no_attempt_begins_too_late(wire: str, pauses: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])

    def late(_: ReceivedRequest) -> ScriptedAnswer:
        now[0] += 600
        return ScriptedAnswer(refused("InternalServerError", 500))

    with ScriptedServer(late) as server, connected(wire, server.url), begun_by(2_000):
        with pytest.raises(CallFailed, match="BegunTooLate"):
            get()
        assert len(server.requests) == 2

        with pytest.raises(CallFailed, match="BegunTooLate"), begun_by(5_000):
            get()
        assert len(server.requests) == 2
    assert len(pauses) <= 2


def test_nobody_waits_for_an_attempt_that_would_begin_too_late(server_of: Serve, pauses: list[float]) -> None:
    server = server_of(in_turn(refused("ThrottlingException")))

    with begun_by(clock.now_ms() + 500), pytest.raises(CallFailed, match="BegunTooLate"):
        get()

    assert (len(server.requests), pauses) == (1, [])


def test_while_aws_is_down_the_retries_of_a_process_end(server_of: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "QUOTA", retries.RetryQuota())
    server = server_of(in_turn(refused("InternalServerError", 500)))
    most = retries.RetryQuota.CAPACITY // retries.AFTER_FAILURE.quota

    for _ in range(most):
        with pytest.raises(CallFailed):
            get()
    assert len(server.requests) == most + most  # the first attempts, and the retries

    server.script = in_turn(whole(ITEM))
    for _ in range(2 * retries.AFTER_FAILURE.quota):
        get()
    server.script, before = in_turn(refused("InternalServerError", 500)), len(server.requests)
    with pytest.raises(CallFailed):
        get()
    assert len(server.requests) == before + 3  # two retries came back with the successes; less than one was left


def test_a_retry_that_succeeds_costs_nothing(server_of: Serve) -> None:
    answers = {True: refused("InternalServerError", 500), False: whole(ITEM)}
    server_of(lambda asked: ScriptedAnswer(answers[asked.number % 2 == 0]))

    for _ in range(50):
        assert get() == ITEM


def test_an_operation_is_called_as_boto3_calls_it(server_of: Serve) -> None:
    server = server_of(in_turn(whole()))
    aws.call("dynamodb", "transact_write_items", TransactItems=[])
    aws.call("events", "put_events", Entries=[])
    aws.call("sqs", "send_message", QueueUrl="http://q", MessageBody="工")

    assert [
        (asked.start, asked.headers["x-amz-target"], asked.headers["content-type"]) for asked in server.requests
    ] == [
        ("POST / HTTP/1.1", "DynamoDB_20120810.TransactWriteItems", "application/x-amz-json-1.0"),
        ("POST / HTTP/1.1", "AWSEvents.PutEvents", "application/x-amz-json-1.1"),
        ("POST / HTTP/1.1", "AmazonSQS.SendMessage", "application/x-amz-json-1.0"),
    ]
    assert server.requests[2].json["MessageBody"] == "工"
    assert not {"expect", "accept", "accept-encoding"} & set(server.requests[0].headers)
    assert set(aws_json.PROTOCOLS) == {"dynamodb", "events", "secretsmanager", "sqs"}
