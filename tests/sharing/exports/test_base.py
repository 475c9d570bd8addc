from dataclasses import replace
from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.sharing.exports.base import (
    FinishedRun,
    PublishOptions,
    describe_number,
    hub_value,
    publish_runs,
    resolve_dataset_ids,
    resolve_model_id,
    spread,
)


def test_an_unknown_format_is_rejected_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"Unknown publisher 'model-cart'\. Did you mean model-card\?"):
        publish_runs([], "model-cart", PublishOptions(), tmp_path)


def test_an_unfinished_run_is_refused(asr_run: Path) -> None:
    (asr_run / "progress.json").unlink()
    (asr_run / "metrics.json").unlink()
    with pytest.raises(SpecError, match=r"is not finished\. Run the same command again"):
        FinishedRun.load(asr_run)


def test_a_suite_is_refused(tmp_path: Path) -> None:
    (tmp_path / "suite.json").write_text("{}")
    with pytest.raises(SpecError, match=r"is a suite\. Publish the runs of its parts"):
        FinishedRun.load(tmp_path)


def test_the_kind_of_task_is_that_of_the_run(finished_run: FinishedRun) -> None:
    assert finished_run.kind == "asr"


def test_a_local_run_states_no_repositories(finished_run: FinishedRun) -> None:
    assert (finished_run.model_id, finished_run.dataset_id, finished_run.dataset_revision) == ("", "", "")


def test_repositories_are_read_from_the_run(hub_run: FinishedRun) -> None:
    assert (hub_run.model_id, hub_run.dataset_id, hub_run.dataset_revision) == ("org/model", "org/data", "a" * 40)


@pytest.mark.parametrize("source", ["https://huggingface.co/datasets/a/b", "huggingface.co/datasets/a/b", "hf:a/b"])
def test_the_dataset_is_read_from_an_address(finished_run: FinishedRun, source: str) -> None:
    task = replace(finished_run.metrics.task, source=source)
    assert replace(finished_run, metrics=replace(finished_run.metrics, task=task)).dataset_id == "a/b"


def test_a_folder_is_not_a_repository_of_a_model(
    hub_run: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "org" / "model").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert hub_run.model_id == ""


def test_options_precede_what_the_run_states(hub_run: FinishedRun) -> None:
    options = PublishOptions(model_id="my/model", dataset_ids=("my/data",))
    assert resolve_model_id([hub_run], options) == "my/model"
    assert resolve_dataset_ids([hub_run, hub_run], options) == ["my/data", "my/data"]


def test_unknown_repositories_are_errors(finished_run: FinishedRun) -> None:
    with pytest.raises(SpecError, match=r"which model of the Hub it is\. Add --model-id"):
        resolve_model_id([finished_run], PublishOptions())
    with pytest.raises(SpecError, match=r"which dataset of the Hub it is\. Add --dataset-id"):
        resolve_dataset_ids([finished_run], PublishOptions())


def test_runs_of_different_models_are_refused(hub_run: FinishedRun, finished_run: FinishedRun) -> None:
    with pytest.raises(SpecError, match="The runs evaluate different models"):
        resolve_model_id([hub_run, finished_run], PublishOptions(model_id="a/b"))


def test_an_option_has_one_value_for_all_runs_or_one_per_run() -> None:
    assert spread((), 2, "--x") == ["", ""]
    assert spread(("a",), 2, "--x") == ["a", "a"]
    assert spread(("a", "b"), 2, "--x") == ["a", "b"]
    with pytest.raises(SpecError, match="--x has 2 values for 3 runs"):
        spread(("a", "b"), 3, "--x")


def test_metrics_are_selected_by_name(finished_run: FinishedRun) -> None:
    assert [number.metric for number in finished_run.select_numbers(["cer"])] == ["cer"]
    assert finished_run.select_numbers([])[0].metric == "wer"
    with pytest.raises(SpecError, match=r"has no value of 'bleu'\. Metrics with a value: wer"):
        finished_run.select_numbers(["bleu"])


def test_undefined_numbers_are_not_published(finished_run: FinishedRun) -> None:
    numbers = tuple(replace(number, value=None) for number in finished_run.metrics.numbers)
    with pytest.raises(SpecError, match="has no metric with a value"):
        replace(finished_run, metrics=replace(finished_run.metrics, numbers=numbers)).select_numbers([])


def test_shares_are_published_in_percent(finished_run: FinishedRun) -> None:
    number = finished_run.metrics["wer"]
    assert hub_value(replace(number, value=0.07)) == 7.0
    assert hub_value(replace(number, value=3.5, unit="points")) == 3.5


def test_notes_have_the_interval_the_samples_and_the_signature(finished_run: FinishedRun) -> None:
    number = replace(finished_run.metrics["wer"], low=0.1, high=0.25, interval="bootstrap", cluster="speaker", units=9)
    text = describe_number(number)
    assert "95 % interval 10.00 % to 25.00 % (bootstrap over 9 values of speaker)" in text
    assert "3 of 4 samples scored, 1 failed, lower is better" in text
    assert text.endswith(f"Signature: {number.signature}")
    assert "interval" not in describe_number(replace(number, low=None))
