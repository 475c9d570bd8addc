"""Speaker verification from the data to the report, as the page and the example describe it."""

import json
import runpy
import shutil
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from auricle.runs.metrics import read_metrics
from tests.conftest import SHARED
from tests.support import paths
from tests.support.extras import require_extra

pytestmark = pytest.mark.slow

EXAMPLE = paths.ROOT / "examples" / "verify"


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("make_trials.py", "embedders.py"):
        shutil.copy(EXAMPLE / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    runpy.run_path("make_trials.py", run_name="__main__")
    return tmp_path


def find(path: Path, metric: str) -> Any:
    return next(number for number in read_metrics(path).overall if number.metric == metric)


def test_the_example_compares_two_speaker_models(example: Path, auricle: Any) -> None:
    for name in ("spectrum", "pitch"):
        done = auricle("run", "trials.txt", "--as", "verify", "-m", f"embedders.py:{name}", "-o", f"runs/{name}")
        assert done.returncode == 0, done.stderr
    spectrum, pitch = (find(example / "runs" / name, "eer") for name in ("spectrum", "pitch"))
    assert 0.1 < spectrum.value < pitch.value < 0.5
    assert (spectrum.cluster, spectrum.units, spectrum.scored) == ("speaker", 12, 1_128)
    assert "Speakers are the first folder of each path" in read_metrics(example / "runs" / "pitch").notes[0]
    compared = auricle("compare", "runs/spectrum", "runs/pitch")
    assert "paired t, 12 speakers" in compared.stdout
    assert "The scores of the two models have an SRCC of" in compared.stdout
    for sentence in ("confusion matrix", "inferencers differ", "Cohen's d"):
        assert sentence not in compared.stdout
    page = (example / "runs/spectrum/report.html").read_text(encoding="utf-8")
    assert "Misses against false alarms" in page
    assert "Best log-likelihood ratio" in page
    shown = auricle("samples", "runs/spectrum", "--worst", "20").stdout
    assert "target    same" in shown
    assert "target    different" in shown
    assert "answer    score 0.9" in shown
    assert "min_dcf_05 only defined for several samples" in shown
    assert "eer       only defined for several samples" in shown


def test_scores_of_a_run_give_the_same_numbers_without_its_model(example: Path, auricle: Any) -> None:
    trials = Path("trials.txt").read_text().splitlines(keepends=True)
    Path("trials.txt").write_text("".join(trials[::4]))  # all of them would only take longer
    auricle("run", "trials.txt", "--as", "verify", "-m", "embedders.py:pitch", "-o", "runs/pitch")
    lines = (example / "runs/pitch/outputs.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    names = {str(place): line.split()[1:] for place, line in enumerate(Path("trials.txt").read_text().splitlines())}
    scores = [(*names[record["id"]], record["outputs"][0]["values"]["score"]) for record in reversed(records)]
    Path("scores.txt").write_text("".join(f"{a} {b} {score}\n" for a, b, score in scores))
    command = ("import", "scores.txt", "--from", "trial-scores", "--reference", "trials.txt", "-o", "runs/imported")
    assert auricle(*command).returncode == 0
    for metric in ("eer", "min_dcf", "min_cllr"):
        own, imported = (find(example / "runs" / run, metric) for run in ("pitch", "imported"))
        assert (own.value, own.low, own.high) == (imported.value, imported.low, imported.high)


def test_resemblyzer_recognises_speakers_of_digits(tmp_path: Path, auricle: Any) -> None:
    require_extra("speakers")
    folder = SHARED / "digits"
    if not folder.exists():
        pytest.skip(f"no real recordings at {folder}")
    clips = sorted(path.name for path in folder.glob("*.flac"))
    speakers = {name: name.split("_")[1] for name in clips}
    rows = [
        {"audio_a": a, "audio_b": b, "label": speakers[a] == speakers[b], "speaker_a": speakers[a]}
        | {"speaker_b": speakers[b]}
        for a, b in combinations(clips, 2)
    ]
    (tmp_path / "trials.jsonl").write_text("\n".join(map(json.dumps, rows)))
    options = ("-T", f"root={folder}", "-T", "metrics=eer", "-o", "run")
    done = auricle("run", "trials.jsonl", "--as", "verify", "-m", "resemblyzer", *options)
    assert done.returncode == 0, done.stderr
    eer = find(tmp_path / "run", "eer")
    assert (eer.scored, eer.units) == (1_770, 6)
    assert 0.15 < eer.value < 0.3  # 0.226 with clips of half a second; 0.5 is chance
