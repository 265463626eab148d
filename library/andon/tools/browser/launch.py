"""A headless browser, driven by Playwright."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import Browser, sync_playwright

from andon.cdk.assets import build_once
from andon.project import project
from andon.tools.called import install
from andon.tools.stack.errors import ToolFailed

# The browser for tests and pictures: no root, and no download but npm's.
#
# The npm package `@sparticuz/chromium` has a headless Chromium inside, for Linux on x86-64, with the libraries that a
# bare system lacks. On other systems it is the browser that `$CHROMIUM` names, or one on the PATH.

PACKAGE: Final = project().root / "node_modules" / "@sparticuz" / "chromium"
_BROWSERS: Final = project().local / "browser"
_UNPACK: Final = Path(__file__).with_name("unpack.mjs")
NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MACOS: Final = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")

# The first releases of Python 3.11 have no filter for what is unpacked.
_SAFELY: Final[dict[str, Literal["data"]]] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
# The fonts of the package and no others, so that a picture is the same on every machine.
_FONTS: Final = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
"""


@dataclass(frozen=True, slots=True)
class Installed:
    """A browser of the Chromium family, and what its environment needs beside the caller's."""

    path: Path
    environment: Mapping[str, str] = field(default_factory=dict)


def installed() -> Installed:
    """Return the browser; the first call unpacks it, in about three seconds.

    Raises:
        Failed: there is none.
    """
    if chosen := os.environ.get("CHROMIUM"):
        return Installed(Path(chosen))
    if (sys.platform, platform.machine()) == ("linux", "x86_64") and PACKAGE.is_dir():
        return _unpacked()
    if found := next(filter(None, map(shutil.which, NAMES)), None):
        return Installed(Path(found))
    if _MACOS.is_file():
        return Installed(_MACOS)
    raise ToolFailed(f"there is no browser: {install()}, or name a Chromium or Chrome in $CHROMIUM")


def _unpacked() -> Installed:
    version = json.loads((PACKAGE / "package.json").read_text())["version"]
    folder = build_once(_BROWSERS / "chromium" / version, _unpack)
    return Installed(
        folder / "chromium", {"LD_LIBRARY_PATH": str(folder / "lib"), "FONTCONFIG_FILE": str(folder / "fonts.conf")}
    )


def _unpack(folder: Path) -> None:
    folder.mkdir()
    node = shutil.which("node")
    if not node:
        raise ToolFailed("Node is needed to unpack the browser: https://nodejs.org")
    subprocess.run([node, str(_UNPACK), str(PACKAGE / "bin"), str(folder)], check=True)
    for archive in folder.glob("*.tar"):
        shutil.unpack_archive(archive, folder, **_SAFELY)
        archive.unlink()
    (folder / "fonts.conf").write_text(_FONTS)
    (folder / "chromium").chmod(0o755)


@contextmanager
def launched() -> Iterator[Browser]:
    """Launch the browser, and close it in the end."""
    browser = installed()
    with sync_playwright() as playwright:
        environment: dict[str, str | float | bool] = {**os.environ, **browser.environment}
        running = playwright.chromium.launch(executable_path=browser.path, env=environment)
        try:
            yield running
        finally:
            running.close()
