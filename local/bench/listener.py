"""What a listener costs, over bare boto3 that is handed the very same requests ready-made."""

import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import boto3

from local.bench.figure import Figure, Goal, cpu_us, median_ratio
from local.bench.messages import batches, reported
from local.bench.network import Network, Reply, Request
from local.bench.undisturbed import undisturbed
from local.in_process.lambda_context import LambdaContext
from patterns.dynamodb import ttl
from patterns.runtime import aws
from patterns.views.inverse_oplock import oplock_attribute
from views.state_log.listener import handler

EVENTS: Final = 200
ROUNDS: Final = 15
NOW_MS: Final = 1_588_032_000_000  # soon behind the sample
OPLOCK: Final = oplock_attribute("reported")

Work = Callable[[], None]


class Nowhere:
    """A client that does nothing."""

    def update_item(self, **_: object) -> dict[str, Any]:
        """Answer as DynamoDB does."""
        return {}


@dataclass(frozen=True, slots=True)
class Listening:
    """The listener at work on rows of their own, so that nothing is compacted; `requests` is what it sends."""

    network: Network
    listen: Work
    requests: list[Request]


def figures() -> list[Figure]:
    """Measure."""
    with undisturbed(NOW_MS):
        listening = _listening()
        return [*_cpu(listening), *_requests(listening)]


def _listening() -> Listening:
    client, todo, requests = aws.client("dynamodb"), batches(reported(range(EVENTS))), list[Request]()
    network = Network(client)

    def listen() -> None:
        for batch in todo:
            handler(batch, LambdaContext("state_log-listener"))

    def note(params: Request, **_: object) -> None:
        requests.append(dict(params))

    client.meta.events.register("provide-client-params.dynamodb", note)
    listen()
    client.meta.events.unregister("provide-client-params.dynamodb", note)
    return Listening(network, listen, requests)


def _cpu(listening: Listening) -> list[Figure]:
    bare = boto3.client("dynamodb")
    Network(bare)
    measured = cpu_us(
        ROUNDS,
        EVENTS,
        {
            "bare": partial(_send, bare, listening.requests),
            "same": partial(_send, aws.client("dynamodb"), listening.requests),
            "listener": listening.listen,
            "framework": partial(_without_aws, listening.listen),
        },
    )
    listener, framework = measured["listener"], measured["framework"]
    return [
        Figure("listener's CPU per event / bare boto3", median_ratio(listener, measured["bare"]), "x", Goal("≤", 1.10)),
        Figure("… / boto3 with our client's settings", median_ratio(listener, measured["same"]), "x"),
        Figure("framework, per record of a batch of 10", statistics.median(framework), "µs", Goal("≤", 25)),
        Figure("bare boto3 update_item, for scale", statistics.median(measured["bare"]), "µs"),
    ]


def _send(client: Any, requests: list[Request]) -> None:  # noqa: ANN401  boto3 has no types
    for request in requests:
        client.update_item(**request)


def _without_aws(listen: Work) -> None:
    real = aws.client
    aws.client = lambda _: Nowhere()  # type: ignore[assignment]  # nothing asks for its cache
    try:
        listen()
    finally:
        aws.client = real


def _requests(listening: Listening) -> list[Figure]:
    in_the_way: dict[str, Reply | None] = {
        "new to its row": None,
        "a duplicate": _duplicate,
        "new, the row's ttl is ahead": _ttl_ahead,
    }
    return [
        Figure(f"requests per event, {case}", _sent(listening, reply) / EVENTS) for case, reply in in_the_way.items()
    ]


def _sent(listening: Listening, reply: Reply | None) -> int:
    with _in_the_way(listening.network, reply):
        before = listening.network.sent
        listening.listen()
        return listening.network.sent - before


@contextmanager
def _in_the_way(network: Network, reply: Reply | None) -> Iterator[None]:
    network.in_the_way = reply
    yield
    network.in_the_way = None


def _duplicate(request: Request) -> dict[str, Any]:
    return {OPLOCK: request["ExpressionAttributeValues"][":oplock"]}


def _ttl_ahead(request: Request) -> dict[str, Any]:
    grows = "#ttl <= :ttl" in request["ConditionExpression"]
    return {ttl.ATTRIBUTE: {"N": "9999999999"}} if grows else {}
