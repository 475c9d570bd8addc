"""Sections of labels: classes with their confusion matrix, and emotions along dimensions."""

from __future__ import annotations

from markupsafe import Markup

from auricle.report import plots
from auricle.report.plot_data import Plane, list_averages, list_classes, list_dimensions
from auricle.report.run_html import MAX_CONFUSIONS, Page, render_if
from auricle.scoring.confusion_matrix import ConfusionMatrix

MAX_LABELS_BESIDE_TABLE = 7  # a matrix of this size fits beside the table of classes


def render_classes(page: Page) -> Markup | None:
    """Render the results per class and the confusion matrix of every metric that has one."""
    matrices = [
        (ConfusionMatrix.from_details(number.details), list_classes(number.details), list_averages(number.details))
        for number in page.metrics.overall
        if "matrix" in number.details
    ]
    return render_if(
        matrices,
        "tasks/labels/classes.html",
        matrices=[
            (matrix, plots.draw_confusion(matrix) if matrix.is_readable else None, classes, averages)
            for matrix, classes, averages in matrices
        ],
        max_labels_beside_table=MAX_LABELS_BESIDE_TABLE,
        max_confusions=MAX_CONFUSIONS,
    )


def render_dimensions(page: Page) -> Markup | None:
    """Render the distribution of each emotion along each dimension, as plots and tables."""
    details = next((number.details for number in page.metrics.overall if "dimensions" in number.details), {})
    dimensions, plane = list_dimensions(details), Plane.from_details(details)
    return render_if(
        details,
        "tasks/labels/dimensions.html",
        dimensions=dimensions,
        violins=[plots.draw_violins(dimension) for dimension in dimensions],
        plane=plane,
        scatter=plots.draw_scatter(plane) if plane else None,
    )
