"""A tracker that is registered for one test, and a finished run."""

from tests.support.trackers import demo_run as demo_run
from tests.support.trackers import recording as recording
