"""The library as a wheel of its sources, and Pythons that have nothing else of them.

A plugin of pytest, for tests of the library and of what stands beside its sources.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from andon.project import library_folder

WITHOUT_PLUGINS = "-p no:schemathesis -p no:anyio -p no:hypothesispytest"
"""pytest loads all plugins among packages, half a second of CPU a process; no project uses these."""

_PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")


def python(*arguments: str, imports: tuple[Path, ...], cwd: Path, **environment: str) -> str:
    """Output of a Python that imports from these folders and the environment's packages alone."""
    done = ended(*arguments, imports=imports, cwd=cwd, **environment)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout.strip()


def ended(
    *arguments: str, imports: tuple[Path, ...], cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run such a Python, which may fail."""
    packages = Path(sysconfig.get_path("purelib"))
    return subprocess.run(  # noqa: S603
        [sys.executable, *arguments],
        cwd=cwd,
        env={
            **os.environ,
            **environment,
            "PYTEST_ADDOPTS": WITHOUT_PLUGINS,
            "PYTHONPATH": os.pathsep.join(map(str, (*imports, packages))),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def built(folder: Path, source: Path) -> Path:
    """Build a wheel of sources in a folder; return it."""
    _pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    [wheel] = folder.glob("*.whl")
    return wheel


def installed(folder: Path, *wheels: Path) -> Path:
    """Install wheels into a folder; return it."""
    _pip("install", "--no-deps", "--no-index", "--target", str(folder), *map(str, wheels))
    return folder


def _pip(*command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": ""}  # no sources beside the packages
    subprocess.run([sys.executable, *_PIP, *command], check=True, env=environment)  # noqa: S603


@pytest.fixture(scope="session")
def wheel_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the library's wheel."""
    return built(tmp_path_factory.mktemp("wheel"), library_folder().parent)


@pytest.fixture(scope="session")
def wheel(wheel_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the library's wheel was installed into."""
    return installed(tmp_path_factory.mktemp("installed"), wheel_file)
