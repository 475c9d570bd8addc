"""The page of a site that averages chosen columns with weights, and compares two models: computed in the browser.

The page contains the values with their intervals, and the numbers in data that was drawn again. Each is stored as a
byte: the lowest and the highest draw of a result are about six standard deviations apart, so a step is a fortieth of
one.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from markupsafe import Markup

from auricle.metrics.distributions import t_quantile
from auricle.report.templating import render_page
from auricle.studies.leaderboards.ranks import ColumnDraws
from auricle.studies.leaderboards.site_names import name_models
from auricle.studies.leaderboards.site_pages import SiteView
from auricle.studies.leaderboards.table import Cell, Column

FORMAT = 1
"""Version of the data in the page."""
MAX_DRAWS = 500
LEVELS = 255
PAGE = "averages.html"


@dataclass(frozen=True, slots=True)
class PackedDraws:
    """The drawn numbers of a column: for each row of the leaderboard, the lowest, the size of a step, and the steps."""

    unit_count: int
    results: Mapping[int, tuple[float, float, bytes]]

    @property
    def draw_count(self) -> int:
        return min((len(levels) for *_, levels in self.results.values()), default=0)

    @property
    def half_width(self) -> float:
        """The half width of a 95 % interval (Student's t) of drawn numbers whose standard deviation is 1."""
        count = self.unit_count
        return t_quantile(0.975, count - 1) * math.sqrt(count / (count - 1))


def pack_draws(draws: ColumnDraws) -> PackedDraws:
    """Pack drawn numbers into bytes; results that are undefined in a draw are left out."""
    results = {}
    for result, values in zip(draws.results, draws.values[:MAX_DRAWS].T, strict=True):
        if np.isfinite(values).all():
            low, step = float(values.min()), float(np.ptp(values)) / LEVELS
            levels = np.rint((values - low) / step) if step else np.zeros(len(values))
            results[result.place] = (low, step, levels.astype(np.uint8).tobytes())
    return PackedDraws(draws.unit_count, results)


def render_averages(view: SiteView, draws: Mapping[Column, PackedDraws]) -> str:
    """Render the page."""
    document = orjson.dumps(describe_board(view, draws)).decode()
    # In a data block, only `</script` and `<!--` would end or change it.
    data = Markup(document.replace("<", "\\u003c"))  # noqa: S704 - JSON without the character that opens a tag
    return render_page(
        "studies/leaderboards/averages.html",
        stylesheets=("studies/leaderboards/leaderboard.css",),
        script="studies/leaderboards/averages.js",
        title=f"Averages: {view.title}",
        version=view.version,
        home="index.html",
        data=data,
        notices=[],
        sections=[("average", "Average", ""), ("head-to-head", "Head to head", "")],
    )


def describe_board(view: SiteView, draws: Mapping[Column, PackedDraws]) -> dict[str, Any]:
    """Return what the page computes with."""
    board, titles = view.board, view.board.column_titles()
    count = min((packed.draw_count for packed in draws.values() if packed.results), default=0)
    cells, levels = [], []
    for place, row in enumerate(board.rows):
        for at, column in enumerate(board.columns):
            if cell := row.cells.get(column):
                drawn = draws[column].results.get(place) if column in draws else None
                cells.append([place, at, *_describe_cell(cell), *([drawn[0], drawn[1]] if drawn else [None, None])])
                levels += [drawn[2][:count]] if drawn else []
    return {
        "format": FORMAT,
        "draw_count": count,
        "models": [
            {"key": key, "name": row.model, "arguments": row.arguments}
            for key, row in zip(name_models(board.rows), board.rows, strict=True)
        ],
        "columns": [_describe_column(column, titles[column], view, draws.get(column)) for column in board.columns],
        "cells": cells,
        "draws": b64encode(b"".join(levels)).decode(),
    }


def _describe_cell(cell: Cell) -> list[Any]:
    """Return value, low and high end, the page of the run, and whether the result is ranked."""
    number = cell.number
    ends = [None if end is None or not math.isfinite(end) else end for end in (number.value, *number.shown_ends)]
    return [*ends, cell.run, cell.rank is not None]


def _describe_column(column: Column, title: str, view: SiteView, packed: PackedDraws | None) -> dict[str, Any]:
    signature = column.signature
    return {
        "key": view.pages[column],
        "title": title,
        "metric": column.name,
        "metric_title": column.metric_title,
        "unit": column.unit,
        "direction": str(column.direction),
        "data": f"{signature.task}@{signature.revision.partition('[')[0]}",  # the first samples are of the same data
        "units": packed.unit_count if packed else None,
        "half_width": packed.half_width if packed and packed.unit_count > 1 else None,
    }
