"""watch as a control service: its rules and its table."""

from andon.rules.rule import Control, Rules
from services.watch.facts import FACTS
from services.watch.rules import overdue, restless
from services.watch.tables import TABLE, TTL_DAYS

RULES = Rules(
    source=FACTS.source,
    types=FACTS.types,
    all=(
        # <others>
        overdue.RULE,
        # </others>
        restless.RULE,
    ),
)

CONTROL = Control(table=TABLE, rules=RULES, ttl_days=TTL_DAYS)
