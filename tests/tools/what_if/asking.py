"""Questions to `andon what-if` about a lake and a repository."""

import subprocess
from pathlib import Path

from andon.runtime.clock import MINUTE_MS

SOONER_MS = 12 * MINUTE_MS
SOONER = f"limits.SILENT_AFTER_MS={SOONER_MS}"


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603  of this test
