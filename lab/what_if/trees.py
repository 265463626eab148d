"""A repository with the packages of the sample, in which changes are made and taken back."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from andon.project import project
from lab.what_if.changes import Change

AUTHOR: Final = ("-c", "user.name=n", "-c", "user.email=e@example.com")


class Sample:
    """The repository. root: its folder; its one branch has one commit."""

    def __init__(self, root: Path) -> None:
        self.root, self._functions = root, root / "functions"
        without = shutil.ignore_patterns("__pycache__")
        shutil.copytree(project().root / "functions", self._functions, ignore=without)
        self._git("init", "--quiet")
        self._git("add", ".")
        self._commit("sample")
        self._head = self._git("rev-parse", "HEAD")

    @contextmanager
    def changed(self, change: Change) -> Iterator[dict[str, str]]:
        """Change the working tree, and yield what is to be asked; it is as before afterwards."""
        change.apply(self._functions)
        try:
            yield {} if change.setting is None else {"SET": change.setting}
        finally:
            self._git("checkout", "--quiet", "--", ".")

    def committed(self, change: Change) -> str:
        """Return a commit with a change, which is on no branch."""
        change.apply(self._functions)
        self._commit(change.name)
        sha = self._git("rev-parse", "HEAD")
        self._git("reset", "--quiet", "--hard", self._head)
        return sha

    def _commit(self, message: str) -> None:
        self._git(*AUTHOR, "commit", "--quiet", "--all", f"--message={message}")

    def _git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.root), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
