"""Draw plots as SVG from plain data, for the report and the app.

Colours are variables of `plots.css`, with light and dark themes. Nothing is conveyed by colour alone.
"""

from importlib.resources import files

from auricle.report.markup import Markup
from auricle.report.plots.heatmap import draw_confusion, draw_difference
from auricle.report.plots.scatter import draw_scatter
from auricle.report.plots.violin import draw_violins

__all__ = ["draw_confusion", "draw_difference", "draw_scatter", "draw_violins", "load_stylesheet"]


def load_stylesheet() -> Markup:
    """Return the style sheet that a page with plots needs."""
    return Markup(files("auricle.report.plots").joinpath("plots.css").read_text(encoding="utf-8"))
