"""`auricle ui`: what it refuses, and how Streamlit is told."""

import socket
from pathlib import Path
from typing import Any

import pytest

from auricle.app import server as command
from auricle.core.errors import SpecError


def test_a_port_in_use_is_told(auricle: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        done = auricle("ui", "--port", port)
    assert done.returncode == 2
    assert f"Port {port} is in use" in done.stderr


def test_a_missing_streamlit_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    with pytest.raises(SpecError, match=r"pip install 'auricle\[ui\]'"):
        command.serve(tmp_path, (), 0, "127.0.0.1", 50, False)


def test_a_run_is_not_a_folder_of_runs(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text("{}")
    with pytest.raises(SpecError, match="is itself a run"):
        command.open_workspace(tmp_path, ())


def test_a_folder_to_allow_has_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="not a folder"):
        command.open_workspace(tmp_path / "runs", (tmp_path / "gone",))


def test_a_file_is_no_runs_folder(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    with pytest.raises(SpecError, match="is a file"):
        command.open_workspace(tmp_path / "runs", ())


def test_streamlit_is_told_to_stay_here_and_to_tell_nobody() -> None:
    words = command.build_streamlit_options("127.0.0.1", 8501, 50)
    for said in ("--server.address=127.0.0.1", "--browser.gatherUsageStats=false",
                 "--server.fileWatcherType=none", "--server.maxUploadSize=50",
                 "--server.allowedHosts=localhost", "--client.toolbarMode=minimal"):  # fmt: skip
        assert said in words


def test_another_address_may_be_reached_by_any_name() -> None:
    assert not [word for word in command.build_streamlit_options("0.0.0.0", 1, 1) if "allowedHosts" in word]


def test_every_setting_is_one_that_streamlit_knows() -> None:
    from streamlit import config

    known = config.get_config_options()
    names = {word.removeprefix("--").partition("=")[0] for word in command.build_streamlit_options("::1", 1, 1)}
    assert names <= known.keys()
