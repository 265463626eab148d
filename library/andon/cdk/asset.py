"""The code that a package's Lambda functions get."""

import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Final

from aws_cdk import AssetHashType
from aws_cdk import aws_lambda as lambda_

from andon.cdk.bytecode import TAG, compile_all
from andon.packages.package import Package
from andon.packages.source import Source, source
from andon.project import project

# Folders that are built once: each is named by what it is built from, the same on every machine.

STALE_S: Final = 60 * 60  # longer than any synth takes: what was not asked for since then, nobody reads


def build_once(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Return a folder, filled if it is missing.

    The folders beside it are removed once they are stale, and not before: another synth may be reading them, which
    was asked for something else (with bytecode, say). Of several that ask at once, one builds.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.parent):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=folder.parent.parent) as unfinished:
                content = Path(unfinished) / "content"
                fill(content)
                content.rename(folder)
        os.utime(folder)
        for other in folder.parent.iterdir():
            if other.is_dir() and time.time() - other.stat().st_mtime > STALE_S:
                shutil.rmtree(other, ignore_errors=True)
    return folder


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Hold a lock among the processes (and threads) of this machine; it ends with whoever holds it."""
    with (place / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


ASSETS: Final = project().local / "code"
TASK: Final = "/var/task"  # where Lambda unpacks it


def code_of(package: Package, compiler: Path | None, folders: Source | None = None) -> lambda_.AssetCode:
    """Pack the source without every other package; with `compiler`, bytecode is added."""
    files = list((folders or source()).files_of(package))

    def fill(content: Path) -> None:
        for file, place in files:
            copied = content / place
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copied)
        if compiler:
            compile_all(content, compiler, loaded_from=TASK)

    packed = hash_of(files, is_compiled=compiler is not None)
    folder = build_once(ASSETS / f"{package.side}.{package.name}" / packed, fill)
    return lambda_.Code.from_asset(str(folder), asset_hash_type=AssetHashType.CUSTOM, asset_hash=packed)


def hash_of(files: Iterable[tuple[Path, Path]], *, is_compiled: bool) -> str:
    """Return the hash of an asset, the same on every machine: touching one package changes one asset."""
    digest = hashlib.sha256((TAG if is_compiled else "source").encode())
    for file, place in files:
        found = file.stat()
        digest.update(f"\n{place.as_posix()} {_digest_of(file, found.st_size, found.st_mtime_ns)}".encode())
    return digest.hexdigest()


@lru_cache(maxsize=4_000)
def _digest_of(file: Path, size: int, changed_ns: int) -> str:  # noqa: ARG001  another size or time is another file
    """Return the digest of a file; most files are in each package's asset, and a process reads them once."""
    return hashlib.sha256(file.read_bytes()).hexdigest()
