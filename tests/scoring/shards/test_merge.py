"""Merging shards, as an ordinary run and from sums."""

from pathlib import Path

import orjson

from auricle.engine.factory import Evaluation
from auricle.report.merging import merge_run
from auricle.runs.metrics import read_metrics
from auricle.runs.run_directory import Run
from auricle.runs.shards.store import ShardStore
from tests.support.sharded_runs import process_shards, read_comparable


def test_a_small_run_becomes_an_ordinary_one(
    store: ShardStore, evaluation: Evaluation, plain_run: Path, tmp_path: Path
) -> None:
    merge_run(store, tmp_path, evaluation.task, evaluation.spec)
    merged, plain = read_comparable(tmp_path), read_comparable(plain_run)
    for document in (merged, plain):
        del document["usage"]["attempts"]
    assert merged == plain
    assert Run.load(tmp_path).read_metrics() is not None
    assert len(list(Run.load(tmp_path).records())) == 61
    assert not (tmp_path / "sums.bin").exists()


def test_a_large_run_has_the_same_values_from_sums(
    store: ShardStore, evaluation: Evaluation, plain_run: Path, tmp_path: Path
) -> None:
    merge_run(store, tmp_path, evaluation.task, evaluation.spec)
    metrics = merge_run(store, tmp_path, evaluation.task, evaluation.spec, exact_samples=60)
    exact = read_metrics(plain_run)
    for name in ("task", "outcomes", "failures", "rows", "complete", "not_computed", "journal"):
        assert getattr(metrics, name) == getattr(exact, name)
    assert [(n.metric, n.value, n.scored, n.total, n.worst, n.best) for n in metrics.overall] == [
        (n.metric, n.value, n.scored, n.total, n.worst, n.best) for n in exact.overall
    ]
    assert metrics == read_metrics(tmp_path)
    assert not (tmp_path / "outputs.jsonl").exists()
    assert "angry" in (tmp_path / "report.html").read_text()


def test_repeated_ids_are_listed(store: ShardStore, evaluation: Evaluation, tmp_path: Path) -> None:
    merge_run(store, tmp_path, evaluation.task, evaluation.spec, exact_samples=0)
    lines = [orjson.loads(line) for line in (tmp_path / "duplicates.jsonl").read_bytes().splitlines()]
    assert [(line["id"], line["row"], line["first_row"]) for line in lines] == [("q8", 55, 8), ("q3", 58, 3)]


def test_unfinished_shards_are_left_out(store: ShardStore, evaluation: Evaluation, tmp_path: Path) -> None:
    class PartlyDone(ShardStore):
        def completions(self, states: object = None) -> object:  # type: ignore[override]  # of the first shards
            return iter(list(store.completions())[:2])

    partial = PartlyDone(store.storage, store.plan)
    for exact_samples in (0, 100):
        metrics = merge_run(partial, tmp_path, evaluation.task, evaluation.spec, exact_samples=exact_samples)
        assert not metrics.complete
        assert 0 < metrics.outcomes.total < 61


def test_the_results_are_the_same_for_any_cut(evaluation: Evaluation, store: ShardStore, tmp_path: Path) -> None:
    other = process_shards(evaluation, tmp_path / "other", shard_bytes=300, workers=2)
    documents = []
    for shards, name in ((store, "a"), (other, "b")):
        merge_run(shards, tmp_path / name, evaluation.task, evaluation.spec, exact_samples=0)
        document = read_comparable(tmp_path / name)
        document.pop("notes")
        documents.append(document)
    for number in (number for document in documents for number in document["numbers"]):
        number["details"].pop("utterance_mean", None)  # a sum of fractions
    assert documents[0] == documents[1]
