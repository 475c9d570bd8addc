"""A fake server and models without weights, for tests; names are imported when first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auricle.testing.fake_server import FakeServer, Script
    from auricle.testing.models import Echo, FakeApi, FakeLabels, FakeReward

__all__ = ["Echo", "FakeApi", "FakeLabels", "FakeReward", "FakeServer", "Script"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'auricle.testing' has no attribute {name!r}")
    module = "fake_server" if name in ("FakeServer", "Script") else "models"
    return getattr(import_module(f"auricle.testing.{module}"), name)
