"""Templates escape what they are given and fail on what they are not given."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

import auricle
from auricle.report.html_format import Scale
from auricle.report.templating import build_security_policy, load_asset, load_environment, render

TEMPLATES = sorted(Path(auricle.__file__).parent.rglob("templates/*.html"))


def render_macro(call: str, **context: Any) -> Markup:
    source = '{% import "report/templates/macros.html" as m %}{{ m.' + call + " }}"
    return Markup(load_environment().from_string(source).render(context))


def test_text_is_escaped_in_content_and_attributes() -> None:
    drawn = render_macro("name(text)", text="<b>'\"" * 20)
    assert "<b>" not in drawn
    assert drawn.count("&lt;b&gt;&#39;&#34;") > 20


def test_markup_is_not_escaped_again() -> None:
    assert render_macro("row_header(text)", text=Markup("<b>x</b>")) == '<th scope="row"><b>x</b></th>'


def test_missing_value_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("report/templates/page.html")


def test_interval_mark_shows_what_is_defined() -> None:
    scale = Scale(0.0, 1.0)
    whole = render_macro("interval_mark(scale, 0.1, 0.2, 0.3, 0.5, (0.4, 0.05))", scale=scale)
    assert [name for name in ("track", "beside", "bounds", "bar", "value") if f'class="{name}"' in whole] == [
        "track", "beside", "bounds", "bar", "value",
    ]  # fmt: skip
    assert 'x1="5.00%" x2="40.00%"' in whole
    assert "bar" not in render_macro("interval_mark(scale, none, 0.2, 0.3)", scale=scale)


def test_stacked_bar_fills_its_width() -> None:
    drawn = render_macro("stacked_bar(parts)", parts=[("a", 1), ("b", 3)])
    assert 'x="0.00%" width="25.00%"' in drawn
    assert 'x="25.00%" width="75.00%"' in drawn
    assert 'width="0.00%"' in render_macro("stacked_bar(parts)", parts=[("a", 0)])


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_never_switch_escaping_off(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert "|safe" not in source.replace(" ", "")
    assert "autoescape" not in source


def test_asset_is_embedded_as_it_is() -> None:
    assert load_asset("report/page.js").startswith('"use strict";')


def test_importing_the_module_does_not_load_jinja() -> None:
    code = "import sys, auricle.report.templating; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_policy_changes_with_the_script() -> None:
    assert build_security_policy("a {}", "one()") != build_security_policy("a {}", "two()")
    assert "script-src 'none'" in build_security_policy("a {}", "")
