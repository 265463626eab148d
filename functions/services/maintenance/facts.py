"""The facts that maintenance publishes of its rows."""

from andon.events.fact import Facts
from contract.entities.maintenance import AttachmentEntity, InstructionsEntity, OrderEntity
from contract.orders import ATTACHED, ORDER_FACTS, SOURCE
from services.maintenance import attachment, instructions, order

FACTS = Facts(
    source=SOURCE,
    types=frozenset({*ORDER_FACTS, ATTACHED, instructions.INSTRUCTIONS_CHANGED}),
    of={
        order.DISCRIMINATOR: order.fact_of,
        attachment.DISCRIMINATOR: attachment.fact_of,
        instructions.DISCRIMINATOR: instructions.fact_of,
    },
    entities={
        **dict.fromkeys(ORDER_FACTS, OrderEntity),
        ATTACHED: AttachmentEntity,
        instructions.INSTRUCTIONS_CHANGED: InstructionsEntity,
    },
)
