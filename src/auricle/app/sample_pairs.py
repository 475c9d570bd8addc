"""The same samples in a second run, to switch between the answers of two models."""

from __future__ import annotations

from array import array
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from auricle.app import run_data
from auricle.core.serialization import digest
from auricle.runs.metrics import METRICS_FILE, Number
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.scoring.compare.loading import ComparedRun
from auricle.scoring.compare.pairing import match_contents, match_ids

ABSENT = -1
SECOND_COLUMN = "second"
"""The position of the same sample in the table of the second run, or `ABSENT`."""


def add_second_run(path: Path, second: Path, frame: pd.DataFrame, number: Number | None) -> pd.DataFrame:
    """Add where each sample is in the second run, and whether this run's answer is worse or better by a metric.

    The column `changed` is `worse`, `better` or `same`, and empty if a sample is not scored in both.
    """
    others = run_data.load_samples(second).frame
    fingerprints = tuple(run_data.fingerprint(run, OUTPUTS_FILE, METRICS_FILE) for run in (path, second))
    positions = pd.Series(_match_runs((str(path), str(second)), fingerprints), index=frame.index)
    frame = frame.assign(**{SECOND_COLUMN: positions, "changed": ""})
    if number is None or f"stat.{number.metric}" not in others:
        return frame
    paired = positions[positions != ABSENT]
    before = pd.Series(run_data.badness(others, number).to_numpy()[paired.to_numpy()], index=paired.index)
    change = run_data.badness(frame, number) - before.reindex(frame.index)
    conditions = [change > 0, change < 0, change == 0]
    frame["changed"] = np.select(conditions, ["worse", "better", "same"], default="")
    return frame


@st.cache_data(max_entries=8, show_spinner="Pairing samples …")
def _match_runs(paths: tuple[str, str], fingerprints: tuple[run_data.Fingerprint, ...]) -> list[int]:
    """Return the position in the second table of each sample of the first, as a comparison pairs them."""
    first, second = (_load_side(Path(path)) for path in paths)
    matches = match_contents(first[0], second[0]) or match_ids(first[0], second[0])
    positions = [ABSENT] * len(first[1])
    for here, there in matches.items():
        positions[first[1][here]] = second[1][there]
    return positions


def _load_side(path: Path) -> tuple[ComparedRun, list[int]]:
    """Return the samples of a run in the order of the journal, and their positions in the table."""
    frame = run_data.load_samples(path).frame
    order = np.argsort(frame["offset"].to_numpy(), kind="stable")
    ordered = frame.iloc[order]
    side = ComparedRun(Run.load(path), run_data.load_metrics(path))
    side.index_by_id = {sample_id: place for place, sample_id in enumerate(ordered["id"])}
    side.rows = array("q", ordered["row"].tolist())
    side.content_keys = ordered["key"].tolist()
    side.target_digests = array("Q", map(digest, ordered["target"]))
    return side, order.tolist()
