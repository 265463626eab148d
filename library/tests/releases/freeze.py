"""Keeps a project as the library of today makes it, for the tests of later ones.

PYTHONPATH=functions:library:library/tests:. .venv/bin/python -m releases.freeze
"""

import gzip
import io
import tarfile
import tempfile
import tomllib
from pathlib import Path
from typing import Final

from andon.project import library_folder
from andon.testing.installed import built, installed, python

HERE: Final = Path(__file__).parent
KEPT: Final = "kept.json"
LEFT_OUT: Final = "vendor"  # the wheel of that release; tests bring that of today


def packed(project: Path) -> bytes:
    """Return a project as an archive, the same bytes for the same files."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as file, tarfile.open(fileobj=file, mode="w") as archive:
        for one in sorted(project.rglob("*")):
            path = one.relative_to(project)
            if one.is_file() and path.parts[0] != LEFT_OUT:
                member = tarfile.TarInfo(str(path))
                member.size = one.stat().st_size
                archive.addfile(member, io.BytesIO(one.read_bytes()))
    return buffer.getvalue()


def main() -> None:
    """Write the archive of this version."""
    sources = library_folder().parent
    version = tomllib.loads((sources / "pyproject.toml").read_text())["project"]["version"]
    with tempfile.TemporaryDirectory() as folder:
        below = Path(folder)
        for made in ("wheel", "installed"):
            (below / made).mkdir()
        wheel = installed(below / "installed", built(below / "wheel", sources))
        new = ("new", "project", "city", "City", "--service", "permits")
        python("-m", "andon.tools.cli", *new, imports=(wheel,), cwd=below)
        city = below / "city"
        python(str(HERE / "kept.py"), "write", KEPT, imports=(wheel, city / "functions"), cwd=city)
        (HERE / f"{version}.tar.gz").write_bytes(packed(city))


if __name__ == "__main__":
    main()
