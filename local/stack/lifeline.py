"""The emulator on a lifeline: it ends when whoever holds the other end of its standard input does, however that ends.

Run by the emulator's interpreter, which has nothing of this project on its path.
"""

import os
import signal
import sys
import threading

from ministack.app import main  # type: ignore[import-not-found]  # it is in the emulator's environment


def _end_with_the_starter() -> None:
    sys.stdin.buffer.read()
    os.killpg(0, signal.SIGTERM)  # the Lambda workers too


threading.Thread(target=_end_with_the_starter, daemon=True).start()
main()
