"""Tests of VoiceBench."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from auricle.core.types import Generation, Sample
from auricle.engine.catalogue import TASKS
from auricle.engine.inferencers import preview_requests
from tests.support.miniatures_suite import UnderstandingSuite, build_from, find_miniature, get_benchmark, get_hub
from tests.support.miniatures_understanding import hub_audio, sd_qa_accents


def test_spoken_options_are_not_written_in_the_prompt(tmp_path: Path) -> None:
    mini = find_miniature("voicebench-openbookqa")
    mini.build(tmp_path)
    task = build_from(mini, tmp_path)
    request: Any
    (request,) = asyncio.run(preview_requests(task.inferencer, next(iter(task.samples))))
    assert [type(part).__name__ for turn in request.turns for part in turn.parts] == ["Audio"]


def test_all_accents_can_be_evaluated_in_one_run(tmp_path: Path) -> None:
    sd_qa_accents(tmp_path)
    task = TASKS.get("voicebench-sd-qa")(root=str(tmp_path), split="all")
    samples = list(task.samples)
    assert len(samples) == len(task.samples) == 22
    assert len({sample.id for sample in samples}) == 22
    assert len({sample.meta["accent"] for sample in samples}) == 11
    assert task.group_by == ("accent",)


def _hub_rows() -> Any:
    words = ("zero", "one")
    return [
        {
            "hub:split": "aus",
            "hub:row": index,
            "audio": hub_audio(word),
            "prompt": f"What is {index}?",
            "reference": word,
        }
        for index, word in enumerate(words)
    ]


def test_a_clone_has_the_rows_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sd_qa_accents(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    bench = get_benchmark("voicebench-sd-qa")
    hub_items: list[Any] = [get_hub("voicebench-sd-qa").convert_row(row) for row in _hub_rows()]
    samples: Any = bench(root=str(tmp_path), split="aus").samples
    clone_items = list(samples.items())
    assert [(item["id"], item["target"], item["meta"]) for item in clone_items] == [
        (item["id"], item["target"], item["meta"]) for item in hub_items
    ]


def test_open_requests_are_judged_three_times(tmp_path: Path) -> None:
    task = TASKS.get("voicebench-alpacaeval")(root=str(tmp_path))
    sample = Sample(id="0", inputs={"question": ""}, meta={"audio_content": "Hi?"})
    assert len(task.metrics[0].judge_requests(sample, Generation(text="Hello"))) == 3


class TestVoicebench(UnderstandingSuite):
    tasks = (
        "voicebench-alpacaeval",
        "voicebench-alpacaeval-full",
        "voicebench-commoneval",
        "voicebench-wildvoice",
        "voicebench-openbookqa",
        "voicebench-mmsu",
        "voicebench-sd-qa",
        "voicebench-mtbench",
        "voicebench-ifeval",
        "voicebench-bbh",
        "voicebench-advbench",
    )
