"""The tables that equipment2 owns.

| table | pk | sk | row |
|---|---|---|---|
| equipment2 | `Machine#<id>` | | what a piece of equipment is now |
| equipment2-history | `Machine#<id>` | `version` | a revision of it |
"""

from andon.versions.owned import grants_of, tables_of
from services.equipment2.machine import MACHINE

TABLE = MACHINE.table

TABLES = tables_of(MACHINE)

GRANTS = grants_of(MACHINE, crosses=True)
