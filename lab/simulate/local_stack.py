"""The throughput of the stack on this machine, by the same counts: everything shares its processors.

`make load` writes what it measured beside it, so that the two can be compared.
"""

import json
import os
from collections.abc import Iterator
from typing import Final

from andon.cdk.target import LOCAL
from lab.figures import MEASURED
from lab.simulate.limits import ASSUMED, LAMBDA_SLOWER, Limit
from lab.simulate.model import FleetModel
from lab.simulate.receives import messages
from lab.simulate.settings import HTTP, QUEUED

# CPU of the emulator: for a request to it, and to bring an event to a function's process and the answer back.
REQUEST_MS: Final = Limit(0.5, ASSUMED)
INVOCATION_MS: Final = Limit(2, ASSUMED)
MESSAGE_MS: Final = Limit(0.2, ASSUMED)  # from the bus to a queue, and out of it
CLIENT_MS: Final = Limit(2, ASSUMED)  # of `make load` itself, which runs on the same processors
# The emulator looks for a stream's changes and a queue's messages so often, one batch of each at a time.
POLL_S: Final = Limit(0.1, ASSUMED)
SWEPT_LATER: Final = "sweep"


def report(model: FleetModel) -> Iterator[str]:
    """Return the prediction, and what `make load` measured last."""
    cores = os.cpu_count() or 1
    rate = cores * 1_000 / cpu_ms(model, rate=1.0)
    for _ in range(8):  # fuller batches need fewer invocations
        rate = cores * 1_000 / cpu_ms(model, rate=rate)
    yield f"the stack on this machine, {cores} processors that nothing else uses: {rate:,.0f} reports/s"
    yield f"  of which each takes {cpu_ms(model, rate=rate):,.1f} ms of CPU, sweeps left out, for they come later"
    if MEASURED.exists():
        last = json.loads(MEASURED.read_text())
        yield f"  `make load` measured {last['per_s']:,.0f}/s: {last['commands']} at {last['clients']} clients"
    else:
        yield "  measured: nothing yet (make up; make load N=500 C=8)"


def cpu_ms(model: FleetModel, *, rate: float) -> float:
    """Return the CPU that a report takes on this machine."""
    counted = model.counted
    total = CLIENT_MS.value + sum(messages(model, rate).values()) * MESSAGE_MS.value
    for name in counted.calls:
        role = name.rpartition(" ")[2]
        if role == SWEPT_LATER:
            continue
        records = model.records(name)
        size = 1 if role in HTTP else (LOCAL.queue_batch if role in QUEUED else LOCAL.publish_batch)[0]
        batch = min(size, max(1.0, records * rate * POLL_S.value))
        work = model.work(name)
        requests = model.requests(name) + records / batch * work.puts(batch)
        total += requests * REQUEST_MS.value + records / batch * INVOCATION_MS.value
        total += records / batch * work.cpu_ms(batch) / LAMBDA_SLOWER.value
    return total
