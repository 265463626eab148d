"""The order of the code: functions import nothing of what stands around, call the vendor through the library alone."""

import pytest

from andon.packages.source import source
from andon.project import library_folder, project
from andon.testing.layers import (
    Sources,
    circles,
    outward_imports,
    read_sources,
    users_of_packages,
    vendor_imports,
)


@pytest.fixture(scope="module")
def sources() -> Sources:
    """All modules that functions get."""
    return read_sources(source().files())


def test_no_function_imports_what_stands_around(sources: Sources) -> None:
    assert outward_imports(sources) == set()


def test_no_function_imports_the_vendors_library(sources: Sources) -> None:
    assert vendor_imports(sources) == set()


def test_no_handler_imports_the_description_of_packages(sources: Sources) -> None:
    assert users_of_packages(sources) == set()


def test_no_modules_import_each_other(sources: Sources) -> None:
    around = [
        (file, file.relative_to(root))
        for root in (library_folder().parent, project().root / "infra")
        for file in sorted(root.rglob("*.py"))
    ]
    assert circles({**sources, **read_sources(around)}) == set()
