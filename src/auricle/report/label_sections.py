"""Sections about labels and dimensions: tables and plots."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from auricle.report import plots
from auricle.report.plot_data import ConfusionMatrix, Plane, list_classes, list_dimensions
from auricle.report.templating import render
from auricle.runs.metrics import Number

MAX_CONFUSIONS = 30
MAX_LABELS_BESIDE_TABLE = 7  # a matrix of this size fits beside the table of classes


def render_classes(numbers: Sequence[Number]) -> Markup | None:
    """Render the results per class and the confusion matrix of every metric that has one."""
    details = [number.details for number in numbers if "matrix" in number.details]
    matrices = [(ConfusionMatrix.from_details(each), list_classes(each)) for each in details]
    if not matrices:
        return None
    return render(
        "report/templates/classes.html",
        matrices=[
            (matrix, plots.draw_confusion(matrix) if matrix.is_readable else None, classes)
            for matrix, classes in matrices
        ],
        max_labels_beside_table=MAX_LABELS_BESIDE_TABLE,
        max_confusions=MAX_CONFUSIONS,
    )


def render_dimensions(numbers: Sequence[Number]) -> Markup | None:
    """Render the distribution of each emotion along each dimension, as plots and tables."""
    details = next((number.details for number in numbers if "dimensions" in number.details), None)
    if details is None:
        return None
    dimensions, plane = list_dimensions(details), Plane.from_details(details)
    return render(
        "report/templates/dimensions.html",
        dimensions=dimensions,
        violins=[plots.draw_violins(dimension) for dimension in dimensions],
        plane=plane,
        scatter=plots.draw_scatter(plane) if plane else None,
    )
