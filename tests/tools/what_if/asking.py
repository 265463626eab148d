"""Questions to `andon what-if` about a lake and a repository."""

import subprocess
from pathlib import Path

from andon.runtime.clock import MINUTE_MS
from andon.tools.what_if.asked import asked_in
from andon.tools.what_if.replaying import LakePlace, what_if
from andon.tools.what_if.report import WhatIf
from andon.tools.what_if.splitting import FEW_EVENTS
from andon.tools.what_if.trees import room

SOONER_MS = 12 * MINUTE_MS
SOONER = f"limits.SILENT_AFTER_MS={SOONER_MS}"


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603  of this test


def replayed(lake: Path, root: Path, *, few_events: int = FEW_EVENTS, **given: str) -> WhatIf:
    with room() as folder:
        asked = asked_in({"RULE": "all", **given})
        return what_if(asked, LakePlace(lake, None), root, folder, few_events=few_events)
