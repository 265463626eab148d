"""Bearer tokens: from a file that something else renews, or from a command that prints one."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

COMMAND_S: Final = 60


class NoToken(Exception):
    """There is no token now; it says why, and never the token."""


class Tokens:
    """The token of a gateway; exactly one of `file` and `command`."""

    def __init__(self, *, file: Path | None = None, command: Sequence[str] = ()) -> None:
        """Read nothing yet."""
        self._file = file
        self._command = command
        self._token: str | None = None

    def get(self) -> str:
        """Return the token; a file is read each time, a command is run once, until `renew`.

        Raises:
            NoToken: it cannot be read.

        """
        if self._token is None:
            token = self._read().strip()
            if not token or not token.isascii() or not token.isprintable():
                raise NoToken("what should be the token is none")
            self._token = token
        token = self._token
        if self._file:
            self.renew()
        return token

    def renew(self) -> None:
        """Forget the token: it has ended."""
        self._token = None

    def _read(self) -> str:
        try:
            if self._file:
                return self._file.read_text()
            # What the plant's own configuration says is run, without a shell.
            done = subprocess.run(self._command, capture_output=True, timeout=COMMAND_S, check=True)  # noqa: S603
            return done.stdout.decode()
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise NoToken(f"no token: {type(error).__name__}") from error
