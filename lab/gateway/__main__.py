"""`make gateway-torture`: three seeds; it fails if anything is lost, doubled or altered.

It stands before an API that lies, before a broker that does (MQTT=1), or before the running stack (STACK=1, by MQTT
with both), which has to have each report in its lake.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from andon.tools.stack import outputs
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.stack import Stack
from lab.gateway import deployed, lying_broker
from lab.gateway.torture import Outcome, torture


def main() -> int:
    """Print what became of the reports of each seed; return 1 if any is not one fact."""
    parser = argparse.ArgumentParser(prog="make gateway-torture", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, action="append")
    parser.add_argument("--stack", action="store_true", help="before the running stack")
    parser.add_argument("--mqtt", action="store_true", help="before a broker")
    chosen = parser.parse_args()
    try:
        return _try_all(chosen, _before(chosen))
    except ToolFailed as reason:
        print(f"make gateway-torture: {reason}", file=sys.stderr)
        return 1


def _before(chosen: argparse.Namespace) -> Callable[..., Outcome]:
    if chosen.stack:
        return partial(deployed.torture, Stack(outputs.of_running_stack()), by_mqtt=chosen.mqtt)
    return lying_broker.torture if chosen.mqtt else torture


def _try_all(chosen: argparse.Namespace, tried: Callable[..., Outcome]) -> int:
    is_clean = True
    for seed in chosen.seed or (1, 2, 3):
        began_s = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            outcome = tried(Path(folder), count=chosen.count, kills=chosen.kills, seed=seed)
        is_clean &= outcome.is_clean
        print(
            f"seed {seed}: {chosen.count} reports, {outcome.kills} kills, {time.monotonic() - began_s:.1f} s: "
            f"{outcome.lost} lost, {outcome.doubled} doubled, {outcome.altered} altered, "
            f"{outcome.wrongly_refused} refused wrongly; {outcome.again} came again, as the same fact"
        )
        if outcome.mischief:
            print(
                "  " + ", ".join(f"{kind.replace('_', ' ')} {times}" for kind, times in outcome.mischief.most_common())
            )
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
