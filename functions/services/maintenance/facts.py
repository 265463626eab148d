"""The facts that maintenance publishes of its rows."""

from andon.versions.declared import facts_of
from contract.entities.maintenance import AttachmentEntity, OrderEntity
from contract.orders import ATTACHED, ORDER_FACTS, SOURCE
from services.maintenance import attachment, order
from services.maintenance.instructions import INSTRUCTIONS

FACTS = facts_of(
    SOURCE,
    INSTRUCTIONS,
    of={order.DISCRIMINATOR: order.fact_of, attachment.DISCRIMINATOR: attachment.fact_of},
    entities={**dict.fromkeys(ORDER_FACTS, OrderEntity), ATTACHED: AttachmentEntity},
)
