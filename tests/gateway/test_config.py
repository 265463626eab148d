import re
from pathlib import Path
from typing import Final

import pytest

from andon.project import project
from andon_gateway.config import BadConfiguration, parse, read
from andon_gateway.states import NoSignal

README: Final = project().root / "gateway" / "README.md"
[EXAMPLE] = re.findall(r"^```toml\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)


def test_the_example_of_the_readme_is_a_configuration(tmp_path: Path) -> None:
    found = parse(EXAMPLE, tmp_path)

    press = found.machines["gdl-press-1"]
    assert [rule.state for rule in press.machine.rules] == ["ERROR", "WARNING1", "NORMAL"]
    assert press.machine.rules[1].for_ms == 2000
    assert press.machine.no_signal == NoSignal(60_000, "NOSIGNAL")
    assert [source.name for source in found.sources] == ["line-3"]


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("[andon]", "[andon", "no TOML"),
        ("[andon]", "[andonn]", "andon is missing"),
        ("url =", "uri =", "andon: url is missing"),
        ("url =", "colour = 1\nurl =", "andon: nobody knows colour"),
        ("token_file =", "token_command = ['x']\ntoken_file =", "not both"),
        ('kind = "lines"', 'kind = "carrier-pigeon"', r"source\[0\].kind: nobody knows carrier-pigeon"),
        ('quiet = "60s"', 'quiet = "a while"', r"source\[0\].quiet: should be a duration"),
        ('source = "line-3"', 'source = "line-4"', r"machine\[0\].source: there is no source line-4"),
        ('"oil > 80"', '"oill > 80"', r"machine\[0\].states\[1\]: oill is no value"),
        ('"WARNING1"', '"warning"', r"states\[1\].is: should be capital letters"),
        ('{ is = "NORMAL" }', '{ is = "NORMAL", when = "oil > 1" }', "is without `when`"),
        ('repeat = "10m"', 'repeat = "7m"', "longer than 7.5 minutes"),
        ('for = "2s"', "for = 2", r"states\[1\].for: should be str"),
        ('after = "60s", ', "", "no_signal: after is missing"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, before: str, after: str, reason: str) -> None:
    assert before in EXAMPLE

    with pytest.raises(BadConfiguration, match=reason):
        parse(EXAMPLE.replace(before, after, 1), tmp_path)


def test_a_file_that_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match="cannot be read"):
        read(tmp_path / "none.toml")
