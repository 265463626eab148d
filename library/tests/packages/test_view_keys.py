"""Keys of a view that do not fit its events, refused in a project of another domain by what to write where."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from andon.project import library_folder

FOREIGN: Final = Path(__file__).parents[1] / "foreign"
REFUSE: Final = """
import sys
from andon.cdk.checks.declared import refuse_foreign_keys
from andon.packages.package import Package
try:
    refuse_foreign_keys(Package("views", sys.argv[1]))
except ValueError as refused:
    print(refused)
"""
AT: Final = 1_770_000_000_000
ROW: Final = {
    "id": {"S": "emma"},
    "discriminator": {"S": "loan"},
    "holder": {"S": "Ada"},
    "timestamp": {"N": str(AT)},
    "changedBy": {"S": "somebody"},
}
RECORD: Final = {
    "eventID": "e1",
    "eventName": "INSERT",
    "eventSourceARN": "arn:aws:dynamodb:us-east-1:000000000000:table/Lending-LoansTable/stream/1",
    "dynamodb": {"Keys": {"id": {"S": "emma"}}, "NewImage": ROW},
}
EVENT: Final = {
    "id": "e1",
    "type": "book-lent",
    "timestamp": AT,
    "partitionKey": "emma",
    "loan": {"book": "emma", "to": "Ada"},
    "tags": {"source": "loans", "actor": "somebody"},
}
FIXED: Final = """
from andon.versions.aggregate import CURRENT_ONLY, Aggregate, Frequency, Identity, Speed
SOMETIMES = Frequency.SELDOM
LOAN = Aggregate(CURRENT_ONLY, Identity.GIVEN, SOMETIMES, SOMETIMES, Speed.SLOW, fixed=frozenset({"holder"}))
AGGREGATES = {"loan": LOAN}
"""
ADVICE: Final = (
    "Give KEYS the name of what the event is about, and let an index list by the other: INDEXES in "
    "functions/views/borrowed/view.py, with its attributes among the fields."
)


@pytest.fixture
def lending(tmp_path: Path) -> Path:
    """A project of another domain, with a sample of its one event."""
    project = shutil.copytree(FOREIGN, tmp_path / "lending")
    samples: dict[str, Any] = {"stream": {"Records": [RECORD]}, "domain": EVENT}
    for kind, sample in samples.items():
        (project / "events" / kind).mkdir(parents=True)
        (project / "events" / kind / "book-lent.json").write_text(json.dumps(sample))
    return project


def refused(project: Path, view: str = "borrowed") -> str:
    """Return what is said to a view; nothing if all is well."""
    imports = os.pathsep.join(map(str, (project / "functions", library_folder().parent)))
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", REFUSE, view], env={"PYTHONPATH": imports}, check=True, capture_output=True, text=True
    )
    return run.stdout.strip()


def edit(project: Path, file: str, before: str, after: str) -> None:
    """Replace some text of a file."""
    path = project / "functions" / file
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))


def keyed(project: Path, keys: str, of: str) -> None:
    """Let the view have other keys."""
    edit(project, "views/borrowed/view.py", 'Keys("book"', f"Keys({keys}")
    edit(project, "views/borrowed/view.py", 'KEYS.of(loan.text("book"))', f"KEYS.of({of})")


def test_a_view_by_what_its_events_are_about_is_well(lending: Path) -> None:
    assert refused(lending) == ""


def test_a_view_that_is_partitioned_by_something_else_is_refused_with_what_to_write_instead(lending: Path) -> None:
    keyed(lending, '"holder"', 'loan.text("to")')

    assert refused(lending) == (
        "view borrowed: the row of book-lent has holder = 'Ada', but the event's partition key is 'emma', by which the "
        f"view is audited and rebuilt: each of its rows would be doubtful. {ADVICE}"
    )


def test_a_key_that_moves_is_refused_by_the_attribute_that_moves_it(lending: Path) -> None:
    keyed(lending, '"book", "holder"', 'loan.text("book"), loan.text("to")')

    assert refused(lending) == (
        "view borrowed: the key of a row takes holder of the loan of loans, which can change: the row with the old "
        f"value would stay beside the new one. {ADVICE}"
    )


def test_what_all_versions_share_cannot_move(lending: Path) -> None:
    keyed(lending, '"book", "holder"', 'loan.text("book"), loan.text("to")')
    (lending / "functions" / "services" / "loans" / "versioning.py").write_text(FIXED)

    assert refused(lending) == ""


def test_a_row_for_each_version_is_well(lending: Path) -> None:
    keyed(lending, '"book", "at"', 'loan.text("book"), str(event.timestamp_ms)')

    assert refused(lending) == ""


def test_what_is_published_once_cannot_move(lending: Path) -> None:
    keyed(lending, '"book", "holder"', 'loan.text("book"), loan.text("to")')
    once = "def lent(change):\n    if change.old:\n        return None\n"
    edit(lending, "services/loans/facts.py", "def lent(change: Change) -> Fact:\n", once)

    assert refused(lending) == ""


def test_in_objects_a_key_may_move_if_it_leaves_a_tombstone_where_it_was(lending: Path) -> None:
    assert refused(lending, "shelves") == ""

    edit(lending, "views/shelves/view.py", "if before else []", "if False else []")
    assert refused(lending, "shelves") == (
        "view shelves: the key of a row takes holder of the loan of loans, which can change: the row with the old "
        "value would stay beside the new one. Return entered(update, <key of before>), of andon.views.view_updates, in "
        "functions/views/shelves/view.py: it leaves a tombstone there. The fact has to say where it was."
    )


def test_in_objects_a_row_is_about_what_its_events_are(lending: Path) -> None:
    edit(lending, "views/shelves/view.py", 'ObjectKeys("holder", about="book")', 'ObjectKeys("book", about="holder")')
    edit(lending, "views/shelves/view.py", "KEYS.of(holder, book)", "KEYS.of(book, holder)")

    assert refused(lending, "shelves").startswith("view shelves: the row of book-lent has holder = 'Ada', but")
