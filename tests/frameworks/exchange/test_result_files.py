from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import api
from auricle.core.errors import DataError
from auricle.core.registry import Registry
from auricle.frameworks.exchange.result_files import (
    EXPORTERS,
    IMPORTERS,
    parse_list_target,
    read_lines,
    read_sibling_json,
)
from auricle.frameworks.exchange.task_drafts import CONFIG_IMPORTERS
from tests.support.framework_results import import_single, write_jsonl, write_kimi, write_lmms_eval


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\n", "is empty"),
        (b'{"index": 0, "pred', r"results.jsonl:1 is not valid JSON .* delete the line"),
        (b"{}\n[1, 2]\n", "results.jsonl:2 is list, expected a JSON object"),
    ],
)
def test_unreadable_files_are_rejected_with_the_line(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_lines(path)


def test_a_byte_order_mark_and_nan_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\n\n{"a": NaN}\n')
    assert [origin for origin, _ in read_lines(path)] == ["results.jsonl:1", "results.jsonl:3"]


def test_duplicate_ids_are_replaced_by_positions(tmp_path: Path) -> None:
    path = write_kimi(tmp_path / "results")
    rows = [json.loads(line) | {"index": 7} for line in path.read_text().splitlines()]
    run, _ = import_single(write_jsonl(path, rows), "kimi", tmp_path / "run")
    assert {record.sample.id for record in run.records()} == {"0", "1", "2"}
    assert "'7' occurs more than once" in api.load_metrics(run.path).notes[0]


def test_a_folder_without_results_is_rejected_with_the_expected_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no results of lmms-eval. Expected .*--log_samples"):
        import_single(tmp_path, "lmms-eval", tmp_path / "run")


def test_a_summary_file_is_rejected_with_the_file_to_import(tmp_path: Path) -> None:
    path = write_lmms_eval(tmp_path).with_name("20260806_102223_results.json")
    with pytest.raises(DataError, match=r"does not contain the answers .*_samples_\{task\}\.jsonl"):
        import_single(path, "lmms-eval", tmp_path / "run")


@pytest.mark.parametrize(
    ("text", "target"), [("['a', 'b']", ["a", "b"]), ("[]", "[]"), ("[a", "[a"), ("[open", "[open"), ("a", "a")]
)
def test_only_text_of_a_list_becomes_a_list(text: str, target: Any) -> None:
    assert parse_list_target(text) == target


def test_a_missing_or_invalid_sibling_file_is_empty(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    assert read_sibling_json(tmp_path / "results.jsonl", "broken.json") == {}
    assert read_sibling_json(tmp_path / "results.jsonl", "missing.json") == {}


@pytest.mark.parametrize("registry", [IMPORTERS, EXPORTERS, CONFIG_IMPORTERS], ids=lambda registry: registry.plural)
def test_every_listed_framework_can_be_loaded(registry: Registry[Any]) -> None:
    assert all(registry.get(name) for name in registry)


def test_every_framework_is_listed_once() -> None:
    names = ["aisbench", "cmi", "kimi", "lmms-eval", "open-asr", "pipecat", "tau-voice", "ultraeval"]
    formats = ["rttm", "stm", "ctm", "seglst"]
    assert sorted({*IMPORTERS, *CONFIG_IMPORTERS}) == sorted([*names, *formats, "trial-scores"])
    assert sorted(EXPORTERS) == sorted(["cmi", "kimi", "lmms-eval", "open-asr", "ultraeval", *formats])
