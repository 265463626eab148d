"""One deployment at a time in a folder: a second one would write the files of the first, and deploy half of each."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from andon.tools.stack.errors import ToolFailed


@contextmanager
def alone(home: Path) -> Iterator[None]:
    """Keep others out of `home` until this is left, however this process ends.

    Raises:
        ToolFailed: another process is in it.
    """
    home.mkdir(parents=True, exist_ok=True)
    with (home / "up.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise ToolFailed(
                f"it is on its way already, as process {file.read()}; wait for that one, or end it"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
