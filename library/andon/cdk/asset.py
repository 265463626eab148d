"""What of `functions/` a package's Lambda functions get."""

import hashlib
import shutil
from pathlib import Path
from typing import Final

from aws_cdk import AssetHashType
from aws_cdk import aws_lambda as lambda_

from andon.cdk.built import PROJECT, build_once
from andon.cdk.bytecode import TAG, compile_all
from andon.packages.package import FUNCTIONS, SIDES, Package

ASSETS: Final = PROJECT / ".local" / "code"
NOT_FOR_LAMBDA: Final = (".pyc", ".sql")  # no function asks the lake
TASK: Final = "/var/task"  # where Lambda unpacks it


def code_of(package: Package, compiler: Path | None, root: Path = FUNCTIONS) -> lambda_.AssetCode:
    """Pack `functions/` without every other package; with `compiler`, bytecode is added."""

    def fill(content: Path) -> None:
        for file in _files_of(package, root):
            copied = content / file.relative_to(root)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copied)
        if compiler:
            compile_all(content, compiler, loaded_from=TASK)

    packed = hash_of(package, root, is_compiled=compiler is not None)
    folder = build_once(ASSETS / f"{package.side}.{package.name}" / packed, fill)
    return lambda_.Code.from_asset(str(folder), asset_hash_type=AssetHashType.CUSTOM, asset_hash=packed)


def hash_of(package: Package, root: Path = FUNCTIONS, *, is_compiled: bool) -> str:
    """Return the hash of a package's asset, the same on every machine: touching one package changes one asset."""
    digest = hashlib.sha256((TAG if is_compiled else "source").encode())
    for file in _files_of(package, root):
        digest.update(f"\n{file.relative_to(root).as_posix()} {hashlib.sha256(file.read_bytes()).hexdigest()}".encode())
    return digest.hexdigest()


def _files_of(package: Package, root: Path) -> list[Path]:
    return [file for file in sorted(root.rglob("*")) if file.is_file() and _belongs(file.relative_to(root), package)]


def _belongs(file: Path, package: Package) -> bool:
    """Whether a file of `functions/` is for a package: its own or shared, and nothing that tools leave behind."""
    if file.suffix in NOT_FOR_LAMBDA or any(part == "__pycache__" or part.startswith(".") for part in file.parts):
        return False
    is_of_a_package = file.parts[0] in SIDES and len(file.parts) > len(("side", "__init__.py"))
    return not is_of_a_package or file.parts[:2] == (package.side, package.name)
