"""`make retire`: removes the version of a view that does not serve, and lets the other one be the view.

What stands in no commit could not be brought back: it is removed with UNCOMMITTED=1 (`--uncommitted`) alone.
"""

import argparse
import re
import shutil
from pathlib import Path
from typing import Final

from andon.packages import serving
from andon.project import project
from andon.tools.called import as_called
from andon.tools.in_process import derived
from andon.tools.stack.errors import ToolFailed
from andon.tools.views.new_version import ITEM, LINE, copy_into
from andon.tools.views.versions import ViewVersions, versions
from andon.tools.what_if.trees import git

VERSION: Final = re.compile(r"\n\nREPLACES = .*?(?=\n\n\n(?!def as_before\b)\S|\Z)", re.DOTALL)
_ITEMS: Final = re.compile(r"\bItem\b")
_SEARCHED: Final = ("lab", "demo", "docs", "functions", "infra", "tests", "Makefile", "README.md")


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
    source = VERSION.sub("\n", declared.read_text()).rstrip("\n") + "\n"
    declared.write_text(source if _ITEMS.search(source.replace(ITEM, "")) else source.replace(ITEM, ""))
    switches = serving.switches()
    switches.pop(both.before.name, None)
    serving.write(switches)
    return sorted(_naming(goes, root))


def _require_committed(both: ViewVersions, root: Path) -> None:
    """Check that all that is removed can be brought back.

    Raises:
        ToolFailed: a file of the version that stands by, or of its tests, is not as it was committed.

    """
    goes = both.stands_by.name
    lost = as_called("retire", VIEW=both.before.name, UNCOMMITTED=1)
    why = f"{goes} would be lost for good: commit it before, or, if it may be lost: {lost}"
    folders = (f"functions/views/{goes}", f"tests/views/{goes}")
    if changed := git(root, "status", "--porcelain", "--untracked-files=all", "--", *folders, why=why):
        raise ToolFailed(f"{why}\n{changed}")


def _naming(view: str, root: Path) -> set[str]:
    named = re.compile(rf'\bviews[./]{view}\b|\b{view.upper()}_TABLE\b|"views", "{view}"')
    places = [root / place for place in _SEARCHED]
    files = [file for place in places for file in (place.rglob("*") if place.is_dir() else [place]) if file.is_file()]
    texts = (file for file in files if file.suffix in {".py", ".md", ""} and "__pycache__" not in file.parts)
    return {file.relative_to(root).as_posix() for file in texts if named.search(file.read_text(errors="replace"))}


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog=as_called("retire"), description=__doc__)
    parser.add_argument("view")
    parser.add_argument("--uncommitted", action="store_true", help="remove also what stands in no commit")
    options = parser.parse_args()
    both = versions(options.view)
    goes, stays = both.stands_by.name, both.serves.name
    follows = f"the next deployment removes it ({as_called('up')}, or {as_called('deploy')})"
    if not options.uncommitted:
        _require_committed(both, project().root)
    left = retire(both, project().root)
    print(f"{goes} is gone from this clone; {follows}. Its tests are in tests/views/{stays}.")
    if left:
        print("These still name it:", *left, sep="\n    ")
    derived.follow()


if __name__ == "__main__":
    main()
