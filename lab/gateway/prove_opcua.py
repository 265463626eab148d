"""`make prove-opcua`: servers of OPC UA end, freeze and come back; a million reports wait. It fails beyond a bound."""

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from lab.gateway.backlog import backlog
from lab.gateway.outages import MOST_S, SERVERS, outages

MEMORY_MB: Final = 60
DISK_MIB: Final = 100
BATCH_MS: Final = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Print times, memory and disk; return 1 if a value came late or never, or something is beyond its bound."""
    parser = argparse.ArgumentParser(prog="make prove-opcua", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often each outage happens")
    parser.add_argument("--count", type=int, default=1_000_000, help="how many reports wait")
    chosen = parser.parse_args(arguments)
    is_short = [is_good for server in SERVERS for is_good in _outages(server, chosen.rounds)]
    is_small = _backlog(chosen.count) if chosen.count else True
    return 0 if all(is_short) and is_small else 1


def _outages(server: str, rounds: int) -> list[bool]:
    found: defaultdict[str, list[float | None]] = defaultdict(list)
    for one in outages(server, rounds):
        found[one.kind].append(one.without_s)
    for kind, times in found.items():
        shown = ", ".join("NEVER" if one is None else f"{one:.2f}" for one in times)
        print(f"{server}, {kind}: the value of then after {shown} s; at most {MOST_S:g}", flush=True)
    return [one is not None and one <= MOST_S for times in found.values() for one in times]


def _backlog(count: int) -> bool:
    found = backlog(count)
    median_ms, slowest_ms = found.batch_ms
    print(f"{count} reports wait: {found.memory_mb:.0f} MB of memory, at most {MEMORY_MB}")
    print(f"{found.disk_mib:.0f} MiB on disk, at most {DISK_MIB}")
    print(f"a batch is read in {median_ms:.1f} ms, at most {BATCH_MS}; the slowest in {slowest_ms:.1f} ms")
    return found.memory_mb <= MEMORY_MB and found.disk_mib <= DISK_MIB and median_ms <= BATCH_MS


if __name__ == "__main__":
    sys.exit(main())
