"""Pictures of numbers: plain data in, SVG out, for the report and for the app alike.

Colours are variables of `plots.css`, in light and dark; no meaning hangs on colour alone.
"""

from importlib.resources import files

from auricle.report.markup import Markup
from auricle.report.plots.heatmap import draw_confusion, draw_difference
from auricle.report.plots.scatter import draw_scatter
from auricle.report.plots.violin import draw_violins

__all__ = ["draw_confusion", "draw_difference", "draw_scatter", "draw_violins", "load_stylesheet"]


def load_stylesheet() -> Markup:
    """The style sheet that pictures need once on a page."""
    return Markup(files("auricle.report.plots").joinpath("plots.css").read_text(encoding="utf-8"))
