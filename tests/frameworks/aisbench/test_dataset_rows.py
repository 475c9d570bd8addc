"""Dataset classes of AISBench that read folders become rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CONFIG = """
from ais_bench.benchmark.openicl.icl_prompt_template.icl_prompt_template_mm import MMPromptTemplate
from ais_bench.benchmark.openicl.icl_inferencer import GenInferencer
from ais_bench.benchmark.datasets import VocalSoundDataset, VocalSoundEvaluator

sound = {"type": "audio_url", "audio_url": {"url": "{audio}"}}
parts = {"text": {"type": "text", "text": "{question}"}, "audio": sound}
sound_datasets = [dict(
    abbr="sounds", type=VocalSoundDataset, path="recordings",
    reader_cfg=dict(input_columns=["question", "audio"], output_column="answer"),
    infer_cfg=dict(
        prompt_template=dict(type=MMPromptTemplate, template=dict(round=[dict(role="HUMAN", prompt_mm=parts)])),
        inferencer=dict(type=GenInferencer),
    ),
    eval_cfg=dict(evaluator=dict(type=VocalSoundEvaluator)),
)]
"""


def test_a_config_of_recordings_is_imported_and_scored(auricle: Any, tone: Any, tmp_path: Path) -> None:
    (tmp_path / "recordings").mkdir()
    for name in ("a_laughter.wav", "b_sigh.wav"):
        tone(f"recordings/{name}")
    (tmp_path / "config.py").write_text(CONFIG)
    result = auricle("import", "--from", "aisbench", "config.py", "-o", "task.yaml")
    assert result.returncode == 0, result.stderr
    rows = [json.loads(line) for line in (tmp_path / "sounds.jsonl").read_text().splitlines()]
    assert [(row["id"], row["audio"], row["answer"]) for row in rows] == [
        ("a_laughter", "recordings/a_laughter.wav", "laughter"),
        ("b_sigh", "recordings/b_sigh.wav", "sigh"),
    ]
    result = auricle("import", "--from", "aisbench", "config.py", "-o", "other.yaml")
    assert "File already exists: sounds.jsonl" in result.stderr
    result = auricle("run", "task.yaml", "-m", "echo", "-M", "reply=B: sigh", "-o", "run")
    assert result.returncode == 0, result.stderr
    (number,) = json.loads((tmp_path / "run/metrics.json").read_text())["numbers"]
    assert (number["metric"], number["value"]) == ("VocalSoundEvaluator", 0.5)
