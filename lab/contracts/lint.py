"""`make contracts-lint`: holds the documents of contracts against AsyncAPI's own parser and EventCatalog's own linter.

Each has to refuse a broken copy, too. They are 76 MB of npm: installed, by their hashes, when this runs first. It ends
with 1 if a document is refused, or a broken one is not.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from andon.project import project
from andon.tools.contracts.documents import ASYNCAPI, CATALOG, folder

PINNED: Final = Path(__file__).parent / "node"
LOCK: Final = "package-lock.json"
FILES: Final = (".npmrc", "package.json", LOCK, "parse.js")
INSTALL: Final = ("npm", "ci", "--silent", "--no-audit", "--no-fund")


def main() -> int:
    """Lint the documents and a broken copy of each; return the status."""
    tools = installed()
    root = folder()
    good = [said_of_asyncapi(tools, root / ASYNCAPI), said_of_catalog(tools, root / CATALOG)]
    with TemporaryDirectory(prefix="broken-") as home:
        broken = [
            said_of_asyncapi(tools, broken_asyncapi(root / ASYNCAPI, Path(home))),
            said_of_catalog(tools, broken_catalog(root / CATALOG, Path(home))),
        ]
    for path, said, refused in zip((ASYNCAPI, CATALOG), good, broken, strict=True):
        print(f"{path}: {said or 'nothing to say of it'}")
        print(f"a broken copy: {'refused' if refused else 'NOT REFUSED'}")
    return int(any(good) or not all(broken))


def installed() -> Path:
    """Return the folder with both programs; they are installed if others are pinned than are there."""
    tools = project().local / "contracts-lint"
    done = tools / ".installed"
    lock = (PINNED / LOCK).read_text()
    tools.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copy(PINNED / name, tools / name)
    if not done.is_file() or done.read_text() != lock:
        subprocess.run(INSTALL, cwd=tools, check=True)
        done.write_text(lock)
    return tools


def said_of_asyncapi(tools: Path, document: Path) -> str:
    """Return what the parser says of a document; nothing: it is valid."""
    return _said("node", tools / "parse.js", document)


def said_of_catalog(tools: Path, catalog: Path) -> str:
    """Return what the linter says of a catalog, warnings, too; nothing: it is clean."""
    return _said(tools / "node_modules" / ".bin" / "eventcatalog-linter", "--fail-on-warning", catalog)


def broken_asyncapi(document: Path, home: Path) -> Path:
    """Return a copy in which an operation is on a channel that is none."""
    broken = json.loads(document.read_text())
    next(iter(broken["operations"].values()))["channel"] = {"$ref": "#/channels/none"}
    (home / document.name).write_text(json.dumps(broken))
    return home / document.name


def broken_catalog(catalog: Path, home: Path) -> Path:
    """Return a copy that lacks an event which services send and receive."""
    copy = Path(shutil.copytree(catalog, home / catalog.name))
    shutil.rmtree(min((copy / "events").iterdir()))
    return copy


def _said(*command: str | Path) -> str:
    """Return what a program that fails printed; of one that does not, nothing."""
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    return (ended.stdout + ended.stderr).strip() or f"it ended with {ended.returncode}" if ended.returncode else ""


if __name__ == "__main__":
    sys.exit(main())
