"""Tests of the app as Streamlit serves it."""

import runpy
from pathlib import Path

import pytest
from streamlit.starlette import App
from streamlit.web.server.app_discovery import discover_asgi_app

from auricle.app.access_token import TOKEN_VARIABLE
from auricle.app.server import ENTRY_SCRIPT


def test_streamlit_recognises_the_app() -> None:
    assert discover_asgi_app(ENTRY_SCRIPT).import_string == "asgi_app:app"


def test_app_runs_the_script_beside_it_behind_the_token_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "secret")
    app = runpy.run_path(str(ENTRY_SCRIPT))["app"]
    assert isinstance(app, App)
    assert app._script_path == Path(ENTRY_SCRIPT).with_name("streamlit_app.py")
    assert [middleware.kwargs for middleware in app._user_middleware] == [{"token": "secret"}]


def test_app_does_not_start_without_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    with pytest.raises(KeyError, match=TOKEN_VARIABLE):
        runpy.run_path(str(ENTRY_SCRIPT))
