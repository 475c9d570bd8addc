"""The metrics of each dataset: by default, with a judge, and under `--profile kimi`."""

import pytest

from auricle.core.types import Generation, Sample
from auricle.frameworks.kimi.datasets import DATASETS, find_dataset
from auricle.frameworks.kimi.metrics import select_metrics
from auricle.metrics.capabilities import Judged, Restricted
from auricle.metrics.catalogue import METRICS


@pytest.mark.parametrize("dataset", DATASETS, ids=lambda dataset: dataset.name)
def test_every_dataset_but_transcripts_is_judged_under_the_evalkits_profile(dataset: object) -> None:
    metrics = select_metrics(find_dataset(dataset.name)).evalkit  # type: ignore[attr-defined]
    is_judged = [isinstance(metric, Judged) for metric in metrics]
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
    assert [metric.name for metric in evalkit if isinstance(metric, Restricted) and metric.applies(sample)] == metrics


@pytest.mark.parametrize(
    ("dataset", "shown"),
    [("commoneval", "spoken?"), ("mmsu", "spoken?"), ("MELD", "written?"), ("ClothoAQA", "written?")],
)
def test_the_evalkits_judge_sees_the_question_of_its_kind_of_interaction(dataset: str, shown: str) -> None:
    sample = Sample(id="1", inputs={"question": "written?"}, target="A", meta={"audio_content": "spoken?"})
    (metric,) = select_metrics(find_dataset(dataset)).evalkit
    assert isinstance(metric, Judged)
    (request,) = metric.judge_requests(sample, Generation(text="x"))
    prompt = str(request.turns[0].parts[0])
    assert [text for text in ("spoken?", "written?") if text in prompt] == [shown]


@pytest.mark.parametrize(("meta", "shown"), [({"audio_content": "spoken?"}, "spoken?"), ({}, "written?")])
def test_the_judge_of_a_category_sees_the_question_that_exists(meta: dict[str, str], shown: str) -> None:
    sample = Sample(id="1", inputs={"question": "written?"}, target="A", meta={**meta})
    (metric,) = select_metrics(find_dataset("AudioMQADataset")).evalkit
    assert isinstance(metric, Judged)
    (request,) = metric.judge_requests(sample, Generation(text="x"))
    assert shown in str(request.turns[0].parts[0])


@pytest.mark.parametrize(("subset", "applies"), [("trivia_qa", True), ("alpaca_eval", False), ("reasoning_qa", False)])
def test_default_metrics_leave_rated_subsets_to_others(subset: str, applies: bool) -> None:
    sets = select_metrics(find_dataset("OpenAudioBench"))
    restricted = sets.restrict(METRICS.get("contains"))
    assert isinstance(restricted, Restricted)
    assert restricted.applies(Sample(id="1", inputs={}, meta={"subset": subset})) == applies
    assert select_metrics(find_dataset("sd-qa")).restrict(METRICS.get("contains")) is METRICS.get("contains")


@pytest.mark.parametrize("votes", [0, 3])
def test_votes_are_those_of_the_rubric_unless_requested(votes: int) -> None:
    (metric,) = select_metrics(find_dataset("commoneval"), votes).evalkit
    assert isinstance(metric, Judged)
    sample = Sample(id="1", inputs={"question": ""}, meta={"audio_content": "?"})
    assert len(metric.judge_requests(sample, Generation(text="x"))) == (votes or 1)
