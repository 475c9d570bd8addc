"""Drawings of the report as images of the app."""

from base64 import b64decode

from markupsafe import Markup

from auricle.app.views.drawings import build_layout, embed_drawing


def test_drawing_becomes_an_image_with_the_colours_of_the_theme() -> None:
    image = embed_drawing(Markup('<svg class="plot"><title>x</title></svg>'), "A & B")
    assert image.startswith('<img alt="A &amp; B" src="data:image/svg+xml')
    drawing = b64decode(image.partition("base64,")[2].partition('"')[0]).decode()
    assert drawing.startswith("<svg class=\"plot\" xmlns='http://www.w3.org/2000/svg'>")
    assert "svg.plot { --ink:" in drawing


def test_layout_is_the_style_of_the_report() -> None:
    assert ".timeline" in build_layout()
