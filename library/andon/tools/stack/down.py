"""`make down`: ends what `make up` started."""

import sys

from andon.tools.called import as_called
from andon.tools.stack import emulator, outputs
from andon.tools.stack.errors import ToolFailed


def main() -> int:
    """End the emulator and the Lambdas that it runs."""
    outputs.remove(outputs.HOME)
    found = emulator.running(outputs.HOME)
    if not found:
        emulator.clear(outputs.HOME)
        print("nothing is running here")
        return 0
    try:
        emulator.stop(outputs.HOME, found)
    except ToolFailed as reason:
        print(f"{as_called('down')}: {reason}", file=sys.stderr)
        return 1
    print(f"ended the emulator on port {found.port}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
