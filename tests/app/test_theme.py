"""Tests of escaping and styles."""

import pytest

from auricle.app.palette import DARK, LIGHT
from auricle.app.theme import escape_markdown, icon_svg
from tests.support.app_pages import draw_view, page_text

MARKUP = ["![x](http://evil/x.png)", "<script>", ":red[x]", "a\n# b", "$x$", ":material/bug:", "[a](b)", "`x`", "**b**"]


@pytest.mark.parametrize("text", MARKUP)
def test_escaped_text_has_no_markup(text: str) -> None:
    escaped = escape_markdown(text)
    for position, character in enumerate(escaped):
        if character in "[]()<>`*$:!#":
            assert escaped[position - 1] == "\\"
    assert "\n" not in escaped


def test_icon_is_an_svg_without_links() -> None:
    icon = icon_svg()
    assert icon.startswith("<svg")
    assert "href" not in icon


def test_header_draws_title_and_subtitle() -> None:
    app = draw_view("auricle.app.theme:draw_header('Title', 'About it.')")
    assert (app.title[0].value, app.markdown[0].value) == ("Title", ":gray[About it.]")


def test_style_sheet_has_the_colours_of_both_themes() -> None:
    style = page_text(draw_view("auricle.app.theme:apply_styles()"))
    assert f"--muted: light-dark({LIGHT.muted}, {DARK.muted});" in style
    assert ".au table" in style
