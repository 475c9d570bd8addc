"""Tests of starting the app."""

import socket
from pathlib import Path
from typing import Any

import pytest

from auricle.app import server
from auricle.core.errors import SpecError


def test_port_in_use_is_reported(auricle: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        process = auricle("ui", "--port", port)
    assert process.returncode == 2
    assert f"Port {port} is in use" in process.stderr


def test_missing_streamlit_is_reported_with_the_command_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    with pytest.raises(SpecError, match=r"pip install 'auricle\[ui\]'"):
        server.serve(tmp_path, (), 0, "127.0.0.1", 50, False)


def test_run_is_rejected_as_runs_folder(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text("{}")
    with pytest.raises(SpecError, match="is a run, not a folder of runs"):
        server.open_workspace(tmp_path, ())


def test_missing_allowed_folder_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Not a folder: --allow"):
        server.open_workspace(tmp_path / "runs", (tmp_path / "missing",))


def test_file_is_rejected_as_runs_folder(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    with pytest.raises(SpecError, match="is a file; expected a folder"):
        server.open_workspace(tmp_path / "runs", ())


def test_streamlit_listens_locally_and_sends_no_statistics() -> None:
    options = server.build_streamlit_options("127.0.0.1", 8501, 50)
    for option in ("--server.address=127.0.0.1", "--browser.gatherUsageStats=false",
                   "--server.fileWatcherType=none", "--server.maxUploadSize=50",
                   "--server.allowedHosts=localhost", "--client.toolbarMode=minimal"):  # fmt: skip
        assert option in options


def test_any_host_name_is_allowed_on_a_public_address() -> None:
    options = server.build_streamlit_options("0.0.0.0", 1, 1)
    assert not [option for option in options if "allowedHosts" in option]


def test_streamlit_has_every_option() -> None:
    from streamlit import config

    names = {option.removeprefix("--").partition("=")[0] for option in server.build_streamlit_options("::1", 1, 1)}
    assert names <= config.get_config_options().keys()
