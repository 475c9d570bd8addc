"""Draw plots as SVG, from the data of `report.plot_data`.

Colours are variables of `plots.css`, with light and dark themes. Nothing is conveyed by colour alone.
"""

from auricle.report.plots.heatmap import draw_confusion, draw_difference
from auricle.report.plots.scatter import draw_scatter
from auricle.report.plots.violin import draw_violins

__all__ = ["draw_confusion", "draw_difference", "draw_scatter", "draw_violins"]
