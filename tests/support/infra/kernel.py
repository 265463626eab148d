"""Loads the CDK, whose kernel leaves what it synthesises in a folder of this process, which goes with it.

Whoever loads the CDK imports this before: a kernel looks for its folder once.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

FOLDER: Final = Path(tempfile.mkdtemp(prefix="kernel-"))


def _load() -> None:
    """Have the kernel begin there; all others have the folder that they had."""
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = str(FOLDER)
    try:
        import aws_cdk  # noqa: F401, PLC0415  that starts it
    finally:
        del os.environ["TMPDIR"]
        if before is not None:
            os.environ["TMPDIR"] = before


atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)  # what is registered first runs last, after the kernel's end
_load()
