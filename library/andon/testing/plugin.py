"""A plugin of pytest: brings the laws of `testing/laws` to every package that it finds.

Activate it in the root `conftest.py`: `pytest_plugins = ["andon.testing.plugin"]`. The samples of the laws are
those under `events/`, and their stories for views those in `tests/views/<name>/stories.py`. They are collected where
all tests are, by folder or by default, or where `--laws` is given; `-k` chooses among them as among all tests.
"""

from pathlib import Path
from typing import Final

import pytest

from andon.testing.synthesised import Synthesised, synthesised

LAWS: Final = Path(__file__).parent / "laws"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that asks for the laws, whatever else is run."""
    parser.addoption("--laws", action="store_true", help="try the laws on every package, too")


def pytest_configure(config: pytest.Config) -> None:
    """Add the laws to what is collected."""
    asked = [Path(config.invocation_params.dir, argument.partition("::")[0]) for argument in config.args]
    all_tests = {config.rootpath / path for path in config.getini("testpaths")} | {config.rootpath}
    if config.getoption("laws") or all_tests & set(asked):
        config.args.append(str(LAWS))


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Synthesised:
    """Return the synthesised stack; a project that synthesises it for tests of its own may return that instead."""
    return synthesised(tmp_path_factory.mktemp("synthesised"))
