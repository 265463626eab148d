"""What dispatch decides by itself."""

from patterns.rules.rule import Rules
from services.dispatch.facts import TYPES
from services.dispatch.rules import assign, at_risk, escalate, silence

RULES = Rules(
    source="dispatch",
    types=TYPES,
    all=(assign.RULE, escalate.RULE, at_risk.RULE, silence.SILENT_RULE, silence.BACK_RULE),
)
