"""Prints that a step goes on when it takes longer than two seconds.

Standard library only: the Makefile runs it with the system's Python, before anything is installed
(`python3 -m andon.tools.stack.progress WHAT COMMAND…`).
"""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

QUIET_S: Final = 2.0
_TTY_EVERY_S: Final = 0.2
_PLAIN_EVERY_S: Final = 15.0
_SPINNER: Final = "|/-\\"


@contextmanager
def step(what: str, count: Callable[[], str] = str) -> Iterator[None]:
    """Print `what` goes on after two seconds, and how long it took when it is done.

    `count` returns how far it is, such as `: 1200 of 2000`.
    On stderr, so that a command's own output stays clean: a line that counts on a terminal, plain lines elsewhere.
    """
    started, over = time.monotonic(), threading.Event()
    ticker = threading.Thread(target=_tick, args=(what, count, started, over), daemon=True)
    ticker.start()
    outcome = "failed"
    try:
        yield
        outcome = "done"
    finally:
        over.set()
        ticker.join()
        elapsed_s = time.monotonic() - started
        if outcome == "done" or elapsed_s > QUIET_S:
            _say(f"{outcome:>6}  {what} ({elapsed_s:.1f} s)")


def _tick(what: str, count: Callable[[], str], started: float, over: threading.Event) -> None:
    if over.wait(QUIET_S):
        return
    for turn in range(sys.maxsize):
        elapsed_s = time.monotonic() - started
        if sys.stderr.isatty():
            sys.stderr.write(f"\r     {_SPINNER[turn % len(_SPINNER)]}  {what}{count()} … {elapsed_s:.0f} s\033[K")
            sys.stderr.flush()
        else:
            _say(f"        {what}{count()} … {elapsed_s:.0f} s")
        if over.wait(_TTY_EVERY_S if sys.stderr.isatty() else _PLAIN_EVERY_S):
            return


def _say(line: str) -> None:
    # One write per line, so that lines of commands that run side by side do not mix.
    sys.stderr.write(f"\r{line}\033[K\n" if sys.stderr.isatty() else f"{line}\n")
    sys.stderr.flush()


def main(what: str, command: list[str]) -> int:
    """Run `command` as one step; what it printed is shown only when it fails."""
    try:
        with step(what):
            subprocess.run(
                command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
    except subprocess.CalledProcessError as failed:
        sys.stderr.buffer.write(failed.stdout)
        return failed.returncode
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2:]))
    except KeyboardInterrupt:
        sys.exit(130)
