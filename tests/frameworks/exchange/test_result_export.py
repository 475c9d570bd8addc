from pathlib import Path

import pytest

from auricle import api
from auricle.core.errors import SpecError
from auricle.core.types import Generation, Output, Record, Sample
from auricle.frameworks.exchange.result_export import TextRun, export_run, number_records, to_file_name
from auricle.runs.run_directory import Run
from tests.support.framework_results import export_and_import


def outputs(path: Path) -> list[tuple[Output, ...]]:
    records = sorted(Run.load(path).records(), key=lambda record: record.row)
    return [tuple(record.outputs) for record in records if not record.error]


def texts(path: Path) -> list[str]:
    return [output.text for output, *_ in outputs(path) if isinstance(output, Generation)]


def numbers(path: Path) -> dict[str, tuple[float | None, ...]]:
    return {
        number.metric: (number.value, number.low, number.high, number.scored)
        for number in api.load_metrics(path).overall
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
    assert api.load_metrics(imported.path).outcomes.failed == 1


def test_exported_rewards_are_imported_unchanged(reward_run: Path, tmp_path: Path) -> None:
    imported = export_and_import(reward_run, "cmi", tmp_path, model="CMI-RM")
    assert outputs(imported.path) == outputs(reward_run)
    assert numbers(imported.path) == numbers(reward_run)


def test_an_unknown_format_is_rejected_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"Unknown exporter 'kimy'\. Did you mean kimi\?"):
        export_run(tmp_path, "kimy")


def test_a_run_of_numbers_cannot_be_exported_as_texts(reward_run: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"outputs \(Prediction\). The format kimi stores one text per sample"):
        export_run(reward_run, "kimi", tmp_path / "out")


def test_records_are_in_the_order_of_the_data(asr_run: Path) -> None:
    text_run = TextRun.load(asr_run, "kimi")
    assert [record.sample.id for record in text_run.records] == ["s0", "s1", "s2", "s3"]
    assert len(text_run.answered_records()) == 3


@pytest.mark.parametrize(
    ("ids", "numbers"), [(["7", "3"], [7, 3]), (["07", "3"], [0, 1]), (["a", "b", "c"], [0, 1, 2])]
)
def test_integer_ids_are_used_as_numbers(ids: list[str], numbers: list[int]) -> None:
    records = [Record(sample=Sample(id=name, inputs={}), row=0) for name in ids]
    assert number_records(records) == list(zip(numbers, records, strict=True))


def test_file_names_contain_no_separators() -> None:
    assert to_file_name("org/model: v2?") == "org-model-v2"
