"""The check of the pages' JavaScript, in a project that has none, too."""

import shutil
import subprocess
from pathlib import Path

from andon.project import project

ROOT = project().root


def checked(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run TypeScript in a folder."""
    tsc = ROOT / "node_modules" / ".bin" / "tsc"
    return subprocess.run([tsc], cwd=folder, check=False, capture_output=True, text=True)  # noqa: S603


def test_a_project_without_pages_is_well_and_a_page_with_a_wrong_type_is_not(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tsconfig.json", tmp_path)
    page = tmp_path / "functions" / "pages" / "page.js"

    without = checked(tmp_path)
    page.parent.mkdir(parents=True)
    page.write_text("/** @type {number} */\nexport const one = 'one';\n")
    wrong = checked(tmp_path)

    assert (without.returncode, without.stdout) == (0, "")
    assert wrong.returncode != 0
    assert "page.js" in wrong.stdout
