"""Runs that come from anybody: nothing in them is obeyed, and what is broken is told."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.app import run_data, samples_table, workspace
from auricle.core.errors import DataError
from tests.support import app_runs as ui_runs


@pytest.mark.parametrize("run", ["liar-asr", "liar-labels"])
def test_markup_of_a_run_is_shown_and_not_obeyed(untrusted: Any, drawn: Any, words: Any, run: str) -> None:
    app = drawn("results", untrusted, run=run)
    assert not app.exception
    told = words(app)
    for tag in ("<script", "<img"):
        assert tag not in told
    assert "&lt;script" in told or "\\<script" in told


@pytest.mark.parametrize("page", ["samples", "compare", "leaderboard"])
def test_pages_show_markup_of_a_run_to_the_letter(untrusted: Any, drawn: Any, words: Any, page: str) -> None:
    app = drawn(page, untrusted, run="liar-asr", a="liar-asr", b="liar-labels")
    assert not app.exception
    assert "<script" not in words(app).replace("\\<script", "")
    assert "![" not in words(app, markdown=True)
    assert "](javascript" not in words(app, markdown=True)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("torn", "torn or no JSON"),
        ("rubbish", "torn or no JSON"),
        ("linked", "has not been scored"),
        ("odd-shape", "not as auricle writes them"),
        ("perf-torn", "torn or no JSON"),
    ],
)
def test_a_broken_run_is_told_in_a_line(untrusted: Any, drawn: Any, run: str, said: str) -> None:
    app = drawn("results", untrusted, run=run)
    assert not app.exception
    assert said in app.error[0].value.replace("\\", "")


def test_samples_of_rubbish_are_none_and_counted(untrusted: Any, drawn: Any) -> None:
    app = drawn("samples", untrusted, run="rubbish")
    assert not app.exception
    assert "damaged" in app.warning[0].value


def test_sounds_outside_the_folders_are_not_played(untrusted: Any, drawn: Any, words: Any) -> None:
    app = drawn("samples", untrusted, run="astray")
    assert not app.exception
    assert not app.get("audio")
    assert "outside the folders" in words(app)


def test_code_a_run_names_is_not_run(untrusted: Any, drawn: Any, words: Any) -> None:
    app = drawn("compare", untrusted, a="coded", b="liar-asr")
    assert not app.exception
    assert "runs no code" in app.error[0].value
    assert not (untrusted.parent / "owned").exists()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"metrics": "wer,my.package:metric"}, "my.package:metric"),
        ({"metrics": "/tmp/here.py:metric"}, "/tmp/here.py:metric"),
        ({"inferencer": {"use": "os:system"}}, "os:system"),
        ({"shots": {"encoder": "pickle:loads"}}, "pickle:loads"),
        ({"metrics": "wer"}, ""),
        ({"inferencer": {"prompt": "Question: {question}"}}, ""),
    ],
)
def test_code_named_in_arguments_is_seen(tmp_path: Path, arguments: Any, named: str) -> None:
    spec = {"spec": {"task": "asr", "task_args": arguments}}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    assert run_data.find_foreign_code(tmp_path) == named


def test_the_latest_line_of_a_sample_counts(kinds: Any, tmp_path: Path) -> None:
    lines = (kinds / "asr-small" / "outputs.jsonl").read_bytes().splitlines(keepends=True)
    newer = json.loads(lines[0])
    newer["outputs"][0]["text"] = "said later"
    added = json.dumps(newer, separators=(",", ":")).encode() + b"\n"
    (tmp_path / "outputs.jsonl").write_bytes(b"".join(lines) + added + b'{"id":"torn"')
    held = samples_table.read_samples(tmp_path)
    assert len(held.frame) == 16
    answer = held.frame.loc[held.frame["id"] == newer["id"], "answer"]
    assert list(answer) == ["said later"]


def test_a_sample_is_read_whole_from_where_its_line_begins(kinds: Any) -> None:
    run = kinds / "asr-small"
    row = samples_table.read_samples(run).frame.iloc[3]
    assert run_data.load_record(run, int(row["offset"])).sample.id == row["id"]


def test_a_journal_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nothing was answered"):
        samples_table.read_samples(tmp_path)


def test_links_out_of_a_run_are_not_its_own(untrusted: Any) -> None:
    assert not samples_table.is_file_inside_run(untrusted / "linked" / "metrics.json")
    assert workspace.Workspace(untrusted).resolve_audio(untrusted / "astray" / "link.wav") is None


def test_markup_reaches_the_page_only_escaped() -> None:
    from auricle.report.markup import tag

    assert "<script" not in tag("p", ui_runs.SCRIPT)
