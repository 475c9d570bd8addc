"""Draw pages of the app without a browser."""

from collections.abc import Mapping
from typing import Any

from streamlit.testing.v1 import AppTest

TEXT_ELEMENTS = ("markdown", "error", "info", "warning", "success", "header", "caption")


def draw_page(name: str, state: Mapping[str, Any] | None = None, **query: str) -> AppTest:
    """Draw a page of the current workspace, with these values of its widgets and these query parameters."""
    script = f"from auricle.app.navigation import page_renderer\npage_renderer({name!r})()"
    app = AppTest.from_string(script, default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    for key, value in (state or {}).items():
        app.session_state[key] = value
    app.run()
    assert not app.exception, app.exception
    return app


def draw_view(call: str) -> AppTest:
    """Draw the result of an expression such as `auricle.app.views.run_list:draw_run_list([], 3)`."""
    module, _, expression = call.partition(":")
    app = AppTest.from_string(f"from {module} import *\n{expression}", default_timeout=60).run()
    assert not app.exception, app.exception
    return app


def find_button(app: AppTest, label: str) -> Any:
    return next(button for button in app.button if button.label == label)


def page_text(app: AppTest, *, include_html: bool = True) -> str:
    """Return all text and HTML of a page, without the script of the app."""
    html = [element.proto.body for element in app.get("html") if not element.proto.unsafe_allow_javascript]
    texts = html if include_html else []
    for kind in TEXT_ELEMENTS:
        texts += [str(element.value) for element in getattr(app, kind)]
    return "\n".join(texts)


def count_charts(app: AppTest) -> int:
    return len(app.get("vega_lite_chart"))
