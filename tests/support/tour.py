"""The commands of docs/tour.md, typed into a shell: what each request is to be answered, and what it is."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

from andon.project import project

PAGE: Final = project().root / "docs" / "tour.md"
BLOCK: Final = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MAKE: Final = '[ "$*" = "-s token ROLE=admin" ] && echo "$ADMIN"\n'
CURL: Final = """\
number=$(ls "$ANSWERS" | grep -c status)
PATH=${PATH#*:} curl --write-out '%{stderr}%{http_code}' "$@" 2> "$ANSWERS/$number.status" | tee "$ANSWERS/$number.body"
"""


class Answered(NamedTuple):
    """A request of the page: what the page says of its answer, and the answer."""

    said: str
    status: int
    body: str

    @property
    def is_as_said(self) -> bool:
        """True if the status is what the page says, or a good one if it says none, and so is the version, if any."""
        expected = re.match(r"\d{3}\b", self.said.strip())
        is_answered = self.status == int(expected[0]) if expected else self.status // 100 == 2
        versions = re.findall(r"version (\d+)", self.said)
        is_there = not versions or json.loads(self.body)["version"] == int(versions[0])
        return is_answered and is_there


def blocks() -> list[str]:
    """Return the blocks of commands of the page."""
    return BLOCK.findall(PAGE.read_text())


def walk(commands: str, *, api: str, token: str, folder: Path) -> list[Answered]:
    """Type commands into a shell, where `make` knows a token and nothing else, and curl notes what it is answered.

    Raises:
        CalledProcessError: a command failed that no page expects to.

    """
    for name, text in (("make", MAKE), ("curl", CURL)):
        program = folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/bash\n{text}")
        program.chmod(0o755)
    for name in (".local", "answers"):
        (folder / name).mkdir()
    (folder / ".local" / "outputs.json").write_text(json.dumps({"ApiUrl": api}))
    answers = folder / "answers"
    environment = os.environ | {"ADMIN": token, "ANSWERS": str(answers), "NO_PROXY": "127.0.0.1"}
    environment["PATH"] = f"{folder / 'bin'}:{os.environ['PATH']}"
    shell = ["bash", "-eu", "-o", "pipefail", "-c", commands]
    subprocess.run(shell, cwd=folder, env=environment, check=True, capture_output=True)  # noqa: S603  our own page

    said = [line.partition(" # ")[2] for line in _whole_lines(commands) if re.search(r"\bapi -|\bapi \"", line)]
    return [
        Answered(one, int((answers / f"{number}.status").read_text()), (answers / f"{number}.body").read_text())
        for number, one in enumerate(said)
    ]


def _whole_lines(commands: str) -> list[str]:
    """Return the lines, those that end with a pipe together with the next one."""
    return re.sub(r"\|\n\s*", "| ", commands).splitlines()
