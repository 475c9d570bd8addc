"""Files of segments as results: scored without a model, and exported from a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import DataError, SpecError
from auricle.core.types import Segment
from auricle.frameworks.exchange.result_export import export_run
from auricle.frameworks.exchange.result_import import ImportOptions, import_results
from auricle.runs.run_directory import Run
from auricle.tasks.meetings.formats import list_files, merge_files
from auricle.tasks.meetings.segment_files import PARSERS, SegmentFile, read_segments, read_uem
from tests.support.extras import require_extra

REFERENCE = """\
SPEAKER a 1 0 10 <NA> <NA> A <NA> <NA>
SPEAKER a 1 8 12 <NA> <NA> B <NA> <NA>
SPEAKER a 1 5 0 <NA> <NA> B <NA> <NA>
SPEAKER b 1 0 2 <NA> <NA> A <NA> <NA>
"""
HYPOTHESIS = """\
SPEAKER a 1 0 9 <NA> <NA> x <NA> <NA>
SPEAKER a 1 9 12 <NA> <NA> y <NA> <NA>
SPEAKER c 1 0 1 <NA> <NA> y <NA> <NA>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ref.rttm").write_text(REFERENCE)
    (tmp_path / "hyp.rttm").write_text(HYPOTHESIS)
    return tmp_path


def import_one(folder: Path, path: str = "hyp.rttm", **options: Any) -> Path:
    import_options = ImportOptions(reference=folder / "ref.rttm", options=options)
    ((run, _),) = import_results(folder / path, "rttm", folder / "run", import_options)
    return run


def read_numbers(run: Path) -> dict[str, float]:
    metrics = json.loads((run / "metrics.json").read_text())
    return {number["metric"]: number["value"] for number in metrics["numbers"] if not number["field"]}


def test_turns_are_scored_against_a_reference(folder: Path) -> None:
    run = import_one(folder)
    numbers = read_numbers(run)
    assert numbers["der"] == pytest.approx((3 + 2) / 24)  # all of b is missed
    assert "cpwer" not in numbers
    assert [record.sample.id for record in Run.load(run).records()] == ["a", "b"]
    assert Run.load(run).read_progress().notes == (
        "1 turns without duration are left out.",
        "Scored as recordings without turns, because the answers have none: b.",
        "Not scored, because the reference does not have them: c.",
    )


def test_options_of_the_task_apply(folder: Path) -> None:
    (folder / "all.uem").write_text("a 1 0 5\nb 1 0 1\n")
    numbers = read_numbers(import_one(folder, uem=str(folder / "all.uem")))
    assert numbers["der"] == pytest.approx(1 / 6)


def test_the_files_of_a_folder_are_one_hypothesis(folder: Path) -> None:
    (folder / "system").mkdir()
    for name, line in zip("12", HYPOTHESIS.splitlines(), strict=False):
        (folder / "system" / f"{name}.rttm").write_text(line)
    run = import_one(folder, "system")
    assert read_numbers(run)["der"] == pytest.approx(5 / 24)
    assert Run.load(run).spec.imported is not None


def test_words_are_scored_against_another_format(folder: Path) -> None:
    require_extra("meetings")
    (folder / "ref.stm").write_text("a 1 A 0 2 good morning\n")
    (folder / "hyp.json").write_text(
        json.dumps([{"session_id": "a", "speaker": "x", "start_time": 0, "end_time": 2, "words": "good evening"}])
    )
    options = ImportOptions(reference=folder / "ref.stm", model="mine")
    ((run, summary),) = import_results(folder / "hyp.json", "seglst", folder / "run", options)
    assert read_numbers(run)["cpwer"] == 0.5
    assert "1 sample of ref by mine" in summary


def test_a_reference_is_required_and_not_accepted_by_others(folder: Path) -> None:
    with pytest.raises(SpecError, match=r"RTTM files have no reference\. Add --reference FILE\."):
        list(import_results(folder / "hyp.rttm", "rttm", folder / "run", ImportOptions()))
    with pytest.raises(SpecError, match="leave out --reference"):
        list(import_results(folder, "open-asr", None, ImportOptions(reference=folder)))


def test_files_without_a_common_recording_are_refused(folder: Path) -> None:
    (folder / "hyp.rttm").write_text("SPEAKER z 1 0 9 <NA> <NA> x <NA> <NA>\n")
    with pytest.raises(DataError, match="no recording in common: z in the first, a, b in the second"):
        import_one(folder)


def test_missing_files_are_named(folder: Path) -> None:
    with pytest.raises(DataError, match="There is no file or folder"):
        list_files(folder / "none")
    (folder / "empty").mkdir()
    with pytest.raises(DataError, match=r"contains no files that end in \.rttm"):
        list_files(folder / "empty", "rttm")


def test_a_folder_with_its_reference_is_not_imported(folder: Path) -> None:
    with pytest.raises(DataError, match=r"contains the reference ref\.rttm\. Import the file of the answers"):
        import_one(folder, "")
    export_run(import_one(folder), "rttm", folder / "exported")
    with pytest.raises(DataError, match=r"contains the reference reference\.rttm"):
        import_one(folder, "exported")


def test_recordings_in_several_files_are_noted(folder: Path) -> None:
    systems = folder / "systems"
    systems.mkdir()
    for name in ("one", "two"):
        (systems / f"{name}.rttm").write_text(HYPOTHESIS)
    notes = Run.load(import_one(folder, "systems")).read_progress().notes
    assert "Put together from several files: a, c." in notes


def test_turns_of_a_recording_in_two_files_are_put_together() -> None:
    first, second = (SegmentFile({"m": (Segment(start, start + 1.0),)}) for start in (0.0, 1.0))
    assert merge_files([first, second]).recordings == {"m": (Segment(0.0, 1.0), Segment(1.0, 2.0))}


def test_a_run_is_exported_with_its_reference_and_the_scored_regions(folder: Path) -> None:
    run = import_one(folder)
    hypothesis, reference, uem = export_run(run, "rttm")
    assert read_segments(hypothesis).recordings["a"] == PARSERS["rttm"](HYPOTHESIS).recordings["a"]
    assert read_segments(reference).recordings == PARSERS["rttm"](REFERENCE).recordings
    assert read_uem(uem) == {"a": ((0.0, 21.0),), "b": ((0.0, 2.0),)}


def test_the_regions_of_md_eval_are_those_of_the_reference(folder: Path) -> None:
    run = import_one(folder, convention="md-eval")
    *_, uem = export_run(run, "stm")
    assert read_uem(uem)["a"] == ((0.0, 20.0),)


def test_a_run_without_segments_cannot_be_exported(folder: Path, auricle: Any, manifest: Any) -> None:
    path = manifest([{"id": "1", "question": "x", "answer": "x"}])
    assert auricle("run", path, "--as", "qa", "-m", "echo", "-o", "qa").returncode == 0
    process = auricle("export", "qa", "--as", "ctm")
    assert process.returncode == 2
    assert "has no answers with segments, which CTM needs" in process.stderr
