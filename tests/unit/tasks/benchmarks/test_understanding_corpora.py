"""What every entry of the understanding half must do, on a miniature of its official layout."""

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from auricle import api
from auricle.cli.data import check_samples, prepare_data
from auricle.core.errors import DataError, SpecError
from auricle.core.types import Generation, Sample, list_parts
from auricle.engine.spec import Spec, resolve_tasks
from auricle.tasks.catalogue import TASKS
from auricle.tasks.inferencers import preview_requests
from tests.support.miniatures_understanding import MINIATURES, Understood, accents, heard, parquet

FAMILIES = ("mmau", "questions", "sounds", "captions", "voicebench", "openaudiobench")
JUDGE = """
import re

def judge(text: str) -> str:
    form = re.findall("Verdict:|Score:", text)[-1]
    return f"{form} {'yes' if form == 'Verdict:' else 4}"
"""

every = pytest.mark.parametrize("mini", MINIATURES, ids=str)


@pytest.fixture
def built(mini: Any, tmp_path: Path) -> Any:
    """A miniature's folder."""
    root = tmp_path / "corpus"
    root.mkdir()
    mini.build(root)
    return root


def task_of(mini: Understood, root: Any, **more: Any) -> Any:
    return TASKS.get(mini.task)(root=str(root), **{**mini.options, **more})


def spec_of(task: Any, given: Any, **more: Any) -> Any:
    return Spec(task=task, task_args=given, model="echo", **more)


def sounds_of(sample: Any) -> Any:
    return [part for value in sample.inputs.values() for part in list_parts(value) if not isinstance(part, str)]


def test_every_entry_of_the_catalogue_has_a_miniature() -> None:
    mine = {
        name
        for name, each in TASKS.items()
        if each.path.startswith(tuple(f"auricle.tasks.benchmarks.{name}:" for name in FAMILIES))
    }
    assert mine == {mini.task for mini in MINIATURES}


@every
def test_rows_have_the_corpus_s_ids_and_answers_in_its_order(mini: Any, built: Any) -> None:
    task = task_of(mini, built)
    samples = list(task.samples)
    assert all(isinstance(each, Sample) for each in samples), samples
    assert {each.id: each.target for each in samples} == mini.rows
    assert [each.id for each in samples] == list(mini.rows)
    assert len(task.samples) == len(mini.rows)
    assert mini.meta.items() <= samples[0].meta.items()
    if mini.choices:
        assert samples[0].inputs["choices"] == list(mini.choices)


@every
def test_every_sound_of_a_whole_copy_is_found_and_decodes(mini: Any, built: Any) -> None:
    found = check_samples(task_of(mini, built))
    assert [wrong for wrong in found.problems if wrong[0] != "count"] == []
    assert found.decoded_count >= len(mini.rows)


@every
def test_a_right_answer_counts_by_the_published_metric(mini: Any, built: Any, tmp_path: Path) -> None:
    (tmp_path / "fakes.py").write_text(JUDGE)
    spec = spec_of(
        mini.task,
        {"root": str(built), **mini.options},
        model_args={"reply": mini.reply},
        judge={"model": f"{tmp_path / 'fakes.py'}:judge"} if mini.judged else None,
        limit=None if mini.metric == "cider" else 1,
    )
    first = api.evaluate(spec, tmp_path / "run")[0]
    assert first.metric == mini.metric
    if mini.metric.startswith("judge") and "reference" not in mini.metric:
        assert first.value == 4.0
    elif mini.metric != "cider":  # one sample has no n-gram that is rarer than another
        assert first.value == 1.0
    assert first.scored == (len(mini.rows) if mini.metric == "cider" else 1)


@every
def test_a_prepared_manifest_runs_to_the_same_numbers(
    mini: Any, built: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [f"{name}={value}" for name, value in mini.options.items()]
    out = tmp_path / "prepared.jsonl"
    assert prepare_data(mini.task, built, options, out, as_json=False) == 0
    bench = TASKS.get(mini.task)
    recipe = bench.task_arguments(*bench.part(dict(mini.options)))
    prepared = TASKS.get(bench.kind)(**recipe, data=str(out))
    ours = task_of(mini, built)
    assert [signed(each) for each in prepared.samples] == [signed(each) for each in ours.samples]
    assert repr(prepared.inferencer) == repr(ours.inferencer)
    assert repr(list(prepared.metrics)) == repr(list(ours.metrics))
    assert f"--as {bench.kind}" in capsys.readouterr().out


def signed(sample: Any) -> Any:
    """A sample without the places of its sounds."""
    texts = {name: value for name, value in sample.inputs.items() if isinstance(value, str) or name == "choices"}
    content = [sound.decode().tobytes() for sound in sounds_of(sample)]
    return sample.id, sample.target, dict(sample.meta), texts, content


@every
def test_a_wrong_folder_is_told_in_one_line_with_what_was_looked_for(mini: Any, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(DataError) as told:
        task_of(mini, tmp_path / "elsewhere").samples.peek()
    assert "\n" not in str(told.value)
    assert re.search("elsewhere", str(told.value))


@every
def test_a_value_that_an_option_does_not_know_is_refused(mini: Any, built: Any) -> None:
    with pytest.raises(SpecError, match="split is one of"):
        task_of(mini, built, split="nowhere")


# --- what is particular -------------------------------------------------------------------


def named(task: Any, **options: Any) -> Any:
    return next(m for m in MINIATURES if (m.task, dict(m.options)) == (task, options))


def test_spoken_options_are_not_written_again(tmp_path: Path) -> None:
    mini = named("voicebench-openbookqa")
    mini.build(tmp_path)
    task = task_of(mini, tmp_path)
    (request,) = asyncio.run(preview_requests(task.inferencer, next(iter(task.samples))))
    assert [type(part).__name__ for turn in request.turns for part in turn.parts] == ["Audio"]


def test_all_accents_are_one_run_that_can_be_told_apart(tmp_path: Path) -> None:
    accents(tmp_path)
    task = TASKS.get("voicebench-sd-qa")(root=str(tmp_path), split="all")
    samples = list(task.samples)
    assert len(samples) == len(task.samples) == 22
    assert len({each.id for each in samples}) == 22
    assert len({each.meta["accent"] for each in samples}) == 11
    assert task.by == ("accent",)


def test_a_clone_gives_the_rows_that_the_hub_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    accents(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    bench = TASKS.get("voicebench-sd-qa")
    read = [bench.hub.item(row) for row in _hub_rows()]
    here = list(bench(root=str(tmp_path), split="aus").samples.items())
    assert [(each["id"], each["target"], each["meta"]) for each in here] == [
        (each["id"], each["target"], each["meta"]) for each in read
    ]


def _hub_rows() -> Any:
    words = ("zero", "one")
    return [
        {"hub:split": "aus", "hub:row": at, "audio": heard(word), "prompt": f"What is {at}?", "reference": word}
        for at, word in enumerate(words)
    ]


def test_copies_on_the_hub_give_the_archive_s_rows(tmp_path: Path) -> None:
    for mini in (named("esc50"), named("air-bench-foundation"), named("air-bench-chat")):
        mini.build(tmp_path)
    dog = {"filename": "1-100032-A-0.wav", "fold": 1, "category": "dog", "audio": heard("dog")}
    chat = {"task_name": "sound_QA", "dataset_name": "clotho", "uniq_id": 3, "audio": heard("a")}
    said = {"question": "What is it?", "answer_gt": "A bell.", "meta_info": "A bell rings."}
    for name, row in (("esc50", dog), ("air-bench-chat", {**chat, **said})):
        bench = TASKS.get(name)
        (here, *_), there = bench(root=str(tmp_path)).samples.items(), bench.hub.item(row)
        assert {**here, "audio": None} == {**there, "audio": None}
    assert TASKS.get("esc50").hub.only({"split": "fold2"}) == {"fold": 2}


def test_a_judge_is_asked_three_times_about_open_requests(tmp_path: Path) -> None:
    task = TASKS.get("voicebench-alpacaeval")(root=str(tmp_path))
    sample = Sample(id="0", inputs={"question": ""}, meta={"audio_content": "Hi?"})
    assert len(task.metrics[0].judge_requests(sample, Generation(text="Hello"))) == 3


def test_without_a_judge_answers_are_kept_and_what_is_missing_is_said(tmp_path: Path) -> None:
    mini = named("air-bench-chat")
    mini.build(tmp_path / "corpus")
    spec = spec_of(mini.task, {"root": str(tmp_path / "corpus")}, model_args={"reply": "a bell"})
    assert api.evaluate(spec, tmp_path / "run") == []
    told = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert "needs a judge" in told["refused"]["judge-1-10"]
    assert "a bell" in (tmp_path / "run" / "outputs.jsonl").read_text()


def test_a_recording_that_audiocaps_lost_is_a_failure_and_not_dropped(tmp_path: Path) -> None:
    mini = named("audiocaps")
    mini.build(tmp_path)
    (tmp_path / "test/-abc_30.wav").unlink()
    found = list(task_of(mini, tmp_path).samples)
    assert [type(each).__name__ for each in found] == ["Rejected", "Sample"]
    assert "no recording of -abc" in found[0].reason


def test_a_table_without_a_column_says_which(tmp_path: Path) -> None:
    parquet(tmp_path / "bbh/test-00000-of-00001.parquet", [{"audio": heard("a"), "prompt": "?"}])
    with pytest.raises(DataError, match="no column 'id'; it has audio, prompt"):
        TASKS.get("voicebench-bbh")(root=str(tmp_path)).samples.peek()


@pytest.mark.parametrize("name", ["clotho-aqa", "audiocaps"])
def test_a_table_of_another_kind_is_told_by_the_column_it_lacks(name: str, tmp_path: Path) -> None:
    named(name).build(tmp_path)
    for path in tmp_path.glob("*.csv"):
        path.write_text("something\nelse\n")
    with pytest.raises(DataError, match=r"no row can be used\. .*; it has something"):
        TASKS.get(name)(root=str(tmp_path)).samples.peek()


def test_sounds_inside_parquet_files_are_written_beside_the_manifest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named("voicebench-alpacaeval").build(tmp_path / "clone")
    out = tmp_path / "out.jsonl"
    assert prepare_data("voicebench-alpacaeval", tmp_path / "clone", (), out, as_json=True) == 0
    assert len(list((tmp_path / "out").glob("*.wav"))) == 2
    shutil.rmtree(tmp_path / "clone")
    prepared = TASKS.get("voicebench-alpacaeval")(data=str(out))
    assert check_samples(prepared).decoded_count == 2
    assert [metric.name for metric in prepared.metrics] == ["judge-1-5"]


def test_a_star_stands_for_every_task_so_named() -> None:
    found = [name for name, _ in resolve_tasks("openaudiobench-*", None, {})]
    assert len(found) == 5
    assert all(name in TASKS for name in found)
