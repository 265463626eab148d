import re
import sys
import time

import pytest

from andon.tools.stack import progress


def test_a_long_step_says_that_it_goes_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "QUIET_S", 0.05)
    said = ""

    with progress.step("deploying"):
        while " … " not in (said := said + capsys.readouterr().err):
            time.sleep(0.01)

    going_on, done = (said + capsys.readouterr().err).splitlines()
    assert going_on.startswith("        deploying … ")
    assert done.startswith("  done  deploying (")


def test_a_short_step_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.step("deploying"):
        pass

    assert re.fullmatch(r"  done  deploying \(\d\.\d s\)\n", capsys.readouterr().err)


def test_a_command_that_succeeds_is_not_heard(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    code = progress.main("installing", [sys.executable, "-c", "print('noise')"])

    assert code == 0
    assert b"noise" not in b"".join(capfdbinary.readouterr())


def test_a_command_that_fails_is_heard_in_full(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    failing = "import sys; print('the reason', flush=True); sys.exit(4)"

    code = progress.main("installing", [sys.executable, "-c", failing])

    assert code == 4
    said = capfdbinary.readouterr().err
    assert b"the reason" in said
    assert b"done" not in said
