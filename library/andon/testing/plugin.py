"""A plugin of pytest: brings the laws of `testing/laws` to every package that it finds.

Activate it in the root `conftest.py`: `pytest_plugins = ["andon.testing.plugin"]`. It brings `andon.testing.fixtures`
along. The samples of the laws are
those under `events/`, and their stories for views those in `tests/views/<name>/stories.py`. They are collected where
all tests are, by folder or by default, or where `--laws` is given; `-k` chooses among them as among all tests.

A run that fails ends with a sentence for each law that is broken. What handlers print and log, a JSON line for each
invocation, is shown if it is asked for: `--show-capture=all`. A stack that is refused at synth is one failure; the
other tests that need its template are skipped.
"""

import inspect
import os
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Final

import pytest

from andon.testing.synthesised import NotSynthesised, Synthesised, synthesised

pytest_plugins = ["andon.testing.fixtures"]

LAWS: Final = Path(__file__).parent / "laws"
LAW: Final = "law"
_SHOW_CAPTURE: Final = "--show-capture"
_REFUSED: Final = pytest.StashKey[bool]()
"""True: the refusal of the stack has been reported."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that asks for the laws, whatever else is run."""
    parser.addoption("--laws", action="store_true", help="try the laws on every package, too")


def pytest_configure(config: pytest.Config) -> None:
    """Add the laws to what is collected."""
    asked = [Path(config.invocation_params.dir, argument.partition("::")[0]) for argument in config.args]
    all_tests = {config.rootpath / path for path in config.getini("testpaths")} | {config.rootpath}
    if config.getoption("laws") or all_tests & set(asked):
        config.args.append(str(LAWS))
    given = (*config.invocation_params.args, *config.getini("addopts"), os.environ.get("PYTEST_ADDOPTS", ""))
    if not any(_SHOW_CAPTURE in argument for argument in given):
        config.option.showcapture = "no"


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Let each law bring its sentence to its reports."""
    for item in items:
        if LAWS in item.path.parents and isinstance(item, pytest.Function):
            item.user_properties.append((LAW, _law_of(item)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report a stack that is refused once, by its sentence: each test that needs the template meets it."""
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, NotSynthesised):
        report.longrepr = str(call.excinfo.value)
        if item.config.stash.get(_REFUSED, False):
            report.outcome = "skipped"
            report.longrepr = (str(item.path), item.location[1] or 0, f"Skipped: {report.longrepr}")
        item.config.stash[_REFUSED] = True
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print a sentence for each law that is broken, and which packages or samples break it."""
    broken: dict[str, list[str]] = {}
    for report in terminalreporter.getreports("failed") + terminalreporter.getreports("error"):
        for name, law in getattr(report, "user_properties", ()):
            if name == LAW:
                broken.setdefault(law, []).append(_breaker_of(report))
    if not broken:
        return
    terminalreporter.section("laws that are broken", yellow=True)
    for law, breakers in broken.items():
        terminalreporter.write_line(law)
        for breaker in breakers:
            terminalreporter.write_line(f"    {breaker}")
    terminalreporter.write_line(f"What was printed and logged meanwhile: {_SHOW_CAPTURE}=all")


def _law_of(item: pytest.Function) -> str:
    """Return a law's sentence: what its test is called, and what its module says of it."""
    about, _, _ = (inspect.getdoc(item.module) or "").partition("\n\n")
    return f"{item.originalname.removeprefix('test_').replace('_', ' ').capitalize()}. {' '.join(about.split())}"


def _breaker_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return the subject that broke a law, and the failure."""
    _, _, tried = report.nodeid.partition("[")
    crash = getattr(report.longrepr, "reprcrash", None)
    first, *others = (crash.message if crash else str(report.longrepr)).splitlines()
    why = " ".join([first, *map(str.strip, others)]) if first.endswith(":") else first  # it begins a list
    return f"{tried.removesuffix(']')}: {why}" if tried else why


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Synthesised:
    """Return the synthesised stack; a project that synthesises it for tests of its own may return that instead."""
    return synthesised(tmp_path_factory.mktemp("synthesised"))
