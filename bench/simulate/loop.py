"""The deployed functions in this process: each is called as on AWS by what leads to it, and its calls are counted."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from andon.packages.discovery import follower_of_table, owner_of_route, services, subscribers_of
from andon.packages.package import Package
from andon.runtime import clock
from andon.testing.lambda_context import LambdaContext
from andon.testing.lambda_events import bus_members, http_event, sqs_event
from bench.simulate.counted import Calls
from bench.simulate.counted_aws import CountedAws
from bench.simulate.metrics import Metric, metrics_in


class Loop:
    """Requests, changes, events and schedules -> handlers.

    calls: by function, as `board listener`. published: messages by the package that subscribes; "lake" gets all.
    metrics: what the functions' lines are read for.
    """

    def __init__(self, aws: CountedAws) -> None:
        self.calls: dict[str, Calls] = defaultdict(Calls)
        self.published: dict[str, int] = defaultdict(int)
        self.metrics: set[Metric] = set()
        self._streams = [name for name, schema in aws.schemas.items() if schema.stream]
        self._aws = aws
        self._log_bytes = 0
        self._package = ""

    def request(self, route: str, **parts: Any) -> None:  # noqa: ANN401  see `http_event`
        """Call the API.

        Raises:
            RuntimeError: it refuses the request.

        """
        package, role = owner_of_route(route)
        response = self._invoke(package, role, http_event(route, **parts), records=1)
        if response["statusCode"] >= HTTPStatus.BAD_REQUEST:
            raise RuntimeError(f"{route}: {response['body']}")

    def settle(self) -> None:
        """Bring changes to triggers and events to listeners until there are none."""
        moved = True
        while moved:
            moved = False
            for table in self._streams:
                if records := self._aws.new_records(table):
                    package, role = follower_of_table(table)
                    self._invoke(package, role, {"Records": records}, records=len(records))
                    moved = True
            if entries := self._aws.new_entries():
                self._deliver(entries)
                moved = True

    def sweep(self) -> None:
        """Do what each service's schedule does every minute, and what follows."""
        for package in services():
            if package.plays("sweep"):
                self._invoke(package, "sweep", {}, records=1)
        self.settle()

    def count_line(self, line: str) -> None:
        """Count a line that a function logs; it stands in for `log.write`."""
        self._log_bytes += len(f"{line}\n".encode())
        self.metrics.update(metrics_in(line, self._package))

    def forget_counts(self) -> None:
        """Count anew."""
        self.calls.clear()
        self.published.clear()
        self.metrics.clear()

    def _deliver(self, entries: Sequence[Mapping[str, str]]) -> None:
        batches: dict[Package, list[str]] = defaultdict(list)
        for number, entry in enumerate(entries):
            members = bus_members(str(number), clock.now_ms())
            detail = json.loads(entry["Detail"])
            body = {**members, "source": entry["Source"], "detail-type": entry["DetailType"], "detail": detail}
            self.published["lake"] += 1
            for package in subscribers_of(entry["Source"], entry["DetailType"]):
                if package.side != "stores":
                    batches[package].append(json.dumps(body))
        for package, bodies in batches.items():
            self.published[package.name] += len(bodies)
            failed = self._invoke(package, "listener", sqs_event(bodies), records=len(bodies))["batchItemFailures"]
            if failed:
                raise RuntimeError(f"{package.name} could not take {len(failed)} messages")

    def _invoke(self, package: Package, role: str, event: dict[str, Any], *, records: int) -> Any:  # noqa: ANN401
        name = f"{package.name} {role}"
        self._log_bytes, self._package = 0, package.name
        with self._aws.on_behalf_of(name):
            response = package.handler(role)(event, LambdaContext(f"Andon-{package.name}-{role}"))
        self.calls[name].records.append(records)
        self.calls[name].log_bytes.append(self._log_bytes)
        return response
