import os
import re
import subprocess
from typing import Final

from andon.project import project

OPTIONS: Final = sorted(set(re.findall(r"\$\(if \$\((\w+)\)", (project().root / "Makefile").read_text())))


def make(*arguments: str, rule: str = "", **environment: str) -> str:
    """The output of make; `rule`: one more than the Makefile has."""
    done = subprocess.run(  # noqa: S603
        ["make", "--no-print-directory", "--file=Makefile", "--file=-", *arguments],  # noqa: S607  the one on the PATH is meant
        cwd=project().root,
        env={"PATH": os.environ["PATH"], **environment},  # else with what the make that runs this was told
        input=rule,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_no_option_of_a_verb_has_a_value_that_make_itself_gave_it() -> None:
    """Make has variables of its own, as AS, the assembler."""
    values = "".join(f"{name}=[$({name})]" for name in OPTIONS)

    said = make("values", rule=f"values: ; @echo '{values}'\n", AS="as")

    assert "AS" in OPTIONS
    assert said == "".join(f"{name}=[]" for name in OPTIONS)


def test_an_option_on_the_command_line_is_taken() -> None:
    assert "andon.tools.cli token device 'press-7'" in make("--dry-run", "token", "ROLE=device", "AS=press-7")


def test_make_alone_shows_by_task_what_people_need_and_where_the_others_are() -> None:
    shown, all_verbs = (re.findall(r"(?m)^ *make ([a-z-]+) +\S", make(*verb)) for verb in ([], ["more"]))

    assert len(shown) <= 14
    assert {*shown} < {*all_verbs}
    assert shown[-1] == "more"
