"""What dispatch decides by itself."""

from patterns.rule import Rules
from services.dispatch import assign, at_risk, escalate, silence
from services.dispatch.facts import TYPES

RULES = Rules(
    source="dispatch",
    types=TYPES,
    all=(assign.RULE, escalate.RULE, at_risk.RULE, silence.SILENT_RULE, silence.BACK_RULE),
)
