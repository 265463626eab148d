"""Mishaps that are no defect of the tools, each as a line for the person at the terminal."""

import errno
import http.client
import shlex
from subprocess import CalledProcessError
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as Unreachable

from andon.runtime.errors import CallFailed
from andon.tools.called import as_called
from andon.tools.stack.errors import ToolFailed

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_NOT_WRITABLE: Final = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


_NO_ANSWER: Final = (ConnectionError, TimeoutError, http.client.HTTPException, HTTPClientError, Unreachable)


def words_of(error: Exception, *, on_aws: bool = False) -> str | None:
    """Return the words for an error; None: it is a defect, of which the traceback is worth more."""
    if isinstance(error, ToolFailed):
        return str(error)
    if isinstance(error, OSError) and error.errno in FULL | _NOT_WRITABLE:
        where = f" ({error.filename})" if error.filename else ""
        return f"the disk is full{where}" if error.errno in FULL else f"this may not be written here{where}"
    if isinstance(error, _NO_ANSWER):
        again = "" if on_aws else f"; if that stays so: {as_called('down')}, then {as_called('up')}"
        return f"no answer: {error}{again}"
    if isinstance(error, CalledProcessError):  # what it had to say stands above
        return f"{shlex.join(error.cmd)} ended with {error.returncode}"
    if isinstance(error, BotoCoreError):  # as without credentials, or a region
        return f"nothing was asked: {error}"
    return f"refused: {error}" if isinstance(error, (ClientError, CallFailed)) else None
