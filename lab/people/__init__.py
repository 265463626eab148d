"""People: their names are in one table, and nowhere once they are erased; nobody learns of another company's things.

`make prove NAME=people PEOPLE=1000 REQUESTS=100000`: so many people use all routes; so many hostile requests.
"""

from andon.testing.proving.prover import ProvedPart
from lab.people import names, places
from lab.quiet_clock import clock_alone

WORLD = clock_alone
PARTS = {"names": ProvedPart(names.prove, deployed=False), "places": ProvedPart(places.prove, deployed=False)}
