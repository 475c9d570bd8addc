from pathlib import Path

import pytest

from auricle import api
from auricle.core.errors import SpecError
from auricle.core.types import Generation, Output
from auricle.interop.result_export import export_run
from auricle.runs.run_directory import Run
from tests.support.framework_results import export_and_import


def outputs(path: Path) -> list[tuple[Output, ...]]:
    records = sorted(Run.load(path).records(), key=lambda record: record.row)
    return [tuple(record.outputs) for record in records if not record.error]


def texts(path: Path) -> list[str]:
    return [output.text for output, *_ in outputs(path) if isinstance(output, Generation)]


def numbers(path: Path) -> dict[str, tuple[float, ...]]:
    return {
        row["metric"]: (row["value"], row["low"], row["high"], row["scored"])
        for row in api.summary(path)
        if not row["field"]
    }


@pytest.mark.parametrize("format_name", ["kimi", "lmms-eval", "ultraeval", "open-asr"])
def test_an_exported_run_is_imported_with_equal_answers_and_scores(
    format_name: str, asr_run: Path, tmp_path: Path
) -> None:
    imported = export_and_import(asr_run, format_name, tmp_path, kind="asr", options={"language": "en"})
    assert texts(imported.path) == texts(asr_run)
    assert numbers(imported.path) == numbers(asr_run)


@pytest.mark.parametrize("format_name", ["kimi", "lmms-eval", "ultraeval"])
def test_an_exported_failure_is_imported_as_a_failure(format_name: str, asr_run: Path, tmp_path: Path) -> None:
    imported = export_and_import(asr_run, format_name, tmp_path, kind="asr")
    assert api.load_metrics(imported.path)["outcomes"]["failed"] == 1


def test_exported_rewards_are_imported_unchanged(reward_run: Path, tmp_path: Path) -> None:
    imported = export_and_import(reward_run, "cmi", tmp_path, model="CMI-RM")
    assert outputs(imported.path) == outputs(reward_run)
    assert numbers(imported.path) == numbers(reward_run)


def test_an_unknown_format_is_rejected_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"Unknown export format 'kimy'. Choose one of: cmi, kimi"):
        export_run(tmp_path, "kimy")
