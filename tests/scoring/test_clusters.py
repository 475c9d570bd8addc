"""Which metadata field samples are clustered by."""

from typing import Any

import numpy as np
import pytest

from auricle import Spec, api, evaluate
from auricle.core.errors import SpecError
from auricle.scoring.clusters import ClusterTable, encode_clusters, join_clusters, renumber_clusters


def make_table(*rows: dict[str, Any], requested: str = "") -> ClusterTable:
    table = ClusterTable(requested)
    for row in rows:
        table.add(row)
    return table


@pytest.mark.parametrize("name", ["speaker", "spk", "speaker_id", "session", "Speaker", "SPK"])
def test_a_field_that_names_speakers_or_sessions_is_the_cluster(name: str) -> None:
    table = make_table({name: "a", "other": 1}, {name: "a", "other": 1}, {name: "b", "other": 1})
    assert table.field == name
    codes = table.codes()
    assert codes is not None
    assert codes.tolist() == [0, 0, 1]


def test_no_other_field_is_the_cluster_by_default() -> None:
    table = make_table({"sentence": "a"}, {"sentence": "a"}, {"sentence": "b"})
    assert (table.field, table.codes(), table.problem) == ("", None, "")


def test_the_first_default_field_that_repeats_is_chosen() -> None:
    rows = [{"session": i % 2, "spk": i % 3, "speaker": i} for i in range(6)]
    assert make_table(*rows).field == "spk"  # every row has its own speaker
    assert make_table(*({"speaker": "anna", "session": i % 3} for i in range(6))).field == "session"
    assert make_table(*({"speaker": "anna"} for _ in range(6))).field == ""


def test_the_requested_field_comes_before_the_default_ones() -> None:
    rows = [{"speaker": i % 2, "sentence": i % 3} for i in range(6)]
    assert make_table(*rows, requested="sentence").field == "sentence"
    assert make_table(*({"sentence": i} for i in range(3)), requested="sentence").field == "sentence"


def test_none_treats_samples_as_independent() -> None:
    table = make_table(*({"speaker": i % 2, "none": i % 2} for i in range(6)), requested="none")
    assert (table.field, table.codes(), table.problem) == ("", None, "")


def test_samples_without_a_value_are_clusters_of_their_own() -> None:
    table = make_table({}, {"speaker": "a"}, {"speaker": ""}, {"speaker": None}, {"speaker": "a"}, {})
    assert table.field == "speaker"
    codes = table.codes()
    assert codes is not None
    assert len(set(codes.tolist())) == 5
    assert codes[1] == codes[4]
    assert encode_clusters([None, "a", "", "b", "a", None]).tolist() == [0, 1, 2, 3, 1, 4]


def test_a_requested_field_that_cannot_be_used_is_explained() -> None:
    missing = make_table({"speaker": 1}, {"speaker": 1}, requested="voice")
    assert missing.problem == "no sample has the metadata field 'voice'; samples are treated as independent"
    single = make_table({"voice": 1}, {"voice": 1}, requested="voice")
    assert single.problem == "all samples have the same voice; intervals are over samples, and hold for this voice only"
    assert ClusterTable("voice").problem == ""


def test_a_single_sample_has_nothing_to_be_clustered() -> None:
    assert make_table({"conversation": "order"}, requested="conversation").problem == ""


def test_clusters_are_renumbered_without_gaps() -> None:
    codes = renumber_clusters(np.array([7, 2, 7, 5]))
    assert codes is not None
    assert codes.tolist() == [0, 1, 0, 2]
    assert renumber_clusters(np.array([7, 7])) is None
    assert renumber_clusters(None) is None


def test_the_clusters_of_several_parts_are_named_together() -> None:
    assert join_clusters(["speaker", "speaker"]) == "speaker"
    assert join_clusters(["speaker", ""]) == "speaker / sample"
    assert join_clusters(["", ""]) == ""


@pytest.fixture
def rows(manifest: Any) -> Any:
    texts = [{"id": str(i), "question": f"q {i}", "answer": f"q {i}", "speaker": f"s{i % 4}"} for i in range(12)]
    return manifest(texts, "rows.jsonl")


def test_the_cluster_is_stored_with_the_numbers_and_used_by_comparisons(tmp_path: Any, rows: Any) -> None:
    spec = Spec(task="qa", task_args={"data": str(rows)}, model="echo", model_args={"wrong": 0.4})
    metrics = evaluate(spec, tmp_path / "a").metrics
    assert metrics is not None
    number = metrics.overall[0]
    assert (metrics.task.cluster, number.cluster, number.units, number.scored) == ("speaker", "speaker", 4, 12)
    by_speaker = next(number for number in metrics.numbers if number.field == "speaker")
    assert (by_speaker.cluster, by_speaker.units) == ("", 3)
    assert ",cluster,units," in (tmp_path / "a" / "metrics_summary.csv").read_text().splitlines()[0]

    evaluate(spec.model_copy(update={"model_args": {}}), tmp_path / "b")
    row = api.compare(tmp_path / "a", tmp_path / "b").rows[0]
    assert (row.cluster, row.units, row.n) == ("speaker", 4, 12)
    row = api.compare(tmp_path / "a", tmp_path / "b", cluster="none").rows[0]
    assert (row.cluster, row.units, row.method) == ("", 12, "bonett-price")
    with pytest.raises(SpecError, match=r"No sample of .* has the metadata field 'voice'"):
        api.compare(tmp_path / "a", tmp_path / "b", cluster="voice")


def test_scoring_again_with_none_treats_samples_as_independent(tmp_path: Any, rows: Any) -> None:
    evaluate(Spec(task="qa", task_args={"data": str(rows)}, model="echo"), tmp_path / "a")
    metrics = api.score(tmp_path / "a", task_args={"cluster": "none"}).metrics
    assert metrics is not None
    assert (metrics.task.cluster, metrics.overall[0].cluster, metrics.overall[0].units) == ("", "", 12)


def test_a_task_written_in_python_takes_another_cluster(tmp_path: Any) -> None:
    file = tmp_path / "own.py"
    file.write_text(
        "from auricle import Sample, Task\n"
        "from auricle.tasks.asr.error_rates import exact_match\n"
        "from auricle.engine.inferencers import Respond\n"
        "def own():\n"
        "    meta = [{'take': i % 3, 'speaker': i % 2} for i in range(6)]\n"
        "    samples = [Sample(id=str(i), inputs={}, target='a', meta=m) for i, m in enumerate(meta)]\n"
        "    return Task(samples, Respond('a'), [exact_match], 'own')\n"
    )
    for cluster, units in (({}, 2), ({"cluster": "take"}, 3)):
        spec = Spec(task=f"{file}:own", task_args=cluster, model="echo")
        metrics = evaluate(spec, tmp_path / f"run-{units}").metrics
        assert metrics is not None
        assert metrics.overall[0].units == units
    with pytest.raises(SpecError, match="Invalid cluster 3: expected a metadata field, or none"):
        evaluate(Spec(task=f"{file}:own", task_args={"cluster": 3}, model="echo"), tmp_path / "run")
