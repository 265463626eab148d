"""Write the rows of a stage's services again, out of its lake; see docs/region-lost.md.

`andon restore-region --stage prod`, with the credentials and the region of the stage. It can be run again at any time.
"""

import argparse
import os
import sys
from typing import Final

from andon.cdk.names import pascal, stack_of
from andon.packages.discovery import services
from andon.recorded import lake
from andon.runtime import clock
from andon.tools.region.services import Counts, bring_back
from andon.tools.stack.aws import KEY, REGION
from andon.tools.views.deployed import Deployed, deployed
from andon.wire import aws

LAKE: Final = "LakeBucket"


def restore(stack: Deployed) -> Counts:
    """Write the rows of all services of a stack; return what was counted."""
    os.environ.update(_environment(stack))
    aws.forget()
    return bring_back(now_ms=clock.now_ms(), tell=print)


def _environment(stack: Deployed) -> dict[str, str]:
    """Return the environment of the stack's own functions, as far as rows are concerned.

    Raises:
        Failed: the stack lacks a table.

    """
    tables = {variable: stack.output(pascal(variable), one) for one in services() for variable in one.tables}
    local = {} if stack.name else {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": KEY, "AWS_DEFAULT_REGION": REGION}
    endpoint = {"AWS_ENDPOINT_URL": stack.outputs["Endpoint"]} if "Endpoint" in stack.outputs else {}
    return {**tables, lake.BUCKET: stack.outputs[LAKE], **local, **endpoint}


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="andon restore-region", description=__doc__)
    parser.add_argument("--stage", help="the stage on AWS (default: what runs on this machine)")
    given = parser.parse_args()
    counts = restore(deployed(given.stage and stack_of(given.stage)))
    print(", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())) or "the lake is empty")
    return 0


if __name__ == "__main__":
    sys.exit(main())
