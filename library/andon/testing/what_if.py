"""Questions to `andon what-if` about a lake and the packages of this project, in a repository of their own."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

from andon.project import project
from andon.tools.what_if.asked import asked_in
from andon.tools.what_if.replaying import DEFAULT, LakePlace, what_if
from andon.tools.what_if.report import WhatIf
from andon.tools.what_if.splitting import FEW_EVENTS
from andon.tools.what_if.trees import room

_AUTHOR: Final = ("-c", "user.name=n", "-c", "user.email=e@example.com")


def asked(lake: Path, root: Path, few_events: int = FEW_EVENTS, /, **given: str) -> WhatIf:
    """Ask the tool about a lake and the trees of a repository; few_events: see `Splitter`."""
    with room() as folder:
        question = asked_in({"RULE": "all", **given})
        return what_if(question, LakePlace(lake, None, DEFAULT), root, folder, few_events=few_events)


class Repository:
    """A repository with the packages of this project. root: its folder; its one branch has one commit."""

    def __init__(self, root: Path) -> None:
        self.root, self.functions = root, root / "functions"
        without = shutil.ignore_patterns("__pycache__")
        shutil.copytree(project().root / "functions", self.functions, ignore=without)
        self.git("init", "--quiet")
        self.git("add", ".")
        self.commit("packages")

    def commit(self, message: str) -> None:
        """Commit all changes of files that it has."""
        self.git(*_AUTHOR, "commit", "--quiet", "--all", f"--message={message}")

    def git(self, *arguments: str) -> str:
        """Run git in it; return what it printed."""
        command = ["git", "-C", str(self.root), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603
