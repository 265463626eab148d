"""Lakes that the real loop makes, and rules that change: `make what-if` says what the same inputs lived again say.

`make prove NAME=what_if SEEDS=5`: each seed is a lake, of another kind than the seed before. Nothing is deployed.
"""

from andon.testing.proving.prover import ProvedPart
from lab.quiet_clock import clock_alone
from lab.what_if import proof

WORLD = clock_alone
PARTS = {
    "calibration": ProvedPart(proof.calibrate, deployed=False),
    "changes": ProvedPart(proof.change, deployed=False),
    "back": ProvedPart(proof.take_back, deployed=False),
    "since": ProvedPart(proof.begin_later, deployed=False),
    "until": ProvedPart(proof.end_sooner, deployed=False),
    "lines": ProvedPart(proof.write_otherwise, deployed=False),
}
