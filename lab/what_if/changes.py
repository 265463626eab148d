"""Changes of the sample's rules, each with the same change of the model."""

from pathlib import Path
from typing import Final, NamedTuple

from lab.what_if.model_rules import MINUTE_MS, ModelRules, is_error

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
    """A change of the sample, by edits of files or by `SET`, and the rules that the model has then.

    kind: of what it is a change: `constant`, `condition`, `predicate`, `key`, `text`, `comment`, `nothing`, `rule`.
    """

    name: str
    kind: str
    rules: ModelRules
    edits: tuple[Edit, ...] = ()
    setting: str | None = None

    @property
    def is_nothing(self) -> bool:
        """True if nothing may differ."""
        return self.rules == ModelRules()

    def apply(self, functions: Path) -> None:
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


def _constant(name: str, setting: str, rules: ModelRules) -> Change:
    return Change(name, "constant", rules, setting=setting)


CHANGES: Final = (
    Change("nothing", "nothing", ModelRules()),
    Change(
        "a comment and a docstring",
        "comment",
        ModelRules(),
        (
            Edit(ESCALATE, "AFTER_MS = 15 * MINUTE_MS\n", "# As people asked.\nAFTER_MS = 15 * MINUTE_MS\n"),
            Edit(
                f"{RULES}/silence.py",
                '"""The rules that equipment has gone silent, and that it is back."""',
                '"""S."""',
            ),
        ),
    ),
    _constant("silent sooner", f"limits.SILENT_AFTER_MS={12 * MINUTE_MS}", ModelRules(silent_after_ms=12 * MINUTE_MS)),
    _constant("silent later", f"limits.SILENT_AFTER_MS={41 * MINUTE_MS}", ModelRules(silent_after_ms=41 * MINUTE_MS)),
    _constant("escalated sooner", "escalate.AFTER_MS=6 * MINUTE_MS", ModelRules(escalate_after_ms=6 * MINUTE_MS)),
    _constant("escalated later", "escalate.AFTER_MS=22 * MINUTE_MS", ModelRules(escalate_after_ms=22 * MINUTE_MS)),
    _constant("two are a risk", "at_risk.REPEATS=2", ModelRules(repeats=2)),
    _constant("a risk within six minutes", "WITHIN_MS=6 * MINUTE_MS", ModelRules(within_ms=6 * MINUTE_MS)),
    _constant("stale after a minute", "STALE_MS=MINUTE_MS", ModelRules(stale_ms=MINUTE_MS)),
    _constant("longer slots of messages", "message.SLOT_MS=240_000", ModelRules(slot_ms=240_000)),
    Change("other words of a risk", "text", ModelRules(repeated="often"), setting='at_risk.REPEATED="often"'),
    Change(
        "errors alone are escalated",
        "predicate",
        ModelRules(escalates=is_error),
        (Edit(ESCALATE, "\n\nRULE = Rule(", IS_ERROR), Edit(ESCALATE, "when=is_abnormal", "when=_is_error")),
    ),
    Change(
        "errors alone are assigned",
        "predicate",
        ModelRules(assigns=is_error),
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
        "predicate",
        ModelRules(acknowledged_ends=False),
        (Edit("services/dispatch/handled.py", "return ends or _is_acknowledged(history, log)", "return ends"),),
    ),
    Change(
        "silent without until",
        "condition",
        ModelRules(sees_before=True),
        (Edit(f"{RULES}/silence.py", "    until=is_report,\n", ""),),
    ),
    Change(
        "chains without until",
        "condition",
        ModelRules(ends_at_normal=False),
        (Edit(f"{RULES}/trouble.py", "    until=is_normal,\n", ""),),
    ),
    Change(
        "a risk within ten minutes",
        "condition",
        ModelRules(risk_window_ms=10 * MINUTE_MS),
        (
            Edit(f"{RULES}/at_risk.py", "window_ms=DAY_MS", "window_ms=10 * MINUTE_MS"),
            Edit(f"{RULES}/at_risk.py", "import DAY_MS, MINUTE_MS", "import MINUTE_MS"),
        ),
    ),
    Change(
        "a risk by its last report",
        "key",
        ModelRules(risk_is_about_first=False),
        (Edit(f"{RULES}/at_risk.py", "subject=since,", "subject=time_in(history.anchor),"),),
    ),
    Change(
        "another discriminator of who has a log",
        "key",
        ModelRules(owner="-2"),
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
        "rule",
        ModelRules(without=frozenset({"dispatch.escalate"})),
        (
            Edit(
                "services/dispatch/control.py",
                "*(assign.RULE, escalate.RULE, at_risk.RULE),",
                "*(assign.RULE, at_risk.RULE),",
            ),
        ),
    ),
)
