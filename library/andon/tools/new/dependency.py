"""Dependency of a new project on the library: the wheel that is installed here, or its version in an index.

Nothing of this machine stands in what is written: a wheel is copied into the project.
"""

import hashlib
import importlib.metadata
import importlib.util
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from andon.project import library_folder
from andon.tools.new.words import NotNew

_DISTRIBUTION: Final = "andon"
ABOUT: Final = "# The library; `make install` installs it, and the tools that it pins.\n"
_NAME_IT: Final = "name it: --wheel FILE"


class Dependency(NamedTuple):
    """A line of requirements, and the wheel to be copied into the project, if that is what it names."""

    requirement: str
    wheel: Path | None = None


@contextmanager
def dependency(wheel: Path | None) -> Iterator[Dependency]:
    """Yield how to depend on the library, by a given wheel or by that of which this one was installed.

    Raises:
        NotNew: the wheel is not there.

    """
    with tempfile.TemporaryDirectory() as built:
        yield _by_wheel(wheel) if wheel is not None else _as_installed(Path(built))


def _by_wheel(wheel: Path) -> Dependency:
    """Return the dependency on a wheel in the project's `vendor/`, with its hash.

    Raises:
        NotNew: it is no wheel of the library, or not there.

    """
    if not wheel.is_file() or not wheel.name.startswith(f"{_DISTRIBUTION}-") or wheel.suffix != ".whl":
        raise NotNew(f"{wheel} is no wheel of {_DISTRIBUTION} that is there; {_NAME_IT}")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return Dependency(f"{ABOUT}./vendor/{wheel.name} --hash=sha256:{digest}\n", wheel)


def _as_installed(built: Path) -> Dependency:
    found = _installed()
    if found is None:
        return _by_wheel(_build(library_folder().parent, built))
    url = _direct_url(found)
    if url is None:
        return Dependency(f"{ABOUT}{_DISTRIBUTION}=={found.version}\n")
    if urlsplit(url).scheme != "file":
        return Dependency(f"{ABOUT}{_DISTRIBUTION} @ {url}\n")
    place = Path(unquote(urlsplit(url).path))
    return _by_wheel(_build(place, built) if place.is_dir() else place)


def _installed() -> importlib.metadata.Distribution | None:
    """Return the distribution that this code belongs to; None: it runs from its source."""
    for found in importlib.metadata.distributions(name=_DISTRIBUTION):
        if Path(str(found.locate_file(_DISTRIBUTION))).resolve() == library_folder().resolve():
            return found
    return None


def version() -> str:
    """Return the version of the library that runs."""
    found = _installed()
    if found is not None:
        return found.version
    settings = tomllib.loads((library_folder().parent / "pyproject.toml").read_text())
    return str(settings["project"]["version"])


def _direct_url(found: importlib.metadata.Distribution) -> str | None:
    """Return the address that it was installed from; None: from an index.

    https://packaging.python.org/en/latest/specifications/direct-url/
    """
    text = found.read_text("direct_url.json")
    return None if text is None else str(json.loads(text)["url"])


def _build(source: Path, into: Path) -> Path:
    if not (source / "pyproject.toml").is_file():
        raise NotNew(f"the library runs from {source}, which no wheel can be built of; {_NAME_IT}")
    isolated = [] if importlib.util.find_spec("hatchling") is None else ["--no-build-isolation"]
    quietly = ["--quiet", "--disable-pip-version-check", "--no-deps"]
    command = [sys.executable, "-m", "pip", "wheel", *quietly, *isolated, "--wheel-dir", str(into), str(source)]
    subprocess.run(command, check=True)
    [wheel] = into.glob(f"{_DISTRIBUTION}-*.whl")
    return wheel
