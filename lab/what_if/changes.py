"""Changes of the sample's rules, and a repository with its packages in which they are made and taken back."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from andon.testing.what_if import Repository

MINUTE_MS: Final = 60_000
RULES: Final = "services/dispatch/rules"

ESCALATE: Final = f"{RULES}/escalate.py"
IS_ERROR: Final = """

def _is_error(event: DomainEvent) -> bool:
    return is_abnormal(event) and event.entity("state").text("state").startswith("ERROR")


RULE = Rule("""


class Edit(NamedTuple):
    """`before`, which stands exactly once in `file` of the packages, becomes `after`."""

    file: str
    before: str
    after: str


class Change(NamedTuple):
    """A change of the sample, by edits of files or by `SET`. is_nothing: nothing may differ."""

    name: str
    edits: tuple[Edit, ...] = ()
    setting: str = ""
    is_nothing: bool = False

    def edit(self, functions: Path) -> None:
        """Write the edits into the packages.

        Raises:
            ValueError: one does not fit.

        """
        for file, before, after in self.edits:
            path = functions / file
            text = path.read_text()
            if text.count(before) != 1:
                raise ValueError(f"{self.name}: {file} has {text.count(before)} times: {before}")
            path.write_text(text.replace(before, after))

    def apply(self, functions: Path) -> None:
        """Write the edits into the packages, and what `SET` would write into a copy."""
        self.edit(functions)
        if self.setting:
            place, _, value = self.setting.partition("=")
            module, _, name = place.rpartition(".")
            line = re.compile(rf"^({name}\b[^=\n]*= ).*$", re.MULTILINE)
            [path] = [one for one in functions.rglob(f"{module or '*'}.py") if line.search(one.read_text())]
            path.write_text(line.sub(lambda found: found.group(1) + value, path.read_text()))


CHANGES: Final = (
    Change("nothing", is_nothing=True),
    Change(
        "a comment and a docstring",
        (
            Edit(ESCALATE, "AFTER_MS = 15 * MINUTE_MS\n", "# As people asked.\nAFTER_MS = 15 * MINUTE_MS\n"),
            Edit(
                f"{RULES}/silence.py",
                '"""The rules that equipment has gone silent, and that it is back."""',
                '"""S."""',
            ),
        ),
        is_nothing=True,
    ),
    Change("silent sooner", setting=f"limits.SILENT_AFTER_MS={12 * MINUTE_MS}"),
    Change("silent later", setting=f"limits.SILENT_AFTER_MS={41 * MINUTE_MS}"),
    Change("escalated sooner", setting="escalate.AFTER_MS=6 * MINUTE_MS"),
    Change("escalated later", setting="escalate.AFTER_MS=22 * MINUTE_MS"),
    Change("two are a risk", setting="at_risk.REPEATS=2"),
    Change("a risk within six minutes", setting="WITHIN_MS=6 * MINUTE_MS"),
    Change("stale after a minute", setting="STALE_MS=MINUTE_MS"),
    Change("longer slots of messages", setting="message.SLOT_MS=240_000"),
    Change("other words of a risk", setting='at_risk.REPEATED="often"'),
    Change(
        "errors alone are escalated",
        (Edit(ESCALATE, "\n\nRULE = Rule(", IS_ERROR), Edit(ESCALATE, "when=is_abnormal", "when=_is_error")),
    ),
    Change(
        "errors alone are assigned",
        (
            Edit(f"{RULES}/assign.py", "\n\nRULE = Rule(", IS_ERROR),
            Edit(f"{RULES}/assign.py", "when=is_abnormal", "when=_is_error"),
            Edit(
                f"{RULES}/assign.py",
                "from andon.rules.rule import",
                "from andon.events.domain_event import DomainEvent\nfrom andon.rules.rule import",
            ),
        ),
    ),
    Change(
        "an acknowledgement ends no chain",
        (Edit("services/dispatch/handled.py", "return ends or _is_acknowledged(history, log)", "return ends"),),
    ),
    Change(
        "silent without until",
        (Edit(f"{RULES}/silence.py", "    until=is_report,\n", ""),),
    ),
    Change(
        "chains without until",
        (Edit(f"{RULES}/trouble.py", "    until=is_normal,\n", ""),),
    ),
    Change(
        "a risk within ten minutes",
        (
            Edit(f"{RULES}/at_risk.py", "window_ms=DAY_MS", "window_ms=10 * MINUTE_MS"),
            Edit(f"{RULES}/at_risk.py", "import DAY_MS, MINUTE_MS", "import MINUTE_MS"),
        ),
    ),
    Change(
        "a risk by its last report",
        (Edit(f"{RULES}/at_risk.py", "subject=since,", "subject=time_in(history.anchor),"),),
    ),
    Change(
        "another discriminator of who has a log",
        (
            Edit(
                "services/dispatch/responsibility.py",
                "return row_key(log, self.discriminator)",
                'return row_key(log, f"{self.discriminator}-2")',
            ),
        ),
    ),
    Change(
        "without escalate",
        (
            Edit(
                "services/dispatch/control.py",
                "*(assign.RULE, escalate.RULE, at_risk.RULE),",
                "*(assign.RULE, at_risk.RULE),",
            ),
        ),
    ),
)


class Sample(Repository):
    """A repository with the packages of the sample, which are changed in it."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._head = self.git("rev-parse", "HEAD")

    @contextmanager
    def changed(self, change: Change) -> Iterator[dict[str, str]]:
        """Change the working tree, and yield what is to be asked; it is as before afterwards."""
        change.edit(self.functions)
        try:
            yield {"SET": change.setting} if change.setting else {}
        finally:
            self.git("checkout", "--quiet", "--", ".")

    @contextmanager
    def packages(self, change: Change) -> Iterator[Path]:
        """Yield the packages with a change, whatever way it is made; they are as before afterwards."""
        change.apply(self.functions)
        try:
            yield self.functions
        finally:
            self.git("checkout", "--quiet", "--", ".")

    def committed(self, change: Change) -> str:
        """Return a commit with a change, which is on no branch."""
        change.apply(self.functions)
        self.commit(change.name)
        sha = self.git("rev-parse", "HEAD")
        self.git("reset", "--quiet", "--hard", self._head)
        return sha
