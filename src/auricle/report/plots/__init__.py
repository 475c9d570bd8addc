"""Pictures of numbers: plain data in, SVG out, for the report and for the app alike.

Colours are variables of `plots.css`, in light and dark; no meaning hangs on colour alone.
"""

from importlib.resources import files

from auricle.report.markup import Markup
from auricle.report.plots.heatmap import confusion, difference
from auricle.report.plots.scatter import plane
from auricle.report.plots.violin import violins

__all__ = ["confusion", "difference", "plane", "style", "violins"]


def style() -> Markup:
    """The style sheet that pictures need once on a page."""
    return Markup(files("auricle.report.plots").joinpath("plots.css").read_text(encoding="utf-8"))
