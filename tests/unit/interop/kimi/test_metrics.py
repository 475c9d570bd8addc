"""The metrics of each dataset: by default, with a judge, and under `--profile kimi`."""

import pytest

from auricle.core.types import Sample
from auricle.interop.kimi.datasets import DATASETS, find_dataset
from auricle.interop.kimi.metrics import select_metrics


@pytest.mark.parametrize("dataset", DATASETS, ids=lambda dataset: dataset.name)
def test_every_dataset_but_transcripts_is_judged_under_the_evalkits_profile(dataset: object) -> None:
    metrics = select_metrics(find_dataset(dataset.name)).evalkit  # type: ignore[attr-defined]
    is_judged = [metric.judge_requests is not None for metric in metrics]
    assert all(is_judged) or [metric.name for metric in metrics] == ["wer"]


@pytest.mark.parametrize(
    ("name", "default", "judged", "evalkit"),
    [
        ("LibriSpeech", ["wer", "cer"], [], ["wer"]),
        ("WenetSpeech", ["mer", "cer"], [], ["wer"]),
        ("MELD", ["option_accuracy"], ["judge-choice"], ["kimi-choice"]),
        ("mmsu", ["option_accuracy"], ["judge-choice"], ["kimi-choice"]),
        ("ClothoAQA", ["judge-reference", "contains", "exact_match"], [], ["kimi-reference"]),
        ("sd-qa", ["judge-reference", "contains", "exact_match"], [], ["kimi-sd-qa"]),
        ("commoneval", ["judge-1-5", "empty"], [], ["kimi-open"]),
        ("advbench", ["refusal"], ["judge-1-5"], ["kimi-open"]),
    ],
)
def test_metrics_of_a_dataset(name: str, default: list[str], judged: list[str], evalkit: list[str]) -> None:
    sets = select_metrics(find_dataset(name))
    assert list(sets.default) == default
    assert [metric.name for metric in sets.judged] == judged
    assert [metric.name for metric in sets.evalkit] == evalkit


@pytest.mark.parametrize(
    ("subset", "metrics"),
    [
        ("trivia_qa", ["kimi-answer"]),
        ("llama_questions", ["kimi-answer"]),
        ("alpaca_eval", ["kimi-alpaca"]),
        ("reasoning_qa", ["kimi-reasoning"]),
    ],
)
@pytest.mark.parametrize("votes", [0, 3])
def test_subsets_of_open_audio_bench_have_one_rubric_each(subset: str, metrics: list[str], votes: int) -> None:
    sample = Sample(id="1", inputs={}, meta={"subset": subset})
    evalkit = select_metrics(find_dataset("OpenAudioBench"), votes).evalkit
    assert [metric.name for metric in evalkit if metric.applies and metric.applies(sample)] == metrics
