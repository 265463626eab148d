"""A region is lost in the middle of writes, and another one goes on from the copy of its lake.

`make prove NAME=region SEEDS=100`; deployed, one of two stacks is killed.
"""

from andon.testing.proving.prover import ProvedPart
from lab.quiet_clock import clock_alone
from lab.region import drill, stacks

WORLD = clock_alone
PARTS = {"lost": ProvedPart(drill.lose, deployed=False), "stacks": ProvedPart(stacks.lose, in_memory=False)}
