"""Suites of small quizzes in two languages, for tests."""

from __future__ import annotations

import json
from pathlib import Path

SIZES = {"english": ("en", 12), "german": ("de", 9), "austrian": ("de", 6)}
SUITE = "suite:\n  - english.yaml\n  - {task: german.yaml, weight: 2}\n"


def write_parts(folder: Path, *names: str) -> None:
    """Write a task file and its data for each part; `echo` answers two of three questions right."""
    for name in names or ("english", "german"):
        language, count = SIZES[name]
        rows = []
        for index in range(count):
            text = f"{name} {index} {'word ' * (index % 4)}".strip()
            row = {"id": f"{name}{index}", "question": text, "answer": text if index % 3 else f"{text} more"}
            rows.append(row)
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / f"{name}.yaml").write_text(
            f"kind: qa\ndata: {name}.jsonl\nlanguage: {language}\nprompt: '{{question}}'\n"
            "metrics: [wer, exact_match]\nprofile: basic\n"
        )


def write_suite(folder: Path, text: str = SUITE, *names: str, file: str = "suite.yaml") -> Path:
    """Write a suite and its parts, and return its path."""
    write_parts(folder, *names)
    path = folder / file
    path.write_text(text)
    return path
