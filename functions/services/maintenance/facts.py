"""The facts that maintenance publishes of its rows."""

from andon.events.fact import Facts
from services.maintenance import order

FACTS = Facts(source=order.SOURCE, types=order.TYPES, of={order.DISCRIMINATOR: order.fact_of})
