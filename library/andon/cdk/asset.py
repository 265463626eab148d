"""The code that a package's Lambda functions get."""

import hashlib
import shutil
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from aws_cdk import AssetHashType
from aws_cdk import aws_lambda as lambda_

from andon.cdk.built import build_once
from andon.cdk.bytecode import TAG, compile_all
from andon.packages.package import Package
from andon.packages.source import Source, source
from andon.project import project

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
