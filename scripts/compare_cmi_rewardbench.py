"""Score the same rows with CMI-RewardBench and with Auricle, and count equal and different cells.

    python scripts/compare_cmi_rewardbench.py ~/src/CMI-RewardBench

Writes rows of all four datasets, recordings and a reward model class to a temporary folder. The repository's
inference_benchmark.py and evaluate_results.py run there beside `auricle run` and `auricle export`, with several
evaluation files. Compared are what the class is given, every column of results.jsonl, every cell of both tables and
metrics.json, and the same tables after `auricle import`. Nothing is written to the checkout.
"""

from __future__ import annotations

import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import yaml
from comparison import Comparison, checkout_argument

from auricle import Spec, compare, evaluate
from auricle.frameworks.exchange.result_export import export_run
from auricle.frameworks.exchange.result_import import ImportOptions, import_results

RATE = 8000
ROWS_PER_DATASET = {"PAM (music)": 40, "MusicEval": 24, "SongEval": 12, "Music Arena": 48, "cmi-arena-annotation": 96}
MONTHS = ("01-2025JULAUG", "02-2025SEP", "05-2025DEC")
CHOICES = ("model_a", "model_b", "A", "b", "both", "neither", "TIE", "")
TABLES = ("metrics_summary.csv", "metrics_detail.csv")
GROUPS = ("musicarena_by_month", "cmi_by_modality", "cmi_by_confidence")
MODEL = '''
import hashlib
import json
import os

import numpy as np

from core.model_abc import BenchmarkModelABC


class Listener(BenchmarkModelABC):
    """Scores depend on the content of the recordings and on the texts; every seventh pair of scores is a tie."""

    def __init__(self, checkpoint, device, key="", log=""):
        self.log = log
        self.note({"checkpoint": os.path.basename(checkpoint), "device": device, "key": key})

    @property
    def sr(self):
        return 24_000

    def note(self, values):
        with open(self.log, "a") as file:
            file.write(json.dumps(values) + "\\n")

    def score_batch(self, inputs, batch_size, max_dur, **kwargs):
        assert batch_size == len(inputs)
        return np.array([self.score(item, max_dur, kwargs) for item in inputs], dtype=np.float64)

    def score(self, item, max_dur, kwargs):
        paths = [item.audio, *([item.ref_audio] if item.ref_audio else [])]
        names = [os.path.relpath(path, os.environ["DATA_ROOT"]) for path in paths]
        self.note({"paths": names, "text": item.text, "lyrics": item.lyrics, "max_dur": max_dur, "kwargs": kwargs})
        content = b"".join(open(path, "rb").read() for path in paths)
        digest = hashlib.md5(content + item.text.encode() + item.lyrics.encode()).digest()
        return [0.5, 0.5] if digest[0] % 7 == 0 else [digest[1] / 255, digest[2] / 255]
'''


def main() -> int:
    checkout = checkout_argument(__doc__)
    comparison = Comparison("CMI-RewardBench", tolerance=1e-12)
    with tempfile.TemporaryDirectory(prefix="compare-cmi-") as folder:
        bench = SideBySide(checkout, Path(folder).resolve(), comparison)
        bench.write_inputs()
        bench.run()
    print(comparison.format())
    return comparison.exit_code


class SideBySide:
    """The work of both frameworks in one temporary folder."""

    def __init__(self, checkout: Path, folder: Path, comparison: Comparison) -> None:
        self.checkout, self.folder, self.comparison = checkout, folder, comparison
        self.data = folder / "data"
        self.rows_file = self.data / "all_test.jsonl"
        self.working_directory = folder / "a" / "b"
        """Two levels deep: evaluate_results.py reads ../../audio_duration_map.json."""

    def write_inputs(self) -> None:
        self.data.mkdir()
        self.working_directory.mkdir(parents=True)
        rows = list(build_rows(random.Random(0)))
        random.Random(1).shuffle(rows)
        self.rows_file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        durations = {path: write_recording(self.data / path, index) for index, path in enumerate(list_paths(rows))}
        (self.folder / "audio_duration_map.json").write_text(json.dumps(durations))
        (self.folder / "listener.py").write_text(MODEL)
        (self.folder / "model.safetensors").touch()

    def run(self) -> None:
        os.environ["DATA_ROOT"] = str(self.data)
        theirs = self.run_upstream()
        ours = self.run_auricle()
        self.compare_calls()
        self.compare_rows(theirs / "results.jsonl", ours / "cmi" / "results.jsonl")
        *_, imported = (path for path, _ in import_results(theirs, "cmi", self.folder / "imported", ImportOptions()))
        pairs = compare(imported, ours).pairs
        self.comparison.add(
            "pairs of an imported and an own run", "count", pairs.count, count_lines(theirs / "results.jsonl")
        )
        for name, settings in evaluations().items():
            self.compare_tables(name, settings, theirs, imported)

    # --- both frameworks ------------------------------------------------------------------------

    def run_upstream(self) -> Path:
        out = self.folder / "theirs"
        arguments = {"key": "value", "log": str(self.folder / "theirs.log")}
        self.run_script(
            "inference_benchmark.py",
            *("-c", str(self.folder / "model.safetensors"), "--device", "cpu", "--output_dir", str(out)),
            *("--model_class_path", "listener:Listener", "--model_init_kwargs_json", json.dumps(arguments)),
            *("--model_score_kwargs_json", '{"steps": 3}', "--max_dur", "30", "--no_run_evaluate"),
            *("--dataset_jsonl", str(self.rows_file), "--dataset_root", str(self.data)),
        )
        return out

    def run_script(self, script: str, *arguments: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, str(self.checkout / script), *arguments]
        done = subprocess.run(command, cwd=self.working_directory, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{script} failed:\n{done.stderr[-3000:]}")

    def run_auricle(self) -> Path:
        out = self.folder / "ours"
        self.evaluate_ours(out, {})
        export_run(out, "cmi")
        return out

    def evaluate_ours(self, out: Path, task_args: Mapping[str, Any]) -> None:
        spec = Spec(
            task="cmi-rewardbench",
            task_args={"dataset_jsonl": str(self.rows_file), "dataset_root": str(self.data), **task_args},
            model=f"cmi:{self.folder / 'listener.py'}:Listener",
            model_args={
                "checkpoint": str(self.folder / "model.safetensors"),
                "device": "cpu",
                "init": {"key": "value", "log": str(self.folder / "ours.log")},
                "score": {"steps": 3},
                "max_dur": 30,
            },
        )
        evaluate(spec, out, infer_only=True)

    # --- comparisons ----------------------------------------------------------------------------

    def compare_calls(self) -> None:
        """Compare what the class is given; the order of the calls is free."""
        logs = [sorted((self.folder / f"{side}.log").read_text().splitlines()) for side in ("ours", "theirs")]
        for index, (ours, theirs) in enumerate(zip_longest(*logs, fillvalue="{}")):
            subject = "constructor" if '"checkpoint"' in ours + theirs else "score_batch"
            self.comparison.add(subject, str(index), json.loads(ours), json.loads(theirs))

    def compare_rows(self, theirs: Path, ours: Path) -> None:
        lines = [path.read_text().splitlines() for path in (ours, theirs)]
        self.comparison.add("results.jsonl", "rows", len(lines[0]), len(lines[1]))
        for index, pair in enumerate(zip(*lines, strict=False)):
            own, other = (json.loads(line) for line in pair)
            for column in {**other, **own}:
                self.comparison.add("results.jsonl", f"{index}.{column}", own.get(column), other.get(column))

    def compare_tables(self, name: str, settings: Mapping[str, Any], theirs: Path, imported: Path) -> None:
        """Evaluate the same results with one evaluation file, in both frameworks and after an import."""
        yaml_file, evaluated = self.folder / f"{name}.yaml", self.folder / "tables" / name
        yaml_file.write_text(yaml.safe_dump(dict(settings)))
        arguments = ["-r", theirs / "results.jsonl", "--output_dir_abs", evaluated, "--eval_yaml_abs", yaml_file]
        self.run_script("evaluate_results.py", *map(str, arguments))
        self.evaluate_ours(self.folder / "ours", {"eval_yaml": str(yaml_file)})
        export_run(self.folder / "ours", "cmi", self.folder / "ours" / name)
        again = self.folder / f"imported-{name}"
        list(import_results(theirs, "cmi", again, ImportOptions(options={"eval_yaml": str(yaml_file)})))
        export_run(again, "cmi")
        for table in TABLES:
            self.compare_table(table, name, self.folder / "ours" / name / table, evaluated / table)
            self.compare_table(f"imported {table}", name, again / "cmi" / table, evaluated / table)
        documents = [read_json(path / "metrics.json") for path in (self.folder / "ours" / name, evaluated)]
        for part in ("summary", "detail"):
            self.comparison.add("metrics.json", f"{name}.{part}", documents[0][part], documents[1][part])

    def compare_table(self, subject: str, name: str, ours: Path, theirs: Path) -> None:
        tables = [read_table(path) for path in (ours, theirs)]
        self.comparison.add(subject, f"{name}.lines", *(list(table) for table in tables))
        for key, line in tables[1].items():
            for column, value in line.items():
                own = tables[0].get(key, {}).get(column)
                self.comparison.add(subject, f"{name}.{key}.{column}", to_value(own), to_value(value))


# --- generated data ------------------------------------------------------------------------------


def build_rows(rng: random.Random) -> Iterator[dict[str, Any]]:
    """Build rows of every dataset, with ties, invalid targets and rows of another split."""
    for source, count in ROWS_PER_DATASET.items():
        for index in range(count):
            row = {"prompt": f"song {index}", "lyrics": "", "ref-audio-path": "", "source": source, "split": "test"}
            if index % 12 == 11:
                row["split"] = "train"
            yield {**row, **build_columns(source, index, rng)}


def build_columns(source: str, index: int, rng: random.Random) -> dict[str, Any]:
    name = source.split()[0].lower()
    if source == "Music Arena":
        folder = f"MusicArena_data/audio_files/{rng.choice(MONTHS)}"
        votes = {"preference": rng.choice(CHOICES)}
        return {"audio-path": f"{folder}/{index}-a.wav", "audio2": f"{folder}/{index}-b.wav", **votes}
    if source == "cmi-arena-annotation":
        return {
            "audio-path": f"{name}/{index}-a.wav",
            "audio2": f"{name}/{index}-b.wav",
            "lyrics": f"la {index}" if index % 2 else "",
            "ref-audio-path": f"{name}/{index % 5}-ref.wav" if index % 3 else "",
            **{f"preference-{task}": rng.choice(CHOICES) for task in ("musicality", "alignment")},
            **{
                f"confidence_preference-{task}": rng.choice((1, 2.0, "3", 4, 5, ""))
                for task in ("musicality", "alignment")
            },
        }
    rating = rng.choice((round(rng.uniform(1, 5), 2), rng.randint(1, 5), "" if index == 3 else "2.5"))
    return {
        "audio-path": f"{name}/{index}.wav",
        "audio2": "",
        "musicality": rating,
        "text-music alignment": rng.randint(1, 5),
    }


def list_paths(rows: list[dict[str, Any]]) -> list[str]:
    columns = ("audio-path", "audio2", "ref-audio-path")
    return list(dict.fromkeys(row[column] for row in rows for column in columns if row[column]))


def write_recording(path: Path, seed: int) -> float:
    """Write noise of a length that depends on the seed, and return its duration."""
    seconds = 0.05 + 0.05 * (seed % 9)
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = 0.1 * np.random.default_rng(seed).normal(size=round(RATE * seconds))
    soundfile.write(path, noise.astype(np.float32), RATE)
    return round(RATE * seconds) / RATE


def evaluations() -> dict[str, dict[str, Any]]:
    """Return evaluation files: upstream's defaults, each group and metric left out, and bins of durations."""
    groups = {**dict.fromkeys(GROUPS, True), "by_duration": False, "duration_bin": [0.05, 0.15, 0.3, 0.45]}
    outputs = {"summary_csv": TABLES[0], "detail_csv": TABLES[1], "json": "metrics.json"}
    base = {"filter": {"split": "test"}, "outputs": outputs}
    metrics = {"include_lcc": True, "include_k_tau": True}
    files = {"all": {**base, "metrics": metrics, "groups": groups}}
    files |= {f"no-{name}": {**base, "metrics": metrics, "groups": {**groups, name: False}} for name in GROUPS}
    files |= {f"no-{name}": {**base, "metrics": {**metrics, name: False}, "groups": groups} for name in metrics}
    files["durations"] = {**base, "metrics": metrics, "groups": {**groups, "by_duration": True}}
    return files


# --- files ---------------------------------------------------------------------------------------


def read_table(path: Path) -> dict[tuple[str, ...], dict[str, str]]:
    keys = ("dataset", "task", "group_key", "group_value", "ref_category")
    with path.open(newline="") as file:
        return {tuple(line.get(key, "") for key in keys): line for line in csv.DictReader(file)}


def to_value(cell: str | None) -> Any:
    try:
        return float(cell or "")
    except ValueError:
        return cell


def read_json(path: Path) -> Any:
    """Read a document; the repository writes a bare NaN for an undefined number, Auricle writes null."""
    return replace_nan(json.loads(path.read_text()))


def replace_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: replace_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [replace_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def count_lines(path: Path) -> int:
    return len(path.read_text().splitlines())


if __name__ == "__main__":
    sys.exit(main())
