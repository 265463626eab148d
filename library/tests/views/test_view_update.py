import pytest

from andon.runtime.errors import Poison
from andon.views.view_update import ViewUpdate


@pytest.mark.parametrize("value", [None, "", 7, True, ["x"], b"x"])
def test_an_update_without_a_key_in_text_is_poison(value: object) -> None:
    with pytest.raises(Poison, match="sk"):
        ViewUpdate(key={"pk": "x", "sk": value}, fields={}, oplock="one")
