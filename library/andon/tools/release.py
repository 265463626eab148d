"""Builds a release of the library from its sources: wheel, sdist, what it is made of, checksums. Nothing is uploaded.

python -m andon.tools.release FOLDER
"""

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Final

from andon.project import library_folder

SOURCES: Final = library_folder().parent
REQUIREMENTS: Final = {
    "runtime": "what a function gets in its layer",
    "powertools": "what one that imports it gets besides",
    "dev": "what builds and tests it",
}
CHECKSUMS: Final = "SHA256SUMS"


def build(folder: Path, *, at_s: int, sources: Path = SOURCES) -> list[Path]:
    """Write wheel and sdist; the same sources and the same time (epoch seconds) make the same bytes."""
    _run("build", "--no-isolation", "--outdir", str(folder), str(sources), SOURCE_DATE_EPOCH=str(at_s))
    return sorted(folder.iterdir())


def list_components(requirements: Path, to: Path, *, sources: Path = SOURCES) -> None:
    """Write a software bill of materials (CycloneDX 1.6, JSON) of pinned requirements."""
    written = ("--output-file", str(to), "--output-format", "JSON", "--spec-version", "1.6", "--output-reproducible")
    about = ("--pyproject", str(sources / "pyproject.toml"), "--mc-type", "library")
    _run("cyclonedx_py", "requirements", str(requirements), *about, *written)


def checksums(folder: Path) -> str:
    """Return the lines of `sha256sum` for all files of a folder, but for the file that has them."""
    files = sorted(file for file in folder.iterdir() if file.name != CHECKSUMS)
    return "".join(f"{sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)


def _run(*module: str, **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *module], env=os.environ | environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def main() -> None:
    """Build into an empty folder, as of the last commit of this folder, with its pins, `requirements/*.txt`."""
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    committed_s = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], capture_output=True, text=True, check=True
    ).stdout
    wheel = next(one for one in build(folder, at_s=int(committed_s)) if one.suffix == ".whl")
    release = "-".join(wheel.name.split("-")[:2])
    for kind, about in REQUIREMENTS.items():
        list_components(Path("requirements", f"{kind}.txt"), folder / f"{release}-{kind}.cdx.json")
        print(f"{release}-{kind}.cdx.json: {about}")
    (folder / CHECKSUMS).write_text(checksums(folder))
    print((folder / CHECKSUMS).read_text(), end="")


if __name__ == "__main__":
    main()
