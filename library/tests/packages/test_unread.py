"""Declarations that leave events unread, refused in a project of another domain by what to write where."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from andon.project import library_folder

FOREIGN = Path(__file__).parents[1] / "foreign"

RULE = """
from andon.rules.rule import Control
from andon.rules.rule import Rule, Rules
from services.loans.tables import TABLE


def of_book(event):
    return event.partition_key


def nothing(history):
    return ()


RULE = Rule("overdue", frozenset({TOPIC}), of_book, nothing, frozenset({"book-called"}), window_ms=1)
CONTROL = Control(TABLE, Rules("loans", frozenset({"book-called"}), (RULE,)), ttl_days=40, remembers={REMEMBERED})
"""
REFUSE = """
from andon.cdk.checks.declared import refuse_idle_rules, refuse_unlifted
from andon.packages.discovery import readers, services
try:
    for check, packages in ((refuse_idle_rules, services()), (refuse_unlifted, readers())):
        for package in packages:
            check(package)
except ValueError as refused:
    print(refused)
"""


@pytest.fixture
def lending(tmp_path: Path) -> Path:
    """The functions of a project of another domain."""
    return shutil.copytree(FOREIGN, tmp_path / "lending") / "functions"


def refused(functions: Path) -> str:
    """Return what is said to the project's declarations; nothing if all is well."""
    command = [sys.executable, "-c", REFUSE]
    imports = f"{functions}:{library_folder().parent}"
    run = subprocess.run(command, env={"PYTHONPATH": imports}, check=True, capture_output=True, text=True)  # noqa: S603
    return run.stdout.strip()


def rule(functions: Path, topic: tuple[str, str], remembered: str = "") -> None:
    """Write a rule on a topic."""
    text = RULE.replace("{TOPIC}", f"{{{topic!r}}}").replace("{REMEMBERED}", f"{{{remembered}}}")
    (functions / "services" / "loans" / "control.py").write_text(text)


def subscribe(functions: Path, *topics: tuple[str, str]) -> None:
    """Write the subscriptions of the service with the rule."""
    text = f"ON = {dict.fromkeys(topics, 'kept')!r}\n"
    (functions / "services" / "loans" / "subscriptions.py").write_text(text)


def test_nothing_is_said_to_what_is_well(lending: Path) -> None:
    assert refused(lending) == ""

    rule(lending, ("shelves", "book-missed"))
    subscribe(lending, ("shelves", "book-missed"))
    assert refused(lending) == ""


def test_rules_without_a_listener_are_refused_with_the_file_to_write(lending: Path) -> None:
    rule(lending, ("shelves", "book-missed"))

    assert refused(lending).startswith("service loans has rules, but no listener that stores events for them")
    assert "Write functions/services/loans/subscriptions.py, with ON = {(source, type): " in refused(lending)


def test_own_facts_that_are_remembered_need_no_listener(lending: Path) -> None:
    rule(lending, ("loans", "book-lent"), remembered='"book-lent": of_book')

    assert refused(lending) == ""


@pytest.mark.parametrize(
    ("topic", "missing"),
    [
        (("shelves", "book-missed"), '("shelves", "book-missed") to ON in functions/services/loans/subscriptions.py.'),
        (("loans", "book-lent"), "'book-lent' to `remembers` of CONTROL in functions/services/loans/control.py."),
    ],
)
def test_a_rule_on_what_its_service_does_not_store_is_refused_with_the_place_to_add_it(
    lending: Path, topic: tuple[str, str], missing: str
) -> None:
    rule(lending, topic)
    subscribe(lending, ("shelves", "book-found"))

    assert refused(lending).startswith(f"service loans: rule overdue is on {topic[1]} of {topic[0]}, which nobody")
    assert refused(lending).endswith(f"Add {missing}")


def test_a_subscription_whose_old_shapes_only_others_lift_is_refused_with_what_to_write_where(lending: Path) -> None:
    views = lending / "views"
    shutil.copytree(views / "borrowed", views / "readers")
    lifting = '\nUPCASTERS = {("loans", "book-lent"): (dict,)}\n'
    with (views / "borrowed" / "view.py").open("a") as view:
        view.write(lifting)

    assert refused(lending) == (
        "views/readers subscribes to book-lent of loans, whose old shapes views/borrowed lifts and it does not: each "
        'event of before that comes again would be a fault. Add UPCASTERS = {("loans", "book-lent"): (…,)} to '
        "functions/views/readers/view.py, with the steps of functions/views/borrowed/view.py."
    )

    for other in ("readers", "shelves"):
        with (views / other / "view.py").open("a") as view:
            view.write(lifting)
    assert refused(lending) == ""


OLD = {
    "id": "e1",
    "type": "book-lent",
    "timestamp": 1_770_000_000_000,
    "partitionKey": "emma",
    "loan": {"book": "emma", "reader": "Ada"},
    "tags": {"source": "loans"},
}


def test_an_old_shape_that_nobody_lifts_is_refused_by_its_sample(lending: Path) -> None:
    samples = lending.parent / "events" / "domain"
    samples.mkdir(parents=True)
    (samples / "book-lent.v0.json").write_text(json.dumps(OLD))

    assert refused(lending) == (
        "views/borrowed cannot read events/domain/book-lent.v0.json, an old shape of book-lent of loans: each such "
        'event that comes again would be a fault. Add UPCASTERS = {("loans", "book-lent"): (…,)} to '
        "functions/views/borrowed/view.py; a step takes an event's entities, and returns them in the shape of today."
    )

    (samples / "book-lent.v0.json").write_text(json.dumps({**OLD, "loan": {"book": "emma", "to": "Ada"}}))
    assert refused(lending) == ""
