"""Tests of starting the app."""

import socket
from pathlib import Path
from typing import Any

import pytest

from auricle.app import server
from auricle.app.server import ServerOptions, describe_exposure
from auricle.app.workspace import Workspace
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
        server.serve(ServerOptions(tmp_path))


def test_run_is_rejected_as_runs_folder(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text("{}")
    with pytest.raises(SpecError, match="is a run, not a folder of runs"):
        server.open_workspace(ServerOptions(tmp_path))


def test_missing_allowed_folder_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Not a folder: --allow"):
        server.open_workspace(ServerOptions(tmp_path / "runs", (tmp_path / "missing",)))


def test_file_is_rejected_as_runs_folder(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    with pytest.raises(SpecError, match="is a file; expected a folder"):
        server.open_workspace(ServerOptions(tmp_path / "runs"))


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


def test_app_on_this_machine_with_a_token_needs_no_warning(tmp_path: Path) -> None:
    assert describe_exposure(ServerOptions(tmp_path), Workspace(tmp_path)) == ""


def test_app_without_a_token_warns_of_what_others_can_do(tmp_path: Path) -> None:
    options = ServerOptions(tmp_path, (tmp_path / "data",), with_token=False)
    warning = describe_exposure(options, Workspace(tmp_path, (tmp_path / "data",)))
    assert warning.startswith("--no-token: the app asks for no token, so other users of this machine can start runs")
    assert warning.endswith(f"read {tmp_path}, {tmp_path / 'data'}.")


def test_app_on_a_public_address_warns_that_the_token_is_not_encrypted(tmp_path: Path) -> None:
    warning = describe_exposure(ServerOptions(tmp_path, host="0.0.0.0"), Workspace(tmp_path))
    assert "the token and all data travel unencrypted to 0.0.0.0" in warning
    exposed = describe_exposure(ServerOptions(tmp_path, host="0.0.0.0", with_token=False), Workspace(tmp_path))
    assert "anyone who can reach 0.0.0.0 can start runs" in exposed


def test_browser_is_opened_through_a_file_that_only_its_owner_can_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with server._private_link("http://localhost:1/?token=x") as link:
        file = Path(link.removeprefix("file://"))
        assert 'url=http://localhost:1/?token=x"' in file.read_text()
        assert file.stat().st_mode & 0o077 == 0
    assert not file.exists()
