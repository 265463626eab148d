import pytest

from andon.tools.called import BY, as_called, deploy, install


def test_verbs_are_said_as_they_were_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(BY, raising=False)
    by_make = [as_called("up", PORT=4567), as_called("fill", VIEW="things"), as_called("down"), install(), deploy()]
    monkeypatch.setenv(BY, "andon")
    by_andon = [as_called("up", PORT=4567), as_called("fill", VIEW="things"), as_called("down"), deploy()]

    assert by_make == ["make up PORT=4567", "make fill VIEW=things", "make down", "make install", "make deploy"]
    assert by_andon == ["andon up --port 4567", "andon fill things", "andon down", "cdk deploy"]
    assert "make" not in install()
