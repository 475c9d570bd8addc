"""Servers for models behind an API, and environments in a temporary home with packages from hand-made wheels."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from auricle.models.environment_builder import create
from auricle.models.environments import EnvironmentSpec
from tests.support import wheels
from tests.support.environment_folders import SECRET
from tests.support.http_servers import CannedServer, http_reply, serving

EAR_MODEL = """
import os, sys
from auricle import BatchModel, Generation

class Ear(BatchModel):
    def generate(self, batch):
        text = f"{sys.prefix} {os.environ['EAR']}"
        return [Generation(text=text) for _ in batch]
"""


@pytest.fixture
def serve() -> Iterator[Any]:
    """Start a fake server with this script; it is stopped when the test ends."""
    from auricle.testing.fake_server import FakeServer, Script

    with ExitStack() as servers:
        yield lambda **script: servers.enter_context(FakeServer(Script(**script)))


@pytest.fixture
def canned() -> Iterator[Any]:
    """Start a server that returns these replies in turn and then repeats the last one."""
    with ExitStack() as servers:

        def start(*replies: Any) -> Any:
            server = CannedServer([reply if callable(reply) else http_reply(body=reply) for reply in replies])
            return servers.enter_context(serving(server))

        yield start


@pytest.fixture(scope="package")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Build the wheels that pip finds instead of an index."""
    folder = tmp_path_factory.mktemp("wheels")
    wheels.packed_again(folder, "orjson")
    wheels.made(folder, "earmodel", EAR_MODEL)
    return folder


@pytest.fixture(scope="package")
def offline(shelf: Any) -> Any:
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(shelf), "PIP_CONFIG_FILE": os.devnull}


@pytest.fixture(scope="package")
def ear(shelf: Any, offline: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Create an environment with a model that this one lacks."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**offline, "XDG_DATA_HOME": str(home)}.items():
            patch.setenv(name, value)
        create("ear", EnvironmentSpec(packages=("earmodel",), variables={"EAR": "big", "TOKEN": SECRET}))
    return home


@pytest.fixture
def with_ear(ear: Any, offline: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in {**offline, "XDG_DATA_HOME": str(ear)}.items():
        monkeypatch.setenv(name, value)
    return ear / "auricle" / "environments" / "ear"


@pytest.fixture
def nowhere(offline: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Use a home directory without environments."""
    for name, value in {**offline, "XDG_DATA_HOME": str(tmp_path / "home")}.items():
        monkeypatch.setenv(name, value)
    return tmp_path / "home" / "auricle" / "environments"


@pytest.fixture
def quiz(manifest: Any) -> Any:
    return manifest([{"id": "1", "question": "x", "answer": "x"}])
