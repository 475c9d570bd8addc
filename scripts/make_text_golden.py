"""Fill tests/golden/text-profiles.json with the error rates of other tools, by running their code.

    python scripts/make_text_golden.py CHECKOUTS

CHECKOUTS contains a checkout of each tool: kimi, lmms, openasr, ultra. Run it in an environment with
editdistance, kaldialign, more-itertools, num2words, regex, sacrebleu==1.5.1 and zhconv; Auricle is not
needed. The pairs in the file are kept; only the numbers are written.
"""

import contextlib
import importlib
import io
import json
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent.parent / "tests" / "golden" / "text-profiles.json"
Score = Callable[[list[list[str]]], float]


def empty_package(name: str, *folders: Path) -> None:
    """Register a package without its __init__, which would import models and datasets."""
    sys.modules[name] = module = types.ModuleType(name)
    module.__path__ = [str(folder) for folder in folders]


def kimi(home: Path, language: str) -> Score:
    empty_package("almeval", home / "almeval")
    empty_package("almeval.metrics", home / "almeval" / "metrics")
    wer = importlib.import_module("almeval.metrics.wer")

    def score(pairs: list[list[str]]) -> float:
        sides = [[wer.remove_sp(pair[side], language) for pair in pairs] for side in (0, 1)]
        return wer.compute_wer(*sides, language)

    return score


def lmms(home: Path, language: str) -> Score:
    sys.path.insert(0, str(home))
    librispeech = importlib.import_module("lmms_eval.tasks.librispeech.utils")

    def score(pairs: list[list[str]]) -> float:
        rows = [{"task": f"asr_{language}", "gt": gt, "pred": pred} for gt, pred in pairs]
        return librispeech.librispeech_wer(rows, None) / 100

    return score


def ultra(home: Path, language: str) -> Score:
    empty_package("audio_evals", home / "audio_evals")
    wer = importlib.import_module("audio_evals.lib.wer")
    named = {"en": "13a"}.get(language, language)

    def score(pairs: list[list[str]]) -> float:
        sides = [[pair[side].lower() for pair in pairs] for side in (0, 1)]
        return wer.compute_wer(*sides, named)

    return score


def open_asr(home: Path, _language: str) -> Score:
    for name in ("datasets", "huggingface_hub"):
        sys.modules[name] = types.ModuleType(name)
    for name in ("Audio", "IterableDataset", "load_dataset"):
        setattr(sys.modules["datasets"], name, None)
    sys.modules["huggingface_hub"].snapshot_download = None
    sys.path.insert(0, str(home))
    scorer = importlib.import_module("normalizer.eval_utils")
    exact: list[float] = []
    counted = scorer.batch_error_rate

    def keep(*sides: object, **options: object) -> dict[str, float]:
        result = counted(*sides, **options)
        exact.append(result["err_rate"])
        return result

    scorer.batch_error_rate = keep

    def score(pairs: list[list[str]]) -> float:
        with tempfile.TemporaryDirectory() as folder:
            rows = [{"text": gt, "pred_text": pred, "time": 1, "duration": 1} for gt, pred in pairs]
            manifest = Path(folder) / "MODEL_a-b_DATASET_c_d_test.jsonl"
            manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))
            scorer.score_results(folder)
        if not exact[-1] < float("inf"):
            raise ZeroDivisionError("an infinite rate")
        return exact[-1]

    return score


TOOLS = {
    "kimi-en": (kimi, "kimi", "en"),
    "kimi-zh": (kimi, "kimi", "zh"),
    "lmms-eval-en": (lmms, "lmms", "en"),
    "lmms-eval-zh": (lmms, "lmms", "zh"),
    "open-asr": (open_asr, "openasr", "en"),
    "ultraeval-en": (ultra, "ultra", "en"),
    "ultraeval-zh": (ultra, "ultra", "zh"),
}


def one(score: Score, pair: list[str]) -> float | str:
    """Return the tool's score of a single pair, or the name of the error it raises."""
    try:
        return score([pair])
    except (AssertionError, IndexError, ZeroDivisionError) as error:
        return type(error).__name__


def commit(home: Path) -> str:
    kept = home / "COMMIT"
    if kept.exists():
        return kept.read_text().strip()
    asked = ["git", "-C", str(home), "rev-parse", "HEAD"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def fill(golden: dict[str, Any], checkouts: Path) -> None:
    for profile, (make, folder, language) in TOOLS.items():
        score = make(checkouts / folder, language)
        rows = golden[language]
        for row in rows:
            row[profile] = one(score, [row["reference"], row["hypothesis"]])
            if folder == "kimi" and row["hypothesis"] == "null":
                row[profile] = "dropped"
        kept = [row for row in rows if row[profile] != "dropped"]
        corpus = score([[row["reference"], row["hypothesis"]] for row in kept])
        golden["tools"][profile] = {"commit": commit(checkouts / folder), "corpus": corpus}


def written(golden: dict[str, Any]) -> str:
    """The file with a line for each tool and each pair, so that a change can be read."""
    tools = [f"  {json.dumps(name)}: {json.dumps(version)}" for name, version in golden["tools"].items()]
    parts = ['{\n "tools": {\n' + ",\n".join(tools) + "\n }"]
    for language in ("en", "zh"):
        rows = [f"  {json.dumps(row, ensure_ascii=False)}" for row in golden[language]]
        parts.append(f' "{language}": [\n' + ",\n".join(rows) + "\n ]")
    return ",\n".join(parts) + "\n}\n"


def main() -> None:
    golden = json.loads(GOLDEN.read_text())
    with contextlib.redirect_stdout(io.StringIO()):
        fill(golden, Path(sys.argv[1]))
    GOLDEN.write_text(written(golden))


if __name__ == "__main__":
    main()
