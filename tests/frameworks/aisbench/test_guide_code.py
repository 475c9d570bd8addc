"""Every code block of AISBench's guide runs; only what the guide leaves open is supplied."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auricle import Generation
from auricle.runs.run_directory import Run
from auricle.testing.fake_server import FakeServer
from tests.support.guides import guide_path, read_code_blocks

pytestmark = pytest.mark.slow

IMPORTS = """\
from multiprocessing import BoundedSemaphore
from typing import List, Optional
import aiohttp
from ais_bench.benchmark.models.output import RequestOutput
from ais_bench.benchmark.openicl.icl_retriever import BaseRetriever
from ais_bench.benchmark.openicl.icl_inferencer.output_handler.gen_inferencer_output_handler import (
    GenInferencerOutputHandler
)
"""
"""Imports that the third block uses without importing them."""
METHOD_BODIES = {
    "# Implement API model inference logic": """\
output = RequestOutput(self.perf_mode)
        await self.model.generate(data["prompt"], data["max_out_len"], output, session=session)
        output.content += " by request"
        await self.output_handler.report_cache_info(data["index"], data["prompt"], output, data["data_abbr"])""",
    "# Implement local model inference logic": """\
for index, text in zip(datum["index"], self.model.generate(datum["prompt"], self.model.max_out_len)):
            self.output_handler.report_cache_info_sync(index, "", text + " by batch", "")""",
    "# Implement data list retrieval logic": """\
prompt = retriever.generate_prompt_for_generate_task(0, "")
        row = {"prompt": prompt, "index": 0, "data_abbr": retriever.dataset.abbr, "max_out_len": 8}
        return [row]""",
}
"""Bodies of the methods that the third block leaves open, by the comment that stands for them."""
DATASET = """\
from my_dataset import MyDataset
mydataset_reader_cfg = dict(input_columns=["question"], output_column="answer")
mydataset_eval_cfg = dict(evaluator=dict(type="AccEvaluator"))
"""
"""Names that the config uses without defining them."""
ROWS = [{"id": "a", "question": "one two", "answer": "one two"}, {"id": "b", "question": "six", "answer": "6"}]
Records = Callable[..., dict[str, str]]


@pytest.fixture
def blocks() -> list[str]:
    if not guide_path("aisbench").is_file():
        pytest.skip("the guides are not beside this project")
    return read_code_blocks("aisbench", "python")


@pytest.fixture
def run(auricle: Any, manifest: Any, tmp_path: Path) -> Records:
    """Run rows through a class of a file and return the answers by id."""

    def run_class(file_name: str, class_name: str, *model: str) -> dict[str, str]:
        use = f"inferencer=aisbench:{file_name}:{class_name}"
        folder = f"run{len(list(tmp_path.glob('run*')))}"
        result = auricle("run", manifest(ROWS), "--as", "qa", "-T", use, "-o", folder, *model)
        assert result.returncode == 0, result.stderr
        return answers(tmp_path / folder)

    return run_class


def answers(folder: Path) -> dict[str, str]:
    records = {record.sample.id: record.outputs[0] for record in Run.load(folder).records()}
    return {name: output.text for name, output in records.items() if isinstance(output, Generation)}


def supply_bodies(block: str) -> str:
    """Return the third block with the lines that it leaves open."""
    for comment, body in METHOD_BODIES.items():
        assert f"{comment}\n        pass" in block
        block = block.replace(f"{comment}\n        pass", body)
    return IMPORTS + block


def test_the_guide_has_four_blocks(blocks: list[str]) -> None:
    classes = [re.findall(r"^class (\w+)\(", block, re.M) for block in blocks]
    assert classes == [["MyCustomApiInferencer"], ["MyCustomLocalInferencer"], ["MyCustomInferencer"], []]


def test_the_inferencer_for_services_runs_unchanged(blocks: list[str], run: Records, tmp_path: Path) -> None:
    (tmp_path / "my_custom_api_inferencer.py").write_text(blocks[0])
    with FakeServer() as server:
        model = ("-m", "openai", "-M", f"base_url={server.url}", "-M", "model=m")
        assert run("my_custom_api_inferencer.py", "MyCustomApiInferencer", *model) == {"a": "one two", "b": "six"}
        assert server.stats()["requests"] == {"/v1/chat/completions": 2}


def test_the_inferencer_for_local_models_runs_unchanged(blocks: list[str], run: Records, tmp_path: Path) -> None:
    (tmp_path / "my_custom_local_inferencer.py").write_text(blocks[1])
    reported = run("my_custom_local_inferencer.py", "MyCustomLocalInferencer", "-m", "echo")
    assert reported == {"a": "one two", "b": "six"}


def test_the_inferencer_for_both_kinds_of_model_runs(blocks: list[str], run: Records, tmp_path: Path) -> None:
    (tmp_path / "my_custom_inferencer.py").write_text(supply_bodies(blocks[2]))
    on_server = run("my_custom_inferencer.py", "MyCustomInferencer", "-m", "fake-api")
    assert all(text.endswith(" by request") for text in on_server.values())
    local = run("my_custom_inferencer.py", "MyCustomInferencer", "-m", "echo")
    assert local == {"a": "one two by batch", "b": "six by batch"}


def test_the_config_uses_the_class(blocks: list[str], auricle: Any, manifest: Any, tmp_path: Path) -> None:
    (tmp_path / "my_custom_inferencer.py").write_text(supply_bodies(blocks[2]))
    arguments = f'abbr="sums", path="{manifest(ROWS).name}",'
    elided = "# ... Other dataset initialization parameters ..."
    assert elided in blocks[3]
    (tmp_path / "my_config.py").write_text(DATASET + blocks[3].replace(elided, arguments))
    result = auricle("import", "--from", "aisbench", "my_config.py", "-o", "sums.yaml")
    assert result.returncode == 0, result.stderr
    result = auricle("run", "sums.yaml", "-m", "echo", "-o", "runs")
    assert result.returncode == 0, result.stderr
    instruction = "\nRemember to put your final answer within \\boxed{}."
    assert answers(tmp_path / "runs") == {"a": f"one two{instruction} by batch", "b": f"six{instruction} by batch"}
