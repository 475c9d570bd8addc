"""Results of other tools become runs like any other."""

import hashlib
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auricle import api
from auricle.cli import cli
from auricle.core.errors import DataError, SpecError
from auricle.interop.result_import import ImportOptions, import_results
from auricle.runs.run_directory import Run
from tests.support.framework_results import (
    TRANSCRIPTS,
    WRITERS,
    cmi,
    cmi_rows,
    kimi,
    lmms_eval,
    open_asr,
    ultraeval,
    write,
)

TEXTS = [said for _, said in TRANSCRIPTS]


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals are told elsewhere; here a few draws will do."""
    monkeypatch.setattr("auricle.metrics.statistics.BOOTSTRAP_ROUNDS", 20)


def imported(path: Any, tool: Any, out: Any, fresh: bool = False, **told: Any) -> Any:
    """The one run that comes of a path."""
    ((folder, line),) = import_results(path, tool, out, ImportOptions(**told), fresh=fresh)
    return Run.load(folder), line


def values(run: Any) -> Any:
    return {each["metric"]: each["value"] for each in api.summary(run.path) if not each["field"]}


def texts(run: Any) -> Any:
    return [each.outputs[0].text for each in sorted(run.records(), key=lambda r: r.row)]


@pytest.mark.parametrize("tool", ["kimi", "open-asr", "lmms-eval", "ultraeval"])
def test_transcripts_of_every_tool_are_scored_alike(tool: str, tmp_path: Path) -> None:
    run, _ = imported(WRITERS[tool](tmp_path / "theirs"), tool, tmp_path / "run")
    assert texts(run) == TEXTS
    scored = values(run)
    told = api.score(run.path, "whisper-en")
    assert next(each.value for each in told if each.metric == "wer") == pytest.approx(1 / 10)
    assert scored["wer"] <= 1


@pytest.mark.parametrize(
    ("tool", "model", "dataset"),
    [
        ("kimi", "Kimi-Audio", "LibriSpeech"),
        ("open-asr", "openai-whisper-tiny", "hf-audio-esb_ami_test"),
        ("lmms-eval", "Qwen/Qwen2-Audio-7B", "librispeech"),
        ("ultraeval", "gpt4o_audio", "librispeech-test-clean"),
        ("cmi", "CMI-RM", "cmi-rewardbench"),
    ],
)
def test_model_and_dataset_are_told_by_the_files(tool: str, model: str, dataset: str, tmp_path: Path) -> None:
    run, _ = imported(WRITERS[tool](tmp_path / "theirs"), tool, tmp_path / "run")
    about = api.metrics(run.path)
    assert (about["model"]["name"], about["task"]["name"]) == (model, dataset)


def test_a_run_says_which_file_it_came_from(tmp_path: Path) -> None:
    path = kimi(tmp_path / "theirs")
    run, _ = imported(path, "kimi", tmp_path / "run")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    files = [{"path": str(path.resolve()), "sha256": digest}]
    assert run.spec["imported"] == {"from": "kimi", "files": files}


def test_no_time_is_made_up(tmp_path: Path) -> None:
    run, _ = imported(kimi(tmp_path / "theirs"), "kimi", tmp_path / "run")
    assert api.metrics(run.path)["speed"] is None
    assert {json.loads(line)["seconds"] for line in run.outputs_path.read_text().splitlines()} == {None}


def test_times_that_are_told_make_a_speed(tmp_path: Path) -> None:
    run, _ = imported(open_asr(tmp_path / "theirs"), "open-asr", tmp_path / "run")
    about = api.metrics(run.path)
    assert about["speed"]["rtfx"] == 8.0
    assert "Times are those the manifest tells" in about["notes"][0]


def test_no_speed_is_told_where_one_time_is_missing(tmp_path: Path) -> None:
    row = {"audio_filepath": "a.wav", "duration": 2.0, "text": "a", "pred_text": "a"}
    rows = [{**row, "time": 1.0}, {**row, "audio_filepath": "b.wav", "time": None}]
    run, _ = imported(open_asr(tmp_path / "theirs", rows), "open-asr", tmp_path / "run")
    assert api.metrics(run.path)["speed"] is None


def test_pieces_of_a_long_recording_are_put_together(tmp_path: Path) -> None:
    piece = {"duration": 30.0, "time": 1.0, "text": "one two three", "parent_id": "talk"}
    rows = [
        {**piece, "audio_filepath": "2", "pred_text": " three ", "chunk_index": 1},
        {**piece, "audio_filepath": "1", "pred_text": "one two", "chunk_index": 0},
    ]
    run, _ = imported(open_asr(tmp_path / "theirs", rows), "open-asr", tmp_path / "run")
    assert texts(run) == ["one two three"]
    assert values(run)["wer"] == 0


def failures(run: Any) -> Any:
    return [(each.error.kind, each.error.message) for each in run.records() if each.error]


def test_null_is_no_answer_of_kimi(tmp_path: Path) -> None:
    path = kimi(tmp_path / "theirs", ["null", *TEXTS[1:]])
    run, _ = imported(path, "kimi", tmp_path / "run")
    ((kind, message),) = failures(run)
    assert kind == "NotAnswered"
    assert "60 s" in message


def test_an_empty_answer_is_one(tmp_path: Path) -> None:
    run, _ = imported(kimi(tmp_path / "theirs", ["", *TEXTS[1:]]), "kimi", tmp_path / "run")
    assert api.metrics(run.path)["outcomes"] == {"total": 3, "answered": 3, "failed": 0, "empty": 1}


def test_a_request_that_failed_in_lmms_eval_is_no_answer(tmp_path: Path) -> None:
    said = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] 429 too many requests"
    run, _ = imported(lmms_eval(tmp_path / "theirs", [said, *TEXTS[1:]]), "lmms-eval", tmp_path / "run")
    assert failures(run) == [("NotAnswered", "429 too many requests")]


def test_an_error_event_is_a_failure_in_its_own_words(tmp_path: Path) -> None:
    run, _ = imported(ultraeval(tmp_path / "theirs", broken=[1]), "ultraeval", tmp_path / "run")
    assert failures(run) == [("NotAnswered", "TimeoutError: too slow")]


def test_what_was_scored_is_the_answer_and_the_raw_one_is_kept(tmp_path: Path) -> None:
    run, _ = imported(ultraeval(tmp_path / "theirs"), "ultraeval", tmp_path / "run")
    first = min(run.records(), key=lambda record: record.row)
    assert first.outputs[0].text == TEXTS[0]
    assert first.sample.meta["raw"] == json.dumps({"content": TEXTS[0]})


def test_silence_in_place_of_a_missing_sound_is_a_failure(tmp_path: Path) -> None:
    rows = cmi_rows()
    rows[0] |= {"inference_valid_a": False, "inference_error": "audio_not_found:p0.wav"}
    run, _ = imported(cmi(tmp_path / "theirs", rows), "cmi", tmp_path / "run")
    assert failures(run) == [("NotAnswered", "audio_not_found:p0.wav")]


def test_rewards_are_scored_as_the_benchmark_s_own_runs_are(tmp_path: Path) -> None:
    run, _ = imported(cmi(tmp_path / "theirs"), "cmi", tmp_path / "run")
    told = values(run)
    assert told["srcc.musicality"] == pytest.approx(0.5)  # of three ratings, one out of order
    assert told["accuracy.preference"] == 1.0
    assert told["accuracy.alignment"] == 0.0


def test_sounds_that_are_here_give_the_keys_of_an_own_run(tmp_path: Path, tone: Any) -> None:
    path = kimi(tmp_path / "theirs")
    (path.parent / "clips").mkdir()
    for at in range(3):
        tone("here.wav", seconds=0.1 + at / 100).rename(path.parent / "clips" / f"{at}.wav")
    run, _ = imported(path, "kimi", tmp_path / "run")
    spec = api.Spec(task="asr", task_args={"data": str(path)}, model="echo")
    api.evaluate(spec, tmp_path / "own")
    keys = [{each.sample.id: each.key for each in r.records()} for r in (run, Run.load(tmp_path / "own"))]
    assert keys[0] == keys[1]


def test_two_models_of_another_tool_are_compared_without_their_sounds(tmp_path: Path) -> None:
    for at, model in enumerate(("one", "two")):
        path = kimi(tmp_path / model, [TEXTS[at]] * 3, model=model)
        imported(path, "kimi", tmp_path / f"run-{model}")
    words = ["compare", str(tmp_path / "run-one"), str(tmp_path / "run-two")]
    told = CliRunner().invoke(cli, words)
    assert "3 pairs answered in both" in told.output


def test_a_folder_of_results_becomes_a_run_each(tmp_path: Path) -> None:
    for dataset in ("LibriSpeech", "Fleurs-en"):
        kimi(tmp_path / "theirs", dataset=dataset)
    made = "Kimi-Audio_LibriSpeech_wer_details"
    kimi(tmp_path / "theirs").with_stem(made).write_text('{"index": 0, "prediction": ""}')
    found = [each for each, _ in import_results(tmp_path / "theirs", "kimi", tmp_path / "r", ImportOptions())]
    assert sorted(each.name for each in found) == ["Fleurs-en-Kimi-Audio", "LibriSpeech-Kimi-Audio"]


def test_of_two_logs_of_one_dataset_the_later_is_taken(tmp_path: Path) -> None:
    first = ultraeval(tmp_path, broken=[0, 1])
    first.rename(first.with_stem("2026-01-01_00-00-00"))
    ultraeval(tmp_path).rename(first.with_stem("2026-01-02_00-00-00"))
    run, _ = imported(tmp_path, "ultraeval", tmp_path / "run")
    assert not failures(run)
    assert "Earlier results" in api.metrics(run.path)["notes"][0]


def test_one_dataset_of_several_is_taken_by_name(tmp_path: Path) -> None:
    for dataset in ("LibriSpeech", "Fleurs-en"):
        kimi(tmp_path / "theirs", dataset=dataset)
    _, line = imported(tmp_path / "theirs", "kimi", tmp_path / "run", only="Fleurs-en")
    assert "of Fleurs-en by Kimi-Audio" in line


def test_the_same_file_is_not_written_twice(tmp_path: Path) -> None:
    path = kimi(tmp_path / "theirs")
    run, _ = imported(path, "kimi", tmp_path / "run")
    before = run.outputs_path.read_bytes()
    imported(path, "kimi", tmp_path / "run")
    assert run.outputs_path.read_bytes() == before


def test_another_file_is_refused_in_the_same_folder(tmp_path: Path) -> None:
    imported(kimi(tmp_path / "one"), "kimi", tmp_path / "run")
    other = kimi(tmp_path / "one", TEXTS[::-1])
    with pytest.raises(SpecError, match="holds another run"):
        imported(other, "kimi", tmp_path / "run")
    imported(other, "kimi", tmp_path / "run", fresh=True)
    assert (tmp_path / "run.1" / "spec.json").exists()


def test_ids_that_occur_twice_give_way_to_places(tmp_path: Path) -> None:
    path = kimi(tmp_path / "theirs")
    rows = [json.loads(line) | {"index": 7} for line in path.read_text().splitlines()]
    run, _ = imported(write(path, rows), "kimi", tmp_path / "run")
    assert {each.sample.id for each in run.records()} == {"0", "1", "2"}
    assert "'7' occurs more than once" in api.metrics(run.path)["notes"][0]


def test_options_are_chosen_in_words(tmp_path: Path) -> None:
    rows = [
        {"index": 0, "audio_path": "a", "answer": "B", "prediction": "The answer is B.", "subset": "s"}
        | {"question": "What barks? A. cat B. dog", "real_prompt": ""}
    ]
    path = write(tmp_path / "m" / "openbookqa" / "m_openbookqa.jsonl", rows)
    run, _ = imported(path, "kimi", tmp_path / "run")
    assert values(run)["option_accuracy"] == 1.0


def test_what_a_dataset_is_can_be_said(tmp_path: Path) -> None:
    path = kimi(tmp_path / "theirs", dataset="mine")
    with pytest.raises(SpecError, match=r"does not tell what mine is: say it with --as asr\|mcq"):
        imported(path, "kimi", tmp_path / "run")
    run, _ = imported(path, "kimi", tmp_path / "run", kind="qa", options={"metrics": "contains"})
    assert values(run)["contains"] == pytest.approx(1 / 3)


def test_whose_answers_they_are_can_be_said(tmp_path: Path) -> None:
    path = open_asr(tmp_path).rename(tmp_path / "copy.jsonl")
    with pytest.raises(SpecError, match="--model NAME"):
        imported(path, "open-asr", tmp_path / "run")
    run, _ = imported(path, "open-asr", tmp_path / "run", model="mine")
    assert api.metrics(run.path)["model"]["name"] == "mine"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty: it holds no results"),
        (b'{"index": 0, "pred', r"torn.jsonl:1 is not valid JSON .* the line is torn"),
        (b"[1, 2]\n", "holds list, not a JSON object"),
        (b'{"a": 1, "b": 2}\n', "should have index and prediction, and has a, b"),
        (b'{"text": "a", "pred_text": "b"}\n', "Open ASR Leaderboard.*try --from open-asr"),
        (b'{"index": 0, "answer": "a", "prediction": "null"}\n', "holds no answer: all 1 samples"),
    ],
)
def test_what_is_no_result_is_told_in_one_line(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "torn.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=said):
        imported(path, "kimi", tmp_path / "run", kind="asr")
    assert not (tmp_path / "run").exists()


def test_a_folder_without_results_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no results of lmms-eval: no .*--log_samples"):
        imported(tmp_path, "lmms-eval", tmp_path / "run")


def test_a_summary_says_where_the_answers_are(tmp_path: Path) -> None:
    path = lmms_eval(tmp_path).with_name("20260806_102223_results.json")
    with pytest.raises(DataError, match=r"does not hold the answers .*_samples_\{task\}\.jsonl"):
        imported(path, "lmms-eval", tmp_path / "run")


def test_a_log_without_references_cannot_be_scored(tmp_path: Path) -> None:
    event = {"type": "inference", "id": 0, "data": {"content": "a"}}
    path = write(tmp_path / "m" / "d" / "t.jsonl", [event])
    with pytest.raises(DataError, match=r"no reference.*--inf_file"):
        imported(path, "ultraeval", tmp_path / "run")


def test_likelihoods_cannot_be_imported(tmp_path: Path) -> None:
    path = lmms_eval(tmp_path, [["-1.0", "False"], *TEXTS[1:]])
    with pytest.raises(DataError, match=":1 has 2 answers: likelihoods"):
        imported(path, "lmms-eval", tmp_path / "run")


def test_answers_to_what_is_not_told_are_scored_all_the_same(tmp_path: Path) -> None:
    row = {"doc_id": 0, "target": "Paris", "filtered_resps": "It is Paris."}
    path = write(tmp_path / "m" / "d_samples_t.jsonl", [row])
    run, _ = imported(path, "lmms-eval", tmp_path / "run", kind="qa")
    assert values(run)["contains"] == 1.0


def test_rows_that_are_something_else_are_refused_as_a_whole(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no row can be taken as mcq: no choices, and the answer"):
        imported(kimi(tmp_path / "theirs"), "kimi", tmp_path / "run", kind="mcq")
    assert not (tmp_path / "run").exists()


def test_the_command_prints_numbers_and_leaves_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    open_asr(tmp_path / "results")
    done = CliRunner().invoke(cli, ["import", "results", "--from", "open-asr"])
    assert done.exit_code == 0, done.output
    assert "RTFx 8" in done.output
    folder = Path("runs") / "hf-audio-esb_ami_test-openai-whisper-tiny"
    assert (folder / "report.html").exists()
    assert CliRunner().invoke(cli, ["score", str(folder)]).exit_code == 0
    assert "three words" in CliRunner().invoke(cli, ["samples", str(folder)]).output


def test_how_to_count_as_they_do_is_told(tmp_path: Path) -> None:
    _, line = imported(kimi(tmp_path / "en"), "kimi", tmp_path / "run")
    assert line.endswith(f"auricle score {tmp_path / 'run'} --profile kimi-en")


def test_mandarin_is_counted_as_they_do_by_another_metric(tmp_path: Path) -> None:
    path = kimi(tmp_path / "zh", dataset="AISHELL-1")
    _, line = imported(path, "kimi", tmp_path / "run")
    words = shlex.split(line.partition(" counts: auricle ")[2])
    assert words[-3:] == ["metrics=wer", "--profile", "kimi-zh"]
    assert CliRunner().invoke(cli, words).exit_code == 0
    assert list(values(Run.load(tmp_path / "run"))) == ["wer"]


def test_the_app_reads_answers_that_nobody_timed(tmp_path: Path) -> None:
    journal = pytest.importorskip("auricle.app.samples_table")
    run, _ = imported(kimi(tmp_path / "theirs"), "kimi", tmp_path / "run")
    held = journal.read_samples(run.path)
    assert len(held.frame) == 3
    assert held.frame["seconds"].isna().all()
