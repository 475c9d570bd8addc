import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from auricle.core.errors import MissingExtra, SpecError
from auricle.sharing.exports.base import FinishedRun, PublishOptions
from auricle.sharing.exports.model_card import publish
from tests.support.extras import require_extra

require_extra("huggingface")


def test_the_hub_reads_all_metrics(hub_run: FinishedRun, tmp_path: Path) -> None:
    from huggingface_hub.repocard_data import model_index_to_eval_results

    published = publish([hub_run], PublishOptions(source_url="https://example.org/run"), tmp_path)
    (path,) = published.files
    name, results = model_index_to_eval_results(yaml.safe_load(path.read_text(encoding="utf-8"))["model-index"])
    assert name == "model"
    assert [result.metric_type for result in results] == [number.metric for number in hub_run.metrics.overall]
    wer = results[0]
    assert (wer.task_type, wer.dataset_type) == ("automatic-speech-recognition", "org/data")
    assert wer.metric_value == pytest.approx(100 * (hub_run.metrics["wer"].value or 0), abs=1e-6)
    assert str(hub_run.metrics["wer"].signature) in str(wer.metric_args)
    assert wer.source_url == "https://example.org/run"
    assert 'hub.metadata_update("org/model", yaml.safe_load(open("' in published.next_step


def test_metrics_can_be_chosen(hub_run: FinishedRun, tmp_path: Path) -> None:
    (path,) = publish([hub_run], PublishOptions(metrics=("cer",)), tmp_path).files
    (result,) = yaml.safe_load(path.read_text(encoding="utf-8"))["model-index"][0]["results"]
    assert [metric["type"] for metric in result["metrics"]] == ["cer"]


def test_a_kind_without_type_on_the_hub_needs_one(hub_run: FinishedRun, tmp_path: Path) -> None:
    run = replace(hub_run)
    run.__dict__["kind"] = "perplexity"
    with pytest.raises(SpecError, match=r"type of task on the Hub for perplexity\. Add --task-type TYPE"):
        publish([run], PublishOptions(), tmp_path)
    (path,) = publish([run], PublishOptions(task_type="text-generation"), tmp_path).files
    assert "type: text-generation" in path.read_text(encoding="utf-8")


def test_a_missing_package_is_named(hub_run: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"auricle\[huggingface\]"):
        publish([hub_run], PublishOptions(), tmp_path)
