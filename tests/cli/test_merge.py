"""`auricle merge`, and sharded runs from the command line to it."""

import json
from pathlib import Path

import pytest

from tests.support.cli_types import RunAuricle


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "data.jsonl"
    rows = ({"id": str(row), "question": str(row), "answer": str(row % 3)} for row in range(12))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def read_numbers(folder: Path) -> object:
    return json.loads((folder / "metrics.json").read_text())["numbers"]


def test_parts_of_a_run_are_merged_to_the_numbers_of_the_whole(auricle: RunAuricle, data: str, tmp_path: Path) -> None:
    words = ("run", data, "--as", "qa", "-m", "echo")
    assert auricle(*words, "-o", str(tmp_path / "plain")).returncode == 0
    for index in range(2):
        done = auricle(*words, "--shards", "4", "--shard", f"{index}/2", "-o", str(tmp_path / f"part-{index}"))
        assert done.returncode == 0
        assert f"Shards {index}/2 are completed. With the others: auricle merge" in done.stderr
    incomplete = auricle("merge", str(tmp_path / "part-0"))
    assert incomplete.returncode == 3
    assert "2 of 4 shards are not completed; the numbers are those of the others." in incomplete.stderr
    parts = [str(tmp_path / f"part-{index}") for index in range(2)]
    merged = auricle("merge", *parts, "-o", str(tmp_path / "all"), "--json")
    assert merged.returncode == 0
    assert json.loads(merged.stdout)[0]["complete"]
    assert read_numbers(tmp_path / "all") == read_numbers(tmp_path / "plain")


def test_a_folder_without_shards_is_an_error(auricle: RunAuricle, tmp_path: Path) -> None:
    done = auricle("merge", str(tmp_path))
    assert (done.returncode, "does not contain a sharded run" in done.stderr) == (2, True)


def test_urls_are_for_sharded_runs(auricle: RunAuricle, data: str) -> None:
    done = auricle("run", data, "--as", "qa", "-m", "echo", "-o", "s3://bucket/run")
    assert (done.returncode, "only sharded runs are written; add --shards auto" in done.stderr) == (2, True)
    done = auricle("run", data, "--as", "qa", "-m", "echo", "--workers", "2")
    assert (done.returncode, "--workers needs a sharded run. Add --shards auto." in done.stderr) == (2, True)


def test_a_run_in_a_bucket_is_run_followed_and_shown(
    auricle: RunAuricle, data: str, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    words = ("run", data, "--as", "qa", "-m", "echo")
    assert auricle(*words, "-o", str(tmp_path / "plain")).returncode == 0
    done = auricle(*words, "--shards", "3", "-o", f"{bucket}/run", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["numbers"] == read_numbers(tmp_path / "plain")
    assert auricle("status", f"{bucket}/run").stdout.startswith(f"{bucket}/run: 3 of 3 shards completed\n12 samples")
    assert auricle("open", f"{bucket}/run", "--print").stdout.endswith("/report.html\n")
    shown = auricle("show", f"{bucket}/run", "--json")
    assert json.loads(shown.stdout)[0]["numbers"] == read_numbers(tmp_path / "plain")
    again = auricle(*words, "--shards", "3", "--fresh", "-o", f"{bucket}/run")
    assert (again.returncode, "choose another location with -o" in again.stderr) == (2, True)
