"""`make archive`: run the archive's sweep now, instead of within the hour."""

from collections.abc import Mapping
from typing import Final

from andon.tools.stack import aws, outputs
from andon.tools.stack.errors import ToolFailed

FUNCTION: Final = "ArchiveSweep"


def run(deployed: Mapping[str, str]) -> None:
    """Invoke the sweep of a stack on this machine, and wait until it is done.

    Raises:
        Failed: the sweep failed.

    """
    invoked = aws.client("lambda", deployed["Endpoint"]).invoke(FunctionName=deployed[FUNCTION])
    if invoked.get("FunctionError"):
        raise ToolFailed(f"the sweep failed: {invoked['Payload'].read().decode(errors='replace')}")


def main() -> None:
    """Entry point."""
    run(outputs.of_running_stack())
    print("The archive has every event that the lake has.")


if __name__ == "__main__":
    main()
