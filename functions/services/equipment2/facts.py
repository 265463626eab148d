"""The facts that equipment2 publishes of its rows."""

from andon.versions.declared import facts_of
from services.equipment2.machine import MACHINE

FACTS = facts_of("equipment2", MACHINE)
