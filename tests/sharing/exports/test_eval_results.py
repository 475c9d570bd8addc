import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from auricle.core.errors import MissingExtra, SpecError
from auricle.sharing.exports.base import FinishedRun, PublishOptions
from auricle.sharing.exports.eval_results import publish
from tests.support.extras import require_extra

require_extra("huggingface")

OPTIONS = PublishOptions(task_ids=("test",))


def test_the_hub_reads_the_entry(hub_run: FinishedRun, tmp_path: Path) -> None:
    from huggingface_hub import parse_eval_result_entries

    (path,) = publish([hub_run], replace(OPTIONS, source_url="https://example.org/run"), tmp_path).files
    assert path == tmp_path / ".eval_results" / "org-data--test.yaml"
    (entry,) = parse_eval_result_entries(yaml.safe_load(path.read_text(encoding="utf-8")))
    assert (entry.dataset_id, entry.task_id, entry.dataset_revision) == ("org/data", "test", "a" * 40)
    assert entry.value == pytest.approx(100 * (hub_run.metrics["wer"].value or 0), abs=1e-6)
    assert entry.date == hub_run.spec.created
    assert isinstance(entry.date, str)
    assert entry.source_url == "https://example.org/run"
    assert str(hub_run.metrics["wer"].signature) in (entry.notes or "")


def test_another_metric_can_be_chosen(hub_run: FinishedRun, tmp_path: Path) -> None:
    (path,) = publish([hub_run], replace(OPTIONS, metrics=("cer",)), tmp_path).files
    assert yaml.safe_load(path.read_text(encoding="utf-8"))[0]["notes"].startswith("CER ")


def test_runs_have_a_file_each(hub_run: FinishedRun, tmp_path: Path) -> None:
    published = publish([hub_run, hub_run], replace(OPTIONS, task_ids=("clean", "other")), tmp_path)
    assert [path.name for path in published.files] == ["org-data--clean.yaml", "org-data--other.yaml"]
    assert "hf upload org/model" in published.next_step


def test_two_runs_of_one_task_are_refused(hub_run: FinishedRun, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Two runs are the task test of org/data"):
        publish([hub_run, hub_run], OPTIONS, tmp_path)
    assert not list(tmp_path.glob(".eval_results/*"))


def test_the_task_id_is_required(hub_run: FinishedRun, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Add --task-id ID"):
        publish([hub_run], PublishOptions(), tmp_path)


def test_a_missing_package_is_named(hub_run: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"auricle\[huggingface\]"):
        publish([hub_run], OPTIONS, tmp_path)
