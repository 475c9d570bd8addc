"""What tests of models need: sounds and requests, checks, a fake server, and models without weights.

Names are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auricle.testing.conformance.report import CheckResult, ModelCheckError, ModelReport
    from auricle.testing.conformance.suite import check_model
    from auricle.testing.fake_server import FakeServer, Script
    from auricle.testing.listeners import SimulatedListeners
    from auricle.testing.models import Echo, FakeApi, FakeLabels, FakeReward
    from auricle.testing.samples import sample_requests, sample_sounds

MODULES = {
    **dict.fromkeys(("CheckResult", "ModelCheckError", "ModelReport"), "conformance.report"),
    **dict.fromkeys(("Echo", "FakeApi", "FakeLabels", "FakeReward"), "models"),
    **dict.fromkeys(("FakeServer", "Script"), "fake_server"),
    "SimulatedListeners": "listeners",
    "check_model": "conformance.suite",
    **dict.fromkeys(("sample_requests", "sample_sounds"), "samples"),
}
__all__ = [
    "CheckResult",
    "Echo",
    "FakeApi",
    "FakeLabels",
    "FakeReward",
    "FakeServer",
    "ModelCheckError",
    "ModelReport",
    "Script",
    "SimulatedListeners",
    "check_model",
    "sample_requests",
    "sample_sounds",
]


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module 'auricle.testing' has no attribute {name!r}")
    return getattr(import_module(f"auricle.testing.{MODULES[name]}"), name)
