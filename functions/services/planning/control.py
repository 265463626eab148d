"""planning as a control service: its rules and its table."""

from andon.rules.rule import Control, Rules
from services.planning.facts import FACTS
from services.planning.rules import overdue, upkeep
from services.planning.tables import TABLE, TTL_DAYS

RULES = Rules(
    source=FACTS.source,
    types=FACTS.types,
    all=(overdue.RULE, upkeep.RULE),
)

CONTROL = Control(table=TABLE, rules=RULES, ttl_days=TTL_DAYS)
