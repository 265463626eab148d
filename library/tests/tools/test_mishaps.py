import errno
import os
import subprocess
import sys
from http.client import RemoteDisconnected
from pathlib import Path

import pytest
from botocore.exceptions import ClientError, NoCredentialsError, ReadTimeoutError
from support import needs

from andon.project import library_folder
from andon.runtime.errors import CallFailed
from andon.tools import cli
from andon.tools.called import BY
from andon.tools.mishaps import words_of

FOREIGN = Path(__file__).parents[1] / "foreign"


def of_the_system(number: int) -> OSError:
    return OSError(number, os.strerror(number), "/disk/file")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (of_the_system(errno.ENOSPC), "the disk is full (/disk/file)"),
        (OSError(errno.ENOSPC, "x"), "the disk is full"),
        (of_the_system(errno.EROFS), "this may not be written here (/disk/file)"),
        (of_the_system(errno.EACCES), "this may not be written here (/disk/file)"),
        (RemoteDisconnected("gone"), "no answer: gone; if that stays so: andon down, then andon up"),
        (ClientError({"Error": {"Code": "Denied", "Message": "no"}}, "Do"), "refused: "),
        (CallFailed("AccessDenied"), "refused: AccessDenied"),
        (ReadTimeoutError(endpoint_url="http://here"), 'no answer: Read timeout on endpoint URL: "http://here"'),
    ],
    ids=repr,
)
def test_what_is_no_defect_is_said_in_a_line(error: Exception, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BY, "andon")

    said = words_of(error)

    assert said is not None
    assert said.startswith(words)
    assert "\n" not in said


def test_nobody_is_told_to_start_a_stage_on_aws_again() -> None:
    assert words_of(RemoteDisconnected("gone"), on_aws=True) == "no answer: gone"
    assert words_of(NoCredentialsError()) == "nothing was asked: Unable to locate credentials"
    for arguments in (["--stage", "prod"], ["things", "--stack=Andon-prod"]):
        assert cli.is_on_aws("restore", arguments)
    assert cli.is_on_aws("deploy", [])
    assert not cli.is_on_aws("redrive", ["things", "--show"])


def test_a_defect_keeps_its_traceback() -> None:
    assert words_of(KeyError("x")) is None
    assert words_of(FileNotFoundError(errno.ENOENT, "x")) is None


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        *(
            pytest.param(words, marks=needs.PAGES)
            for words in (["docs"], ["docs", "rules"], ["docs", "andon.rules.timing"])
        ),
        ["down", "--help"],
    ],
    ids=str,
)
def test_who_reads_no_further_is_told_of_no_mishap(arguments: list[str]) -> None:
    read, written = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "andon.tools.cli", *arguments]
    environment = {**os.environ, BY: "andon", "PYTHONPATH": str(library_folder().parent)}

    with os.fdopen(written, "w") as closed:
        ended = subprocess.run(  # noqa: S603
            command, cwd=FOREIGN, env=environment, stdout=closed, stderr=subprocess.PIPE, text=True, check=False
        )

    assert (ended.returncode, ended.stderr) == (cli.UNREAD, "")


def test_a_connection_that_breaks_is_one_of_the_system_while_somebody_reads(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(cli, "run", broken)
    monkeypatch.setattr(sys, "argv", ["andon", "docs"])
    monkeypatch.setenv(BY, "andon")

    assert cli.main() == 1
    assert capfd.readouterr().err.startswith("andon docs: no answer: ")
