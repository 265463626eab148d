import pytest

from andon.tools.called import BY, as_called, install

Variables = dict[str, int | str | tuple[str, ...]]

SAID: list[tuple[str, Variables, str, str]] = [
    ("up", {"PORT": 4567}, "up PORT=4567", "up --port 4567"),
    ("fill", {"VIEW": "things"}, "fill VIEW=things", "fill things"),
    ("down", {}, "down", "down"),
    ("trace", {"ID": "a b"}, "trace ID='a b'", "trace ID='a b'"),
    ("what-if", {"RULE": "all"}, "what-if RULE=all", "what-if RULE=all"),
    ("kept", {"GONE": ("A/B", "C")}, "kept GONE='A/B C'", "kept --gone A/B C"),
    ("erase", {"ID": "op-1", "AGAIN": 1}, "erase ID=op-1 AGAIN=1", "erase op-1 --again"),
    ("erase", {"ID": "a", "ALSO": "Ana, B"}, "erase ID=a ALSO='Ana, B'", "erase a --also 'Ana, B'"),
    ("retire", {"VIEW": "a", "UNCOMMITTED": 1}, "retire VIEW=a UNCOMMITTED=1", "retire a --uncommitted"),
]


@pytest.mark.parametrize(("verb", "variables", "by_make", "by_andon"), SAID)
def test_a_verb_is_said_as_it_was_called_and_as_its_own_parser_takes_it(
    verb: str, variables: Variables, by_make: str, by_andon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(BY, raising=False)
    assert (as_called(verb, **variables), install()) == (f"make {by_make}", "make install")

    monkeypatch.setenv(BY, "andon")
    assert as_called(verb, **variables) == f"andon {by_andon}"
    assert "make" not in install()
