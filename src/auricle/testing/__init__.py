"""What tests of models need: sounds and requests, checks, a fake server, and models without weights.

Names are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from auricle.core.features import Feature

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


FEATURE = Feature(
    __name__,
    "what tests of models need: sounds, checks, fake servers and models without weights",
    commands={
        "conformance": (
            "commands:conformance",
            "Check a realtime server against its protocol.",
            "Data and environments",
        ),
        "fake-server": ("commands:fake_server", "Run a fake OpenAI- and Gemini-compatible server for tests.", "Serve"),
    },
    models={
        "echo": (
            "models:Echo",
            "A batch model that answers with the words in the names of the audio files, or with the text of the "
            "request",
        ),
        "fake-api": (
            "models:FakeApi",
            "An asynchronous model that answers as `Echo` does, after a delay, and can stream",
        ),
        "fake-labels": ("models:FakeLabels", "A classifier whose probabilities depend only on the inputs"),
        "fake-reward": (
            "models:FakeReward",
            "A reward model whose raw scores, between -5 and 5, depend only on the inputs",
        ),
    },
    more={"extra_checks": {"api": ("http_check:check_http", "whether this machine reaches its own servers")}},
)
