"""`auricle data`: the list of benchmarks, and reports on a corpus."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from auricle import Spec
from auricle.api import build_task
from auricle.benchmarks.commands import (
    CorpusReport,
    check_samples,
    evenly_spaced_indices,
    format_languages,
    load_benchmarks,
)
from auricle.cli import cli
from auricle.core.errors import SpecError
from tests.support.cli_types import WriteManifest, WriteTone


def test_details_of_a_benchmark_are_printed() -> None:
    output = CliRunner().invoke(cli, ["data", "list", "librispeech"]).output
    assert output.startswith("name ")
    assert "licence" in output
    assert "Panayotov et al., ICASSP 2015" in output


def test_list_as_json_has_all_benchmarks() -> None:
    documents = json.loads(CliRunner().invoke(cli, ["data", "list", "--json"]).output)
    assert [document["name"] for document in documents] == list(load_benchmarks())


def test_unknown_benchmark_is_reported_with_similar_names() -> None:
    result = CliRunner().invoke(cli, ["data", "list", "librispech"])
    assert isinstance(result.exception, SpecError)
    assert "Unknown benchmark 'librispech'. Did you mean librispeech" in str(result.exception)


def test_languages_are_counted_if_there_are_many() -> None:
    texts = {name: format_languages(benchmark) for name, benchmark in load_benchmarks().items()}
    assert texts["librispeech"] == "en"
    assert any(text.endswith(" languages") for text in texts.values())


@pytest.mark.parametrize(
    ("total", "limit", "indices"), [(5, None, {0, 1, 2, 3, 4}), (5, 9, {0, 1, 2, 3, 4}), (9, 3, {0, 4, 8}), (9, 1, {0})]
)
def test_indices_are_evenly_spaced(total: int, limit: int | None, indices: set[int]) -> None:
    assert evenly_spaced_indices(total, limit) == indices


def test_missing_undecodable_and_repeated_rows_are_reported(
    manifest: WriteManifest, tone: WriteTone, tmp_path: Path
) -> None:
    tone("good.wav", seconds=0.5)
    (tmp_path / "broken.wav").write_bytes(b"not audio")
    names = {"1": "good", "2": "broken", "3": "gone"}
    rows = [{"id": key, "audio": f"{name}.wav", "text": "x"} for key, name in names.items()]
    data = manifest([*rows, rows[0]])
    report = check_samples(build_task(Spec(task="asr", task_args={"data": str(data)}, model="echo")))
    assert sorted((kind, name) for kind, name, _ in report.problems) == [
        ("broken", "2"),
        ("doubled", "1"),
        ("missing", "3"),
    ]
    assert (report.rows, report.decoded_count, report.seconds) == (4, 2, 1.0)


def test_duplicates_are_listed_and_are_no_problem(manifest: WriteManifest, tone: WriteTone) -> None:
    tone("a.wav")
    tone("b.wav")
    data = manifest([{"id": name, "audio": f"{name}.wav", "text": "x"} for name in "ab"])
    result = CliRunner().invoke(cli, ["data", "check", "asr", "-T", f"data={data}"])
    assert result.exit_code == 0
    assert result.output.splitlines()[-3:] == [
        "duplicate  a and b",
        "Duplicates: 1. The same recording has several ids.",
        "No problems.",
    ]
    document = json.loads(CliRunner().invoke(cli, ["data", "check", "asr", "-T", f"data={data}", "--json"]).output)
    assert document["duplicates"] == [{"id": "b", "first_id": "a", "split": ""}]


def test_duplicates_in_another_split_are_listed(tone: WriteTone, tmp_path: Path) -> None:
    """ESD has a folder for each split."""
    for split, number in (("test", 51), ("train", 52)):
        folder = tmp_path / "ESD" / "0011" / "Sad" / split
        folder.mkdir(parents=True)
        tone(f"ESD/0011/Sad/{split}/0011_0000{number}.wav")
    result = CliRunner().invoke(cli, ["data", "check", "esd", "--root", str(tmp_path / "ESD")])
    assert "duplicate  0011_000051 and 0011_000052 of the split train" in result.output


def test_recordings_that_are_in_the_folder_twice_are_noted(tone: WriteTone, tmp_path: Path) -> None:
    """A common copy of RAVDESS contains every actor's folder twice."""
    for folder in ("Actor_01", "audio_speech_actors_01-24/Actor_01"):
        (tmp_path / folder).mkdir(parents=True)
        tone(f"{folder}/03-01-05-01-01-01-01.wav")
    command = ["data", "check", "ravdess", "--root", str(tmp_path)]
    assert "note  1 recording is in the folder more than once" in CliRunner().invoke(cli, command).output
    document = json.loads(CliRunner().invoke(cli, [*command, "--json"]).output)
    assert [note[:40] for note in document["notes"]] == ["1 recording is in the folder more than o"]


def test_report_shows_a_limited_number_of_problems() -> None:
    report = CorpusReport("corpus", 30, problems=[("missing", str(index), "a.wav") for index in range(25)])
    lines = list(report.format_lines())
    assert sum(line.startswith("missing  ") for line in lines) == 21
    assert lines[-2:] == ["missing  and 5 more", "Problems: missing 25."]


def test_report_without_problems() -> None:
    assert list(CorpusReport("corpus", None).format_lines())[-1] == "No problems."


def test_clips_are_joined_to_data_for_timestamps(manifest: WriteManifest, tone: WriteTone, tmp_path: Path) -> None:
    for name in ("one", "two"):
        tone(f"{name}.wav", seconds=0.3)
    clips = manifest([{"audio": f"{name}.wav", "text": name} for name in ("one", "two")])
    out = tmp_path / "joined.jsonl"
    result = CliRunner().invoke(cli, ["data", "join", str(clips), "-o", str(out), "-n", "3", "--clips", "2"])
    assert result.output.startswith("Joined 2 clips into 3 recordings")
    assert f"auricle run {out} --as timestamps -m MODEL" in result.output
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [len(row["words"]) for row in rows] == [2, 2, 2]
    report = check_samples(build_task(Spec(task="timestamps", task_args={"data": str(out)}, model="echo")))
    assert (report.decoded_count, report.problems) == (3, [])


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["-o", "joined.csv"], "must end in .jsonl"),
        (["-o", "joined.jsonl", "--pauses", "soon"], "Invalid pauses 'soon'"),
    ],
)
def test_invalid_options_of_join_are_reported(
    manifest: WriteManifest, tone: WriteTone, arguments: list[str], problem: str
) -> None:
    tone("a.wav")
    clips = manifest([{"audio": "a.wav", "text": "a"}])
    result = CliRunner().invoke(cli, ["data", "join", str(clips), *arguments])
    assert isinstance(result.exception, SpecError)
    assert problem in str(result.exception)
