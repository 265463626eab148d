import pytest

from tests.support.samples import fact
from views.state_log.view import (
    INDEXES,
    ON,
    on_state_reported,
)


def test_every_event_writes_what_the_indexes_need_from_the_key() -> None:
    of_indexes = {name for index in INDEXES.values() for name in (index.keys.partition, index.keys.sort)}

    for (_, name), keeps in ON.items():
        update = keeps(fact(name))
        own = {"Operator", "EscalatedTo"}
        assert of_indexes - own <= update.key.keys() | update.key_fields.keys()


@pytest.mark.parametrize(("detail", "kept"), [("", ""), ("🏭", "🏭"), (["a"], '["a"]')], ids=repr)
def test_a_detail_is_kept_as_text_and_a_missing_one_is_removed(detail: object, kept: str) -> None:
    assert on_state_reported(fact("state-reported", detail=detail)).fields == {"Detail": kept}
    assert on_state_reported(fact("state-reported", detail=None)).fields == {"Detail": None}
