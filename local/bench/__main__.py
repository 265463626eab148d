"""Prints what our own code costs beside bare boto3: ratios and counts; only CPU is measured, no clock on the wall."""

import os
from typing import Final

from local.bench import compaction, imports, listener, rules
from local.bench.figure import report
from local.stack.aws import KEY, REGION

ENVIRONMENT: Final = {
    "AWS_DEFAULT_REGION": REGION,
    "AWS_ACCESS_KEY_ID": KEY,
    "AWS_SECRET_ACCESS_KEY": KEY,
    "AWS_CONFIG_FILE": os.devnull,
    "POWERTOOLS_SERVICE_NAME": "state_log",
    "POWERTOOLS_METRICS_NAMESPACE": "Andon",
    "STATE_LOG_TABLE": "STATE_LOG_TABLE",
    "DISPATCH_TABLE": "DISPATCH_TABLE",
    "STAGE": "local",
    "BUS_NAME": "andon",
}


def main() -> None:
    """Measure what a listener costs, what many rules do, what compaction saves, and what a cold start takes."""
    for name in [name for name in os.environ if name.startswith(("AWS_", "POWERTOOLS_"))]:
        del os.environ[name]
    os.environ.update(ENVIRONMENT)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # a listener has less than one CPU on Lambda, too
    for part in (listener, rules, compaction, imports):
        print(report(part.figures()), flush=True)


if __name__ == "__main__":
    main()
