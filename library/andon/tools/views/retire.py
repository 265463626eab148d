"""`make retire`: removes the version of a view that does not serve, and lets the other one be the view."""

import argparse
import re
import shutil
from pathlib import Path
from typing import Final

from andon.packages import serving
from andon.project import project
from andon.tools.called import as_called, deploy
from andon.tools.views.new_version import LINE, copy_into
from andon.tools.views.versions import ViewVersions, versions

VERSION: Final = re.compile(r"\n\nREPLACES = .*?(?=\n\n\n(?!def as_before\b)\S|\Z)", re.DOTALL)
SEARCHED: Final = ("lab", "demo", "docs", "functions", "infra", "tests", "Makefile", "README.md")


def retire(both: ViewVersions, root: Path) -> list[str]:
    """Remove the files and the line of the version that stands by; return the files that still name it.

    Its tests are those of the other one now, as far as that has none of its own.
    """
    goes, stays = both.stands_by.name, both.serves.name
    tests = root / "tests" / "views"
    if stays == both.after.name and (tests / goes).is_dir():
        copy_into(tests / goes, tests / stays)
    for folder in (root / "functions" / "views", tests):
        shutil.rmtree(folder / goes, ignore_errors=True)
    stack = root / "infra" / "stack.py"
    stack.write_text(stack.read_text().replace(LINE.format(goes), ""))
    declared = root / "functions" / "views" / stays / "view.py"
    declared.write_text(VERSION.sub("\n", declared.read_text()).rstrip("\n") + "\n")
    switches = serving.switches()
    switches.pop(both.before.name, None)
    serving.write(switches)
    return sorted(_naming(goes, root))


def _naming(view: str, root: Path) -> set[str]:
    named = re.compile(rf'\bviews[./]{view}\b|\b{view.upper()}_TABLE\b|"views", "{view}"')
    places = [root / place for place in SEARCHED]
    files = [file for place in places for file in (place.rglob("*") if place.is_dir() else [place]) if file.is_file()]
    texts = (file for file in files if file.suffix in {".py", ".md", ""} and "__pycache__" not in file.parts)
    return {file.relative_to(root).as_posix() for file in texts if named.search(file.read_text(errors="replace"))}


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog=as_called("retire"), description=__doc__)
    parser.add_argument("view")
    both = versions(parser.parse_args().view)
    goes = both.stands_by.name
    left = retire(both, project().root)
    print(f"{goes} is gone from this clone; the next deployment removes it ({as_called('up')}, or {deploy()}).")
    if left:
        print("These still name it:", *left, sep="\n    ")


if __name__ == "__main__":
    main()
