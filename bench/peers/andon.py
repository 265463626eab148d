"""The handlers of this project as a client; with `--without-aws`, requests are answered in the same process."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from andon.packages.package import Package
from andon.testing.lambda_context import LambdaContext
from bench.instead_of_aws import InsteadOfAws
from bench.peers.rounds import Prepare, Work, serve
from bench.workload import Workload, batches

DISPATCH, EQUIPMENT = Package("services", "dispatch"), Package("services", "equipment")
STATE_LOG = Package("views", "state_log")

Handler = Callable[[dict[str, Any], Any], Any]


def _listener(workload: Workload, batch: int) -> Work:
    return partial(_deliver, batches(workload["messages"], batch))


def _deliver(events: Sequence[dict[str, Any]]) -> None:
    listener = STATE_LOG.handler("listener")
    for event in events:
        if listener(event, LambdaContext("state_log-listener"))["batchItemFailures"]:
            raise RuntimeError("a message was not materialized")


def _trigger(workload: Workload, batch: int) -> Work:
    records = workload["records"]
    events = [{"Records": records[start : start + batch]} for start in range(0, len(records), batch)]
    return partial(_call, EQUIPMENT.handler("trigger"), events)


def _sweep(_: Workload, batch: int) -> Work:
    return partial(_call, DISPATCH.handler("sweep"), [{}] * batch)


def _call(handler: Handler, events: Sequence[dict[str, Any]]) -> None:
    for event in events:
        handler(event, LambdaContext("measured"))


def _put_state(workload: Workload, _: int) -> Work:
    return partial(_request, EQUIPMENT.handler("command"), workload["put_state"], 201)


def _get_logs(workload: Workload, _: int) -> Work:
    return partial(_request, STATE_LOG.handler("query"), workload["get_logs"], 200)


def _request(handler: Handler, events: Sequence[dict[str, Any]], status: int) -> None:
    for event in events:
        response = handler(event, LambdaContext("measured"))
        if response["statusCode"] != status:
            raise RuntimeError(f"the response is {response}")


WORKS: Final[dict[str, Prepare]] = {
    "listener": _listener,
    "trigger": _trigger,
    "put state": _put_state,
    "get logs": _get_logs,
    "sweep": _sweep,
}

if __name__ == "__main__":
    if "--without-aws" in sys.argv:
        with InsteadOfAws({}):
            serve(WORKS)
    else:
        serve(WORKS)
