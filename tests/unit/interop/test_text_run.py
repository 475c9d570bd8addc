from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.core.types import Record, Sample
from auricle.interop.result_export import export_run
from auricle.interop.text_run import TextRun, number_records, to_file_name


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
    assert number_records(records) == numbers


def test_file_names_contain_no_separators() -> None:
    assert to_file_name("org/model: v2?") == "org-model-v2"
