"""What `auricle doctor` checks of the extra `api`: whether this machine reaches its own servers."""

from __future__ import annotations

from collections.abc import Iterator

from auricle import api
from auricle.core.errors import AuricleError
from auricle.testing.fake_server import FakeServer, Script


def check_http() -> Iterator[tuple[bool, str]]:
    """Check that a server on this machine can be reached; a proxy may prevent it."""
    arguments = {"model": "fake", "timeout": 10, "api_key": "none"}
    try:
        with (
            FakeServer(Script(reply="received")) as server,
            api.load_model("openai", base_url=server.url, **arguments) as model,
        ):
            model.ask(text="hello")
    except (AuricleError, OSError) as error:
        yield False, f"HTTP requests to a server on this machine fail: {error}"
    else:
        yield True, "HTTP requests to a server on this machine work"
