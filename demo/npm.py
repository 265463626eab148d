"""Packages of npm that this project is compared with, or tried against; nothing that is deployed uses them."""

import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Final

from andon.cdk.assets import build_once
from andon.project import project

HOME: Final = project().local / "npm"
NPM: Final = (
    "npm",
    "install",
    "--silent",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--no-package-lock",
    "--no-save",
)

LIBRARY, SDK, OPCUA = "aws-lambda-stream", "aws-sdk", "node-opcua"
PACKAGES: Final = {
    LIBRARY: ("aws-lambda-stream@1.0.0",),
    # Lambda brings AWS's SDK, the library does not.
    SDK: (
        "@aws-sdk/client-dynamodb@3.1162.0",
        "@aws-sdk/lib-dynamodb@3.1162.0",
        "@aws-sdk/client-eventbridge@3.1169.0",
    ),
    OPCUA: ("node-opcua@2.186.0",),
}


class NotInstalled(Exception):
    """There is no npm, or no way to its registry."""


def folder_of(name: str) -> Path:
    """Return the folder that has some of the `PACKAGES` in `node_modules`.

    Raises:
        NotInstalled: see there.

    """
    if not shutil.which("npm") or not shutil.which("node"):
        raise NotInstalled("there is no npm")
    packages = PACKAGES[name]

    def install(folder: Path) -> None:
        folder.mkdir()
        (folder / "package.json").write_text('{"private": true}')
        run = subprocess.run(
            [*NPM, *packages],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        if run.returncode:
            raise NotInstalled(f"npm could not install {' '.join(packages)}: {run.stderr[-200:]}")

    return build_once(HOME / name / hashlib.sha256(" ".join(packages).encode()).hexdigest(), install)
