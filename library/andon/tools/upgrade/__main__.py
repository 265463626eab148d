"""`andon upgrade`: brings a project to the version of the library that runs; `--check` reads only, and says what for.

Install the new version first. Then this names what it asks for, rewrites the names that it has others for, and merges
the template's own changes into yours. What it cannot do is said, and the exit status is 1: conflicts stand in the files
as git shows them. Nothing is committed, and nothing is changed where anything is not committed yet.
"""

import argparse
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from andon.project import project
from andon.tools.called import as_called
from andon.tools.in_process import derived
from andon.tools.new.dependency import version
from andon.tools.new.template import tidied
from andon.tools.stack.errors import ToolFailed
from andon.tools.upgrade.asks import asked, python_files, rewritten
from andon.tools.upgrade.merge import (
    LEFT_TO_A_PERSON,
    How,
    Merged,
    files_at,
    files_of,
    made_before,
    made_now,
    merged,
)

RECORD: Final = "pyproject.toml"
"""It says, as `[tool.andon]`, by which version and with which answers a project was made."""


def merges(root: Path, wheel: Path | None, base: str | None, answers: Sequence[str] | None) -> list[Merged]:
    """Return what the template's changes since the project was made, or upgraded, come to.

    Raises:
        ToolFailed: nobody says what the project was made with, or the version that made it is not there.

    """
    answers = _recorded(root) if answers is None else answers
    before = files_at(root, base) if base else made_before(answers, _wheel_of(root))
    return [*merged(files_of(root), before, made_now(answers, wheel))]


def _recorded(root: Path) -> list[str]:
    said = tomllib.loads((root / RECORD).read_text()).get("tool", {}).get("andon", {})
    if "made-with" not in said:
        raise ToolFailed(
            f"{RECORD} does not say what the project was made with; say it as you did to `andon new project`, "
            f"without the folder: {as_called('upgrade')} --made-with 'City --service permits' --base COMMIT"
        )
    return list(said["made-with"])


def _wheel_of(root: Path) -> Path:
    found = sorted((root / "vendor").glob("andon-*.whl"))
    if len(found) != 1:
        raise ToolFailed(
            "vendor/ has no wheel of the version before; name a commit with the project as made: --base COMMIT"
        )
    return found[0]


def upgrade(root: Path, files: Sequence[Merged]) -> list[str]:
    """Write merged files, rewrite names, and write what follows; return what is left to a person, in lines.

    Raises:
        ToolFailed: something is not committed. Nothing was changed.

    """
    _require_committed(root)
    for one in files:
        file = root / one.path
        if one.content is None:
            file.unlink(missing_ok=True)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(one.content)
    _rewrite(root)
    left = [str(one) for one in (*files, *asked(root)) if not isinstance(one, Merged) or one.how in LEFT_TO_A_PERSON]
    return left if any(one.how is How.CONFLICT for one in files) else left + _not_followed()


def _not_followed() -> list[str]:
    """Write samples and documents anew; return a line if that failed."""
    try:
        derived.follow()
    except ToolFailed as why:
        return [str(why)]
    return []


def _rewrite(root: Path) -> None:
    files = {root / file: now for file, text in python_files(root) if (now := rewritten(text)) != text}
    for file, now in files.items():
        file.write_text(now)
    tidied(root, files)


def _require_committed(root: Path) -> None:
    done = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode or done.stdout:
        raise ToolFailed("commit what you have first, so that `git diff` shows what this changes")


def _listed(title: str, lines: Sequence[object]) -> None:
    if lines:
        print(f"{title}:", *(f"  {line}" for line in lines), sep="\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=as_called("upgrade"), description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--check", action="store_true", help="change nothing: say what this version asks for")
    add("--wheel", metavar="FILE", type=Path, help="of this version, to be put into vendor/")
    add("--base", metavar="COMMIT", help="of the project as it was made, where vendor/ has no wheel of then")
    add("--made-with", metavar="ANSWERS", help="NAME and options, where pyproject.toml does not say them")
    return parser


def main() -> int:
    """Do it, or say what it would do; 1: something is asked for, or left."""
    options, root = _parser().parse_args(), project().root
    answers = None if options.made_with is None else shlex.split(options.made_with)
    if options.check:
        _listed("This version asks for", asks := [*asked(root)])
        _listed("Would be taken over of the template", files := merges(root, options.wheel, options.base, answers))
        if not (asks or files):
            print(f"Nothing is to do: the project is up to date with andon {version()}.")
        return int(bool(asks or files))
    files = merges(root, options.wheel, options.base, answers)
    left = upgrade(root, files)
    _listed("The template's own changes", [one for one in files if one.how not in LEFT_TO_A_PERSON])
    _listed("Left to you", left)
    print("next: git diff, make test, and one stage after the other (andon docs upgrades)")
    return int(bool(left))


if __name__ == "__main__":
    sys.exit(main())
