"""A server that speaks OpenAI's and Gemini's protocols, answers by rule and fails by script.

For tests, for `auricle doctor` and for whoever has no key. Nothing it does is random: what
befalls a request follows from its bytes, so every count can be foretold.
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
