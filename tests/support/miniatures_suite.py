"""Tests that every published benchmark must pass on its miniatures.

A test file of a benchmark subclasses one of the suites and lists its tasks; `pytest_generate_tests` in the conftest
of tests/benchmarks runs every test on every miniature of these tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from auricle.api import build_task, evaluate
from auricle.benchmarks.base import Benchmark, HubDataset
from auricle.benchmarks.commands import check_samples, prepare_data
from auricle.core.errors import DataError, SpecError
from auricle.core.types import Sample, list_parts
from auricle.engine.catalogue import TASKS
from auricle.engine.spec import Spec, resolve_task
from tests.support.miniatures import Miniature
from tests.support.miniatures_speech import SPEECH
from tests.support.miniatures_understanding import UNDERSTANDING, ScoredMiniature

MINIATURES: Sequence[Miniature] = [*SPEECH, *UNDERSTANDING]
JUDGE = """
import re

def judge(text: str) -> str:
    form = re.findall("Verdict:|Score:", text)[-1]
    return f"{form} {'yes' if form == 'Verdict:' else 4}"
"""


def find_miniature(task: str, **options: str) -> Miniature:
    """Return the miniature of a task with these options."""
    return next(mini for mini in MINIATURES if (mini.task, dict(mini.options)) == (task, options))


def get_benchmark(name: str) -> Benchmark:
    """Return the benchmark of a name."""
    benchmark = TASKS.get(name)
    assert isinstance(benchmark, Benchmark)
    return benchmark


def get_hub(name: str) -> HubDataset:
    """Return the Hugging Face copy of a benchmark."""
    hub = get_benchmark(name).hub
    assert hub is not None
    return hub


def build_from(miniature: Miniature, root: Path, **options: Any) -> Any:
    """Build the task of a miniature whose archive is in a folder."""
    return TASKS.get(miniature.task)(root=str(root), **{**miniature.options, **options})


def sample_content(sample: Sample) -> Any:
    """Return what identifies a sample, without the paths of its audio."""
    texts = {name: value for name, value in sample.inputs.items() if isinstance(value, str) or name == "choices"}
    parts: list[Any] = [part for value in sample.inputs.values() for part in list_parts(value)]
    audio = [part.decode().tobytes() for part in parts if not isinstance(part, str)]
    return sample.id, sample.target, dict(sample.meta), texts, audio


class BenchmarkSuite:
    """Tests of every benchmark."""

    tasks: ClassVar[tuple[str, ...]]

    def test_rows_are_read_in_the_order_of_the_corpus(self, miniature: Miniature, tmp_path: Path) -> None:
        miniature.build(tmp_path)
        samples = list(build_from(miniature, tmp_path).samples)
        assert {sample.id: sample.target for sample in samples} == miniature.rows
        assert [sample.id for sample in samples] == list(miniature.rows)
        assert len(build_from(miniature, tmp_path).samples) == len(miniature.rows)
        assert miniature.meta.items() <= samples[0].meta.items()

    def test_a_wrong_folder_is_reported_in_one_line(self, miniature: Miniature, tmp_path: Path) -> None:
        (tmp_path / "holiday").mkdir()
        with pytest.raises(DataError) as error:
            build_from(miniature, tmp_path).samples.validate()
        assert "holiday/" in str(error.value)
        assert "\n" not in str(error.value)

    def test_an_unknown_split_is_rejected(self, miniature: Miniature, tmp_path: Path) -> None:
        with pytest.raises(SpecError, match="invalid split 'nowhere': expected one of"):
            build_from(miniature, tmp_path, split="nowhere")

    def test_a_prepared_manifest_has_the_same_samples(
        self, miniature: Miniature, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        miniature.build(tmp_path / "corpus")
        options = [f"{name}={value}" for name, value in miniature.options.items()]
        out = tmp_path / "prepared.jsonl"
        assert prepare_data(miniature.task, tmp_path / "corpus", options, out, as_json=False) == 0
        bench = get_benchmark(miniature.task)
        arguments = bench.task_arguments(*bench.resolve_part(dict(miniature.options)))
        prepared = TASKS.get(bench.kind)(**arguments, data=str(out))
        original = build_from(miniature, tmp_path / "corpus")
        assert list(map(sample_content, prepared.samples)) == list(map(sample_content, original.samples))
        assert repr(prepared.inferencer) == repr(original.inferencer)
        assert repr(list(prepared.metrics)) == repr(list(original.metrics))
        assert f"--as {bench.kind}" in capsys.readouterr().out


class SpeechSuite(BenchmarkSuite):
    """Further tests of speech recognition and translation benchmarks."""

    def test_recordings_and_segments_are_located(self, miniature: Miniature, tmp_path: Path) -> None:
        miniature.build(tmp_path)
        samples = list(build_from(miniature, tmp_path).samples)
        audio = {sample.id: sample.inputs["audio"][0] for sample in samples}
        assert audio[samples[0].id].path == tmp_path / miniature.file
        assert all((audio[name].start, audio[name].end) == span for name, span in miniature.spans.items())

    def test_the_printed_command_gives_the_same_numbers(
        self, miniature: Miniature, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        miniature.build(tmp_path / "root")
        options = [f"{name}={value}" for name, value in miniature.options.items()]
        assert prepare_data(miniature.task, tmp_path / "root", options, tmp_path / "out" / "manifest.jsonl", False) == 0
        command = capsys.readouterr().out.splitlines()[-1].partition("auricle run ")[2].split()
        kind = command[command.index("--as") + 1]
        arguments = dict(word.split("=", 1) for word in command if "=" in word)
        reference = resolve_task(command[0], kind, arguments)
        direct = Spec(
            task=miniature.task, model="echo", task_args={"root": str(tmp_path / "root"), **miniature.options}
        )
        numbers = evaluate(direct, tmp_path / "a")
        prepared_numbers = evaluate(
            Spec(task=reference.task, task_args=reference.arguments, model="echo"), tmp_path / "b"
        )
        assert list(map(_number_values, numbers)) == list(map(_number_values, prepared_numbers))
        assert numbers.numbers[0].scored == len(miniature.rows)

    def test_missing_and_broken_files_are_detected(self, miniature: Miniature, tmp_path: Path) -> None:
        miniature.build(tmp_path)
        first = next(iter(miniature.rows))
        assert not _problems(miniature, tmp_path)
        (tmp_path / miniature.file).write_bytes(b"RIFF nothing")
        assert ("broken", first) in _problems(miniature, tmp_path)
        (tmp_path / miniature.file).unlink()
        assert ("missing", first) in _problems(miniature, tmp_path)

    def test_the_expected_layout_is_shown_for_a_wrong_folder(self, miniature: Miniature, tmp_path: Path) -> None:
        bench = get_benchmark(miniature.task)
        with pytest.raises(DataError) as error:
            build_from(miniature, tmp_path).samples.validate()
        assert str(error.value).startswith(f"{bench.title}: No ")
        assert bench.layout in str(error.value)


class UnderstandingSuite(BenchmarkSuite):
    """Further tests of question, classification, caption and spoken request benchmarks."""

    def test_options_are_those_of_the_corpus(self, miniature: ScoredMiniature, tmp_path: Path) -> None:
        miniature.build(tmp_path)
        sample = next(iter(build_from(miniature, tmp_path).samples))
        assert not miniature.choices or sample.inputs["choices"] == list(miniature.choices)

    def test_all_recordings_exist_and_decode(self, miniature: ScoredMiniature, tmp_path: Path) -> None:
        miniature.build(tmp_path)
        report = check_samples(build_from(miniature, tmp_path))
        assert [problem for problem in report.problems if problem[0] != "count"] == []
        assert report.decoded_count >= len(miniature.rows)

    def test_a_correct_answer_gets_the_full_score(self, miniature: ScoredMiniature, tmp_path: Path) -> None:
        miniature.build(tmp_path / "corpus")
        (tmp_path / "fakes.py").write_text(JUDGE)
        is_cider = miniature.metric == "cider"  # CIDEr of a single sample is not defined
        judge: Any = {"model": f"{tmp_path / 'fakes.py'}:judge"} if miniature.judged else None
        spec = Spec(
            task=miniature.task,
            task_args={"root": str(tmp_path / "corpus"), **miniature.options},
            model="echo",
            model_args={"reply": miniature.reply},
            judge=judge,
            limit=None if is_cider else 1,
        )
        first = evaluate(spec, tmp_path / "run").numbers[0]
        assert first.metric == miniature.metric
        if miniature.metric.startswith("judge") and "reference" not in miniature.metric:
            assert first.value == 4.0
        elif not is_cider:
            assert first.value == 1.0
        assert first.scored == (len(miniature.rows) if is_cider else 1)


def _number_values(number: Any) -> Any:
    return number.metric, number.value, number.interval, number.scored


def _problems(miniature: Miniature, root: Path) -> set[tuple[str, str]]:
    spec = Spec(task=miniature.task, model="echo", task_args={"root": str(root), **miniature.options})
    problems = check_samples(build_task(spec)).problems
    return {(kind, name) for kind, name, _ in problems if kind != "count"}
