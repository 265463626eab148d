from typing import Any

import pytest

from patterns.versions.optimistic_lock import expected_by, fingerprint_of, revision_of
from tests.support.patterns.things import painting
from tests.support.samples import NOW

COMMAND: dict[str, Any] = {
    "route": "PUT /x",
    "path": {"id": "1"},
    "if_match": 1,
    "body": {"a": 1, "b": 2},
    "actor": "me",
}


@pytest.mark.parametrize(
    "other",
    [
        {"route": "PUT /y"},
        {"path": {"id": "2"}},
        {"if_match": 2},
        {"if_match": None},
        {"body": {"a": 1}},
        {"actor": "you"},
    ],
    ids=str,
)
def test_commands_that_differ_in_anything_have_other_fingerprints(other: dict[str, Any]) -> None:
    assert fingerprint_of(**COMMAND) != fingerprint_of(**COMMAND | other)


def test_the_order_of_a_bodys_members_makes_no_other_command() -> None:
    assert fingerprint_of(**COMMAND) == fingerprint_of(**COMMAND | {"body": {"b": 2, "a": 1}})


def test_a_revision_says_which_version_it_is_when_it_was_made_and_by_whom() -> None:
    draft = painting("a thing", "red", if_match=4)

    row = revision_of(draft, expected_by(draft.command))

    assert row == {
        "colour": "red",
        "version": 5,
        "timestamp": NOW,
        "changedBy": "somebody",
        "fingerprint": draft.command.fingerprint,
        "digest": draft.digest,
    }


def test_a_field_that_is_none_and_one_that_is_absent_are_the_same_content() -> None:
    assert painting("a thing", None).digest != painting("a thing", "red").digest
    assert "colour" not in revision_of(painting("a thing", None), expected_by(painting("a thing", None).command))
