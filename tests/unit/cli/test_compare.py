"""`auricle compare A B` as a stranger meets it, and the page it writes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def spoken(manifest: Any, tone: Any) -> Any:
    rows = []
    for at in range(12):
        words = f"sentence_number_{at}_is_here"
        row = {"id": f"s{at}", "audio": str(tone(f"{words}.wav"))}
        row |= {"text": words.replace("_", " "), "subset": "odd" if at % 2 else "even"}
        rows.append(row)
    return manifest(rows, "spoken.jsonl")


@pytest.fixture
def runs(auricle: Any, spoken: Any) -> Any:
    for name, wrong in (("A", 0.05), ("B", 0.4)):
        words = ("run", spoken, "--as", "asr", "-m", "echo", "-M", f"wrong={wrong}", "-o", name)
        done = auricle(*words)
        assert done.returncode == 0, done.stderr
    return "A", "B"


def test_a_comparison_is_told_in_a_table_and_in_words(auricle: Any, runs: Any) -> None:
    done = auricle("compare", *runs)
    assert done.returncode == 0, done.stderr
    assert "12 pairs answered in both" in done.stdout
    assert re.search(r"wer ↓ +all .* pp … \+\d+\.\d+ pp", done.stdout)
    assert re.search(r"wer: B is worse by \d+\.\d+ pp \(\d+\.\d+ … \d+\.\d+\)\.", done.stdout)
    assert "Worse in B by wer" in done.stdout


def test_no_difference_comes_with_what_would_have_been_seen(auricle: Any, runs: Any, spoken: Any) -> None:
    auricle("run", spoken, "--as", "asr", "-m", "echo", "-M", "wrong=0.06", "-o", "C")
    done = auricle("compare", "A", "C", "--metric", "wer")
    assert re.search(r"wer: (no difference can be told|all pairs score the same)", done.stdout)


def test_a_field_a_metric_and_the_number_of_samples_can_be_chosen(auricle: Any, runs: Any) -> None:
    done = auricle("compare", *runs, "--by", "subset", "--metric", "wer", "--flips", "1")
    assert "subset=even" in done.stdout
    assert "cer" not in done.stdout
    assert done.stdout.count("    target") <= 2


def test_json_is_all_that_machines_get(auricle: Any, runs: Any) -> None:
    document = json.loads(auricle("compare", *runs, "--json").stdout)
    assert document["pairs"]["count"] == 12
    assert document["rows"][0]["metric"] == "wer"
    assert document["flips"]["wer"][0].keys() >= {"id", "answer_a", "answer_b", "stat_a", "stat_b"}


def test_the_page_is_one_file_with_players_and_both_answers(auricle: Any, runs: Any, tmp_path: Path) -> None:
    done = auricle("compare", *runs, "--html", "out/page.html")
    assert f"Page: {tmp_path / 'out' / 'page.html'}" in done.stdout
    page = (tmp_path / "out" / "page.html").read_text()
    assert page.count("<audio") == page.count("data-rank=")
    assert "Samples that changed" in page
    assert not re.search(r'(src|href)="(?!data:|#)', page)


def test_a_page_of_classes_draws_the_difference_of_the_matrices(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    labels = ["happy", "sad"]
    rows = [{"id": str(at), "question": f"c{at}", "label": labels[at % 2], "choices": labels}
            for at in range(20)]  # fmt: skip
    data = manifest(rows)
    for name, own in (("A", "happy,sad"), ("B", "happiness,sadness,other")):
        auricle("run", data, "--as", "classify", "-m", "fake-labels", "-M", f"labels={own}", "-o", name)
    assert auricle("compare", "A", "B", "--html", "page.html").returncode == 0
    page = (tmp_path / "page.html").read_text()
    assert "Difference of two confusion matrices" in page
    assert "Not in A’s label set, and counted as never said there: other" in page


def test_what_cannot_be_compared_is_explained_and_no_error(auricle: Any, runs: Any) -> None:
    auricle("score", "B", "--profile", "whisper-en")
    done = auricle("compare", *runs)
    assert done.returncode == 0
    assert "wer: not compared: scored in two ways" in done.stdout
    assert "auricle score B --profile basic" in done.stdout


def test_a_metric_that_is_not_there_is_the_users_move(auricle: Any, runs: Any) -> None:
    done = auricle("compare", *runs, "--metric", "blue")
    assert done.returncode == 2
    assert "Neither run has the metric 'blue'" in done.stderr
