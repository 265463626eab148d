"""The facts that equipment publishes of its rows."""

from andon.versions.declared import facts_of
from contract.entities.reports import ConnectionEntity, StateEntity
from services.equipment import connection, state
from services.equipment.audit import AUDITS
from services.equipment.metadata import EQUIPMENT

FACTS = facts_of(
    "equipment",
    EQUIPMENT,
    AUDITS,
    of={connection.DISCRIMINATOR: connection.connection_changed, state.DISCRIMINATOR: state.state_reported},
    entities={
        connection.CONNECTION_BACK: ConnectionEntity,
        connection.CONNECTION_LOST: ConnectionEntity,
        state.STATE_REPORTED: StateEntity,
    },
)
