"""The facts that maintenance publishes of its rows."""

from andon.events.fact import Facts
from contract.orders import ORDER_FACTS, SOURCE
from services.maintenance import order

FACTS = Facts(source=SOURCE, types=frozenset(ORDER_FACTS), of={order.DISCRIMINATOR: order.fact_of})
