"""microburst, a proxy between our clients and the emulator that breaks what goes through it."""

import json
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from andon.tools.stack import aws, emulator, processes
from andon.tools.stack.errors import ToolFailed

WRITES: Final = {
    "dynamodb": ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"),
    "events": ("PutEvents",),
    "s3": ("PutObject",),
}
READS: Final[dict[str, tuple[str, ...]]] = {"dynamodb": ("GetItem", "Query")}
INTERNAL: Final = {"dynamodb": "InternalServerError", "events": "InternalFailure", "s3": "InternalError"}

THROTTLED: Final = 0.05
FAILED: Final = 0.02
LOST: Final = 0.02
SLOW: Final = 0.1

BOOT_S: Final = 60
STOP_S: Final = 5

Rule = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FaultProxy:
    """A proxy that runs."""

    url: str
    upstream: str
    kinds: list[str]
    """The kind of each rule, in the order of the rules, which microburst numbers from 1."""

    def fired(self) -> Mapping[str, int]:
        """Count what was done to requests, by kind."""
        fired: Counter[str] = Counter()
        for rule in _stats(self.url)["by_rule"]:
            fired[self.kinds[rule["id"] - 1]] += rule["fired"]
        return fired


@contextmanager
def fault_proxy(upstream: str, folder: Path) -> Iterator[FaultProxy]:
    """Run a proxy in front of `upstream`; it breaks what handlers ask for, and nothing else."""
    port, (kinds, rules) = emulator.free_port(), zip(*_rules(), strict=True)
    (folder / "rules.yml").write_text(json.dumps({"rules": rules}))
    address = ["--host", emulator.HOST, "--port", str(port), "--upstream", upstream]
    with (folder / "proxy.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603  fixed arguments
            [sys.executable, "-m", "microburst", *address, "--config", str(folder / "rules.yml")],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    proxy = FaultProxy(f"http://{emulator.HOST}:{port}", upstream, list(kinds))
    try:
        if not processes.eventually(lambda: _answers(proxy.url), within_s=BOOT_S):
            raise ToolFailed(f"the fault proxy does not answer:\n{processes.tail(folder / 'proxy.log')}")
        # The first request takes it seconds, in which handlers' clients would lose patience and ask again.
        aws.client("dynamodb", proxy.url).list_tables()
        yield proxy
    finally:
        processes.end_group(process.pid, process, grace_s=STOP_S)


def _rules() -> list[tuple[str, Rule]]:
    """Return a rule for each kind of fault and operation; the first one that fires decides about a request."""
    rules: list[tuple[str, Rule]] = []
    for service, operations in [*WRITES.items(), *READS.items()]:
        throttled = {"error": {"code": "ThrottlingException", "status": 400}, "probability": THROTTLED}
        failed = {"error": {"code": INTERNAL[service], "status": 500}, "probability": FAILED}
        lost = {"response": {"abort_frac": 0}, "probability": LOST}  # done, and nobody hears of it
        slow = {"latency": {"min": 2, "max": 20}, "probability": SLOW}
        for operation in operations:
            faults = {"throttled": throttled, "failed": failed, "lost": lost, "slow": slow}
            if operation in READS.get(service, ()):
                del faults["lost"]
            rules += [(kind, {"service": service, "operation": operation, **fault}) for kind, fault in faults.items()]
    return rules


def _answers(url: str) -> bool:
    try:
        _stats(url)
    except OSError:
        return False
    return True


def _stats(url: str) -> Any:  # noqa: ANN401  JSON
    with urllib.request.urlopen(f"{url}/_microburst/stats", timeout=30) as answer:  # noqa: S310  our own
        return json.load(answer)
