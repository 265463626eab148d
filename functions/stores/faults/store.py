"""What the fault store hears, and where and how long it keeps a fault."""

from patterns.events import fault

BUCKET = "FAULTS_BUCKET"
KEEPS_DAYS = 365

# Of any source: who publishes anything may publish a fault. It publishes none itself, so this is no loop.
HEARS = frozenset({("*", fault.TYPE)})

# One folder for each day, so that a request lists all days there are. The first is where the faults are, the second
# where it is claimed that one has come: see objects.py.
FAULTS, IDS = "faults", "ids"
