"""Every alarm has a page that says what to do, and every page has its alarm."""

import re
import subprocess
from fnmatch import fnmatchcase

import pytest

from andon.testing.synthesised import Synthesised
from tests.support.infra.synthesised import PROJECT

FOLDER = PROJECT / "docs" / "runbooks"
INDEX = FOLDER / "README.md"
SHELL = FOLDER / "on-call.sh"
PAGES = sorted(page.stem for page in FOLDER.glob("*.md") if page != INDEX)
NAMED = re.compile(r"/runbooks/([a-z0-9-]+)\.md")
HEADINGS = ["What it means", "What people see", "How to look", "How to mend", "When it is over"]
HASH = re.compile(r"[0-9A-F]{8}$")  # what CDK puts behind a logical id

each = pytest.mark.parametrize("page", PAGES)


def text_of(page: str) -> str:
    return (FOLDER / f"{page}.md").read_text()


def named(aws: Synthesised) -> dict[str, str]:
    """The page that each alarm names, by the alarm's name without the stack's; one that wakes nobody has a path."""
    return {
        alarm.get("AlarmName", f"Andon/{name}").removeprefix("Andon/"): NAMED.findall(alarm["AlarmDescription"])[0]
        for name, alarm in aws.of_type("AWS::CloudWatch::Alarm").items()
    }


def patterns(page: str) -> list[str]:
    """The names of alarms at the top of a page, as `*/DeadLetters/Waiting`."""
    [line] = [line for line in text_of(page).splitlines() if line.startswith("Alarms: ")]
    return re.findall(r"`([^`]+)`", line)


def test_every_alarm_has_its_runbook_and_every_runbook_its_alarm(varied: Synthesised) -> None:
    assert sorted(set(named(varied).values())) == PAGES


@each
def test_a_page_names_exactly_the_alarms_that_name_it(varied: Synthesised, page: str) -> None:
    own = [alarm for alarm, its_page in named(varied).items() if its_page == page]

    assert [alarm for alarm in own if not any(fnmatchcase(alarm, pattern) for pattern in patterns(page))] == []
    assert [pattern for pattern in patterns(page) if not any(fnmatchcase(alarm, pattern) for alarm in own)] == []


@each
def test_a_page_says_what_it_means_and_how_to_look_and_mend(page: str) -> None:
    found = re.findall(r"^## (.+)\n\n(\S)", text_of(page), re.MULTILINE)

    assert [heading for heading, _ in found] == HEADINGS


@each
def test_the_index_has_each_page(page: str) -> None:
    assert f"]({page}.md)" in INDEX.read_text()


@each
def test_outputs_functions_and_verbs_that_a_page_names_exist(aws: Synthesised, page: str) -> None:
    text, logical = text_of(page), [HASH.sub("", name).lower() for name in aws.resources]
    verbs = re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE)

    assert set(re.findall(r"\$\(out (\w+)\)", text)) <= set(aws.outputs)
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE)) <= set(verbs)
    for kind, prefix in re.findall(r"resource ([\w:]+) (\w+)\b(?!\$)", text):
        found = [
            name
            for name, made in aws.resources.items()
            if made["Type"] == f"AWS::{kind}" and HASH.sub("", name).lower().startswith(prefix.lower())
        ]
        assert len(found) == 1, (kind, prefix, found)
    for prefix in re.findall(r"^(?:log|errors) (\w+)", text, re.MULTILINE):
        assert f"{prefix}Logs".lower() in logical, prefix


def test_the_shell_functions_can_be_read_by_a_shell() -> None:
    done = subprocess.run(["bash", "-n", str(SHELL)], capture_output=True, check=False)  # noqa: S603, S607

    assert (done.returncode, done.stderr) == (0, b"")


def access_line(aws: Synthesised) -> str:
    """A line of the API's access log: API Gateway fills in the format, and changes nothing else of it."""
    [made] = aws.of_type("AWS::ApiGatewayV2::Stage").values()
    values = {
        "routeKey": "PUT /equipment/{id}",
        "status": "429",
        "responseLatency": "12034",
        "authorizer.claims.sub": "x",
    }
    template: str = made["AccessLogSettings"]["Format"]
    return re.sub(r"\$context\.([\w.]+)", lambda found: values.get(found[1], "-"), template)


@each
def test_what_a_page_looks_for_in_the_access_log_is_found_there(aws: Synthesised, page: str) -> None:
    for command in re.findall(r"^aws logs .*ApiAccess(?:[^\n]*[\\|]\n)*[^\n]*", text_of(page), re.MULTILINE):
        for options, pattern in re.findall(r"grep (-\w+) '([^']+)'", command):
            found = subprocess.run(  # noqa: S603
                ["grep", options, pattern],  # noqa: S607
                input=access_line(aws).encode(),
                check=False,
                capture_output=True,
            )
            assert found.returncode == 0, pattern
        for status in re.findall(r"\$\.status = (\S+)", command):
            assert status.startswith('"'), "it is text in the log, and a number is not equal to text"
