"""A fake server for the OpenAI, Azure and Gemini protocols.

Its replies and faults are deterministic: they depend only on the script and the bytes of the request.
"""

from auricle.core.errors import MissingExtra
from auricle.testing.fake_server.script import FAULTS, Script, compute_digest

try:
    from auricle.testing.fake_server.server import FakeServer
except ModuleNotFoundError as error:
    if error.name != "aiohttp":
        raise
    raise MissingExtra("The fake server", "api") from error

__all__ = ["FAULTS", "FakeServer", "Script", "compute_digest"]
