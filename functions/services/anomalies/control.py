"""anomalies as a control service: its rules, their context, its table."""

from andon.rules.rule import Control, Rules
from andon.rules.stored_event import CorrelationKey
from andon.wire.bucket import Bucket
from contract import logs
from services.anomalies.current_model import CurrentModel
from services.anomalies.facts import FACTS
from services.anomalies.model import MachineKnowledge
from services.anomalies.rules import burst, gap, odd_state
from services.anomalies.tables import BUCKETS, TABLE, equipment_of

MODELS = CurrentModel(Bucket(*BUCKETS))


def known_of(key: CorrelationKey) -> MachineKnowledge | None:
    """Return the knowledge of a piece of equipment in the model that a trigger or a sweep began with; None: none."""
    return MODELS.model.known_of(equipment_of(key)) if MODELS.model else None


CONTROL = Control(
    table=TABLE,
    rules=Rules(source="anomalies", types=FACTS.types, all=(burst.RULE, gap.RULE, odd_state.RULE)),
    context_of=known_of,
    ttl_days=logs.TTL_DAYS,
)
