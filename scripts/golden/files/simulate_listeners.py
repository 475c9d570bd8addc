"""Answer a listening test in place of people."""

import sys

from auricle.testing import SimulatedListeners

SimulatedListeners(qualities={"oslo": 4.4, "quito": 2.8}, inattentive=("L04",)).answer(sys.argv[1])
