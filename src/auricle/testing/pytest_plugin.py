"""Fixtures for tests of models. Enable them in the top-level `conftest.py` of the tests:

pytest_plugins = ["auricle.testing.pytest_plugin"]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from auricle import testing

if TYPE_CHECKING:
    from auricle.core.types import Request
    from auricle.media import Audio
    from auricle.testing.fake_server import FakeServer


@pytest.fixture
def fake_server() -> Iterator[Callable[..., FakeServer]]:
    """Return a function that starts a fake server; its arguments are those of `Script`.

    All servers are stopped when the test ends.
    """
    with ExitStack() as stack:
        yield lambda **script: stack.enter_context(testing.FakeServer(testing.Script(**script)))


@pytest.fixture(scope="session")
def sample_sounds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Audio]:
    """Return the sounds of `auricle.testing.sample_sounds`, written once."""
    return testing.sample_sounds(tmp_path_factory.mktemp("sounds"))


@pytest.fixture(scope="session")
def sample_requests(sample_sounds: dict[str, Audio]) -> dict[str, Request]:
    """Return the requests of `auricle.testing.sample_requests`."""
    return testing.sample_requests(sample_sounds)
