"""The facts that equipment2 publishes of its rows."""

from andon.events.fact import Facts, lifecycle_types
from contract.entities.equipment import MachineEntity
from services.equipment2 import machine

FACTS = Facts(
    source="equipment2",
    types=lifecycle_types(machine.DISCRIMINATOR),
    of={machine.DISCRIMINATOR: machine.machine_changed},
    entities=dict.fromkeys(lifecycle_types(machine.DISCRIMINATOR), MachineEntity),
)
