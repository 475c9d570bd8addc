"""Drawings of the report in pages of the app."""

from __future__ import annotations

from markupsafe import Markup

from auricle.app.theme import current_palette
from auricle.app.waveforms import encode_svg
from auricle.report.templating import load_asset


def build_layout() -> Markup:
    """Return the style of what is around drawings."""
    return Markup("<style>{}</style>").format(load_asset("report/plots.css"))


def embed_drawing(svg: Markup, description: str) -> Markup:
    """Return a drawing as an image with the colours of the theme: Streamlit removes SVG from markup."""
    palette = current_palette()
    colours = {"ink": palette.text, "quiet": palette.muted, "rule": palette.border, "paper": palette.background}
    colours |= {f"hue{index}": colour for index, colour in enumerate(palette.categorical)}
    variables = "".join(f"--{name}: {colour}; " for name, colour in colours.items())
    style = f"<style>{load_asset('report/plots.css')} svg.plot {{ {variables}}}</style>"
    start, end, rest = svg.partition(">")
    image = f"{start} xmlns='http://www.w3.org/2000/svg'{end}{style}{rest}".replace("&nbsp;", "\u00a0")
    return Markup('<img alt="{}" src="{}">').format(description, encode_svg(image))
