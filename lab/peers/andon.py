"""The handlers of this project as a client; with `--without-aws`, requests are answered in the same process."""

import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from andon.packages.package import Package
from andon.testing.environment import LocalContext
from andon.wire import aws
from lab.peers.rounds import Event, Handler, serve
from lab.workload import InsteadOfAws

DISPATCH, EQUIPMENT = Package("services", "dispatch"), Package("services", "equipment")
STATE_LOG = Package("views", "state_log")


class Measured(NamedTuple):
    """A handler, and the response that it has to give."""

    package: Package
    role: str
    is_good: Callable[[Any], bool] = lambda _: True


MEASURED: Final[Mapping[str, Measured]] = {
    "listener": Measured(STATE_LOG, "listener", lambda response: not response["batchItemFailures"]),
    "trigger": Measured(EQUIPMENT, "trigger"),
    "put state": Measured(EQUIPMENT, "command", lambda response: response["statusCode"] == 201),  # noqa: PLR2004
    "get logs": Measured(STATE_LOG, "query", lambda response: response["statusCode"] == 200),  # noqa: PLR2004
    "sweep": Measured(DISPATCH, "sweep"),
}


def handler_of(work: str) -> Handler:
    """Return the handler of a work, which fails unless its response is good."""
    package, role, is_good = MEASURED[work]
    handler = package.handler(role)

    def call(event: Event) -> None:
        if not is_good(response := handler(event, LocalContext("measured"))):
            raise RuntimeError(f"the response is {response}")

    return call


if __name__ == "__main__":
    with patch.object(aws, "call", InsteadOfAws().call) if "--without-aws" in sys.argv else nullcontext():
        serve(handler_of)
