"""Tests of benchmark declarations, their parts and sources, and of `auricle data`."""

from __future__ import annotations

import json
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

from auricle import Spec, api
from auricle.api import build_task
from auricle.benchmarks.commands import check_samples, evenly_spaced_indices, load_benchmarks, prepare_data
from auricle.core.arguments import Argument, describe_arguments
from auricle.core.errors import SpecError
from auricle.engine.catalogue import TASKS
from auricle.engine.spec import resolve_tasks
from auricle.metrics.reference import find_entry
from tests.support import paths
from tests.support.miniatures_suite import MINIATURES as ALL_MINIATURES
from tests.support.miniatures_suite import build_from, find_miniature, get_benchmark, sample_content

MINIATURES = {str(miniature): miniature for miniature in ALL_MINIATURES}


def build_miniature(root: Any, name: str = "librispeech", **options: Any) -> Any:
    MINIATURES[name].build(root)
    return TASKS.get(MINIATURES[name].task)(root=str(root), **options)


@pytest.mark.parametrize(
    ("name", "option", "value", "message"),
    [
        ("librispeech", "split", "tst-clean", "test-clean, test-other, dev-clean, dev-other"),
        ("librispeech", "language", "zh", "invalid language 'zh': expected one of en"),
        ("fleurs", "language", "tlh", "en_us, cmn_hans_cn, af_za"),
        ("covost2", "pair", "fr_de", "en_de, en_tr"),
        ("covost2", "language", "de", "no languages to choose from"),
        ("ami", "mic", "phone", "ihm, sdm, ihm-mix"),
        ("librispeech", "copy", "cloud", "disk, hf or hf:NAME"),
        ("aishell", "copy", "hf", "expected disk"),
        ("librispeech", "splt", "x", "Unknown option of asr: splt. Did you mean 'split'?"),
    ],
)
def test_an_invalid_option_is_rejected_with_the_valid_values(name: str, option: str, value: str, message: str) -> None:
    with pytest.raises(SpecError) as error:
        TASKS.get(name)(**{"root": "x", option: value})
    assert message in str(error.value)


def test_a_language_may_be_selected_by_its_usual_code() -> None:
    fleurs = get_benchmark("fleurs")
    assert fleurs.resolve_part({"language": "zh"})[0]["language"] == "cmn_hans_cn"
    assert fleurs(root="x", language="ja").language == "ja"


def test_a_benchmark_without_a_hub_copy_needs_its_folder() -> None:
    with pytest.raises(SpecError, match=r"needs the folder of its archive: .*Get AISHELL-1 from openslr.org/33"):
        TASKS.get("aishell")()


def test_the_pinned_hub_copy_is_the_default() -> None:
    samples = TASKS.get("librispeech")(split="dev-other").samples
    assert samples.revision.startswith("openslr/librispeech_asr.other.validation@71cacbf")
    assert TASKS.get("librispeech")(revision="abc").samples.revision.endswith("@abc")


def test_the_task_has_the_facts_of_its_benchmark(tmp_path: Path) -> None:
    task = build_miniature(tmp_path)
    assert (task.name, task.language, task.licence) == ("librispeech-test-clean", "en", "CC BY 4.0")
    assert (task.source, task.cluster) == ("openslr.org/12", "speaker")
    assert task.revision.startswith("librispeech.test-clean@")
    assert build_miniature(tmp_path / "b", split="test-other").revision != task.revision


def test_a_prompt_can_be_replaced(tmp_path: Path) -> None:
    task = build_miniature(tmp_path, prompt="{audio}What do you hear?")
    assert "What do you hear?" in repr(task.inferencer)


def test_a_row_count_that_differs_from_the_publication_is_noted(tmp_path: Path) -> None:
    notes = build_miniature(tmp_path).notes("echo", {})
    assert notes == ["LibriSpeech test-clean: 2 rows here, 2,620 are published."]
    assert build_miniature(tmp_path / "b", rows="[:1]").notes("echo", {}) == []


def test_every_benchmark_declares_its_facts() -> None:
    for name, benchmark in load_benchmarks().items():
        assert benchmark.name == name
        assert benchmark.title
        assert benchmark.source
        assert benchmark.layout
        assert benchmark.splits
        assert "://" not in benchmark.source


def test_the_tables_of_benchmarks_are_current() -> None:
    script = runpy.run_path(str(paths.ROOT / "scripts" / "make_benchmarks_table.py"))
    page = (paths.DOCS / "benchmarks.md").read_text(encoding="utf-8")
    assert page == script["format_page"](), "run scripts/make_benchmarks_table.py, which writes docs/benchmarks.md"
    assert not [name for name in load_benchmarks() if f"| `{name}` |" not in page]


@pytest.mark.parametrize("name", list(load_benchmarks()))
def test_a_benchmark_is_listed_with_metrics_that_have_a_reference(name: str) -> None:
    script = runpy.run_path(str(paths.ROOT / "scripts" / "make_benchmarks_table.py"))
    metrics = script["list_metrics"](get_benchmark(name))
    assert metrics
    assert not [metric for metric in metrics if find_entry(metric) is None]


def test_every_kind_of_benchmark_is_listed() -> None:
    assert {"librispeech", "ravdess", "iemocap", "cmi-rewardbench", "pam"} <= set(load_benchmarks())


def test_every_benchmark_has_a_miniature() -> None:
    benchmarks = load_benchmarks().values()
    others = {benchmark.name for benchmark in benchmarks if benchmark.kind in ("emotion", "reward", "preference")}
    assert {miniature.task for miniature in ALL_MINIATURES} == set(load_benchmarks()) - others - {"open-asr", "esb"}


@pytest.mark.slow
def test_data_list_shows_all_benchmarks(auricle: Any) -> None:
    table = auricle("data", "list").stdout
    assert "librispeech" in table
    assert "openslr.org/12" in table
    rows = json.loads(auricle("data", "list", "--json").stdout)
    assert {row["name"] for row in rows} == set(load_benchmarks())
    librispeech = next(row for row in rows if row["name"] == "librispeech")
    assert librispeech["splits"]["test-clean"] == 2620
    assert librispeech["hub"]["name"] == "openslr/librispeech_asr"


def test_data_list_shows_the_details_of_one_benchmark(auricle: Any) -> None:
    details = auricle("data", "list", "ami").stdout
    assert "mic       ihm, sdm, ihm-mix" in details
    assert "edinburghcstr/ami at no pinned revision" in details
    misspelled = auricle("data", "list", "libri")
    assert misspelled.returncode == 2
    assert "librispeech?" in misspelled.stderr


def test_data_check_exits_with_3_if_a_file_is_missing(auricle: Any, tmp_path: Path) -> None:
    MINIATURES["common-voice-de"].build(tmp_path / "cv")
    command = ("data", "check", "common-voice", "--root", "cv", "-T", "language=de")
    complete = auricle(*command)
    assert complete.returncode == 0, complete.stderr
    assert "Common Voice test de: 2 rows, 2 files" in complete.stdout
    assert "2 recordings decoded" in complete.stdout
    (tmp_path / "cv" / MINIATURES["common-voice-de"].file).unlink()
    incomplete = auricle(*command)
    assert incomplete.returncode == 3
    assert "missing  common_voice_de_1: " in incomplete.stdout


def test_a_limited_check_still_looks_for_all_files(tmp_path: Path) -> None:
    MINIATURES["librispeech"].build(tmp_path)
    (tmp_path / MINIATURES["librispeech"].file).unlink()
    task = build_task(Spec(task="librispeech", model="echo", task_args={"root": str(tmp_path)}))
    report = check_samples(task, limit=1)
    assert report.decoded_count == 0
    assert [kind for kind, _, _ in report.problems] == ["missing", "count"]


def test_a_recording_shorter_than_its_segment_is_broken(tmp_path: Path) -> None:
    MINIATURES["tedlium"].build(tmp_path)
    stm = tmp_path / "TEDLIUM_release-3/legacy/test/stm/AimeeMullins_2009P.stm"
    stm.write_text(stm.read_text().replace("0.30 0.50", "0.30 9.50"))
    report = check_samples(TASKS.get("tedlium")(root=str(tmp_path)))
    ((kind, _, message),) = [problem for problem in report.problems if problem[0] != "count"]
    assert kind == "broken"
    assert "is too short: 0.20 s of 9.20 s" in message


def test_decoded_samples_are_spread_evenly() -> None:
    assert evenly_spaced_indices(9, 3) == {0, 4, 8}
    assert evenly_spaced_indices(3, None) == evenly_spaced_indices(3, 7) == {0, 1, 2}
    assert evenly_spaced_indices(5, 1) == {0}


def test_duplicate_ids_are_detected(tmp_path: Path) -> None:
    MINIATURES["librispeech"].build(tmp_path)
    transcript = tmp_path / "LibriSpeech/test-clean/61/70968/61-70968.trans.txt"
    transcript.write_text(transcript.read_text() * 2)
    task = build_task(Spec(task="librispeech", model="echo", task_args={"root": str(tmp_path)}))
    assert [name for kind, name, _ in check_samples(task).problems if kind == "doubled"] == [
        "61-70968-0000",
        "61-70968-0001",
    ]


def test_data_check_counts_the_recordings_of_an_emotion_corpus(auricle: Any, corpus: Any) -> None:
    corpus([f"Actor_01/03-01-{emotion:02}-01-01-01-01.wav" for emotion in range(1, 9)])
    done = auricle("data", "check", "ravdess", "--root", "corpus")
    assert "RAVDESS speech: 8 of 1,440 published rows, 8 files" in done.stdout
    assert "count  RAVDESS speech: 8 rows in this copy, 1,440 published (neutral 1 of 96" in done.stdout
    assert done.returncode == 3


def test_labels_that_differ_from_the_publication_are_counted(corpus: Any) -> None:
    names = [f"AudioData/DC/{code}{number:02}.wav" for code, count in SAVEE_COUNTS for number in range(1, count + 1)]
    task = TASKS.get("savee")(root=str(corpus(names)))
    (problem,) = [reason for kind, _, reason in check_samples(task, limit=1).problems if kind == "count"]
    assert problem == (
        "120 rows in this copy, 480 published (anger 16 of 60, disgust 15 of 60, fear 14 of 60, happiness 15 of 60, "
        "neutral 30 of 120, sadness 15 of 60, surprise 15 of 60)"
    )


SAVEE_COUNTS = (("a", 16), ("d", 15), ("f", 14), ("h", 15), ("n", 30), ("sa", 15), ("su", 15))


@pytest.mark.parametrize("options", [{}, {"part": "song"}, {"question": "How do they feel?"}])
def test_a_prepared_emotion_corpus_gives_the_same_task(corpus: Any, tmp_path: Path, options: Any) -> None:
    root = corpus([f"Actor_01/03-0{channel}-0{emotion}-01-01-01-01.wav" for channel in (1, 2) for emotion in (1, 2, 3)])
    out = tmp_path / "made.jsonl"
    words = [f"{name}={value}" for name, value in options.items()]
    assert prepare_data("ravdess", root, words, out, as_json=True) == 0
    prepared, original = TASKS.get("ravdess")(data=str(out), **options), TASKS.get("ravdess")(root=str(root), **options)
    assert list(map(sample_content, prepared.samples)) == list(map(sample_content, original.samples))
    assert repr(prepared.inferencer) == repr(original.inferencer)
    assert repr(list(prepared.metrics)) == repr(list(original.metrics))
    assert prepared.name == original.name


def test_a_prepared_reward_benchmark_has_the_same_samples(
    manifest: Any, tone: Any, tmp_path: Path, capsys: Any
) -> None:
    tone("a.wav")
    rows = [{"audio-path": "a.wav", "prompt": "a waltz", "musicality": 3, "source": name, "split": "test"}
            for name in ("PAM (music)", "MusicEval", "PAM (music)")]  # fmt: skip
    manifest(rows).rename(tmp_path / "all_test.jsonl")
    out = tmp_path / "made" / "out.jsonl"
    assert prepare_data("pam", tmp_path, (), out, as_json=False) == 0
    assert f"auricle run pam -T dataset_jsonl={out} -m MODEL" in capsys.readouterr().out
    samples = list(TASKS.get("pam")(dataset_jsonl=str(out)).samples)
    assert [sample.id for sample in samples] == ["pam-0", "pam-2"]
    report = check_samples(TASKS.get("pam")(dataset_jsonl=str(out)))
    assert (report.rows, report.decoded_count, report.problems) == (2, 2, [])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("librispeech", "--root", "x", "-o", "made.csv"), "must end in .jsonl"),
        (("asr", "-T", "data=x.jsonl", "-o", "made.jsonl"), "is not a published benchmark"),
        (("nowhere", "-o", "made.jsonl"), "Unknown task 'nowhere'"),
    ],
)
def test_data_prepare_rejects_invalid_arguments(auricle: Any, words: Any, message: str, tmp_path: Path) -> None:
    done = auricle("data", "prepare", *words)
    assert done.returncode == 2, done.stdout
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "made.jsonl").exists()


@pytest.mark.slow
def test_a_prepared_manifest_can_be_moved_with_its_corpus(auricle: Any, tmp_path: Path) -> None:
    MINIATURES["tedlium"].build(tmp_path / "data")
    done = auricle("data", "prepare", "tedlium", "--root", "data", "-o", "data/test.jsonl")
    assert done.returncode == 0, done.stderr
    assert "auricle run data/test.jsonl --as asr -T language=en -T cluster=speaker" in done.stdout
    row = json.loads((tmp_path / "data/test.jsonl").read_text().splitlines()[0])
    assert row["audio"] == "TEDLIUM_release-3/legacy/test/sph/AimeeMullins_2009P.sph"
    assert (row["start"], row["end"]) == (0.1, 0.3)
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    run = auricle("run", "elsewhere/test.jsonl", "--as", "asr", "-m", "echo", "-o", "run")
    assert run.returncode == 0, run.stderr


def test_without_a_judge_the_answers_are_kept(tmp_path: Path) -> None:
    mini = find_miniature("air-bench-chat")
    mini.build(tmp_path / "corpus")
    arguments = {"root": str(tmp_path / "corpus")}
    spec = Spec(task=mini.task, task_args=arguments, model="echo", model_args={"reply": "a bell"})
    assert not api.evaluate(spec, tmp_path / "run").numbers
    document = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert "needs a judge" in document["not_computed"]["judge-1-10"]
    assert "a bell" in (tmp_path / "run" / "outputs.jsonl").read_text()


def test_a_pattern_selects_several_tasks() -> None:
    names = [reference.task for reference in resolve_tasks("openaudiobench-*", None, {})]
    assert len(names) == 5
    assert all(name in TASKS for name in names)


def test_audio_in_parquet_files_is_written_beside_the_manifest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    find_miniature("voicebench-alpacaeval").build(tmp_path / "clone")
    out = tmp_path / "out.jsonl"
    assert prepare_data("voicebench-alpacaeval", tmp_path / "clone", (), out, as_json=True) == 0
    assert len(list((tmp_path / "out").glob("*.wav"))) == 2
    shutil.rmtree(tmp_path / "clone")
    prepared = TASKS.get("voicebench-alpacaeval")(data=str(out))
    assert check_samples(prepared).decoded_count == 2
    assert [metric.name for metric in prepared.metrics] == ["judge-1-5"]


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("librispeech", "LibriSpeech"),
        ("librispeech", "LibriSpeech/test-clean"),
        ("fleurs-zh", "cmn_hans_cn"),
        ("common-voice-de", "cv-corpus-17.0-2024-03-15"),
        ("common-voice-de", "cv-corpus-17.0-2024-03-15/de"),
        ("covost2-de_en", "de"),
        ("aishell", "data_aishell"),
        ("aishell-2", "AISHELL-2"),
        ("tedlium", "TEDLIUM_release-3"),
        ("voxpopuli", "transcribed_data/en"),
        ("earnings22", "earnings22"),
        ("spgispeech", "spgispeech"),
    ],
)
def test_the_root_may_be_a_folder_inside_the_archive(name: str, folder: str, tmp_path: Path) -> None:
    miniature = MINIATURES[name]
    miniature.build(tmp_path)
    samples = build_from(miniature, tmp_path / folder).samples
    assert [sample.id for sample in samples] == list(miniature.rows)


# --- what a form or a help text shows -----------------------------------------------------------


def describe(name: str) -> dict[str, Argument]:
    return {argument.name: argument for argument in describe_arguments(TASKS.get(name))}


def test_folder_is_required_unless_the_hub_has_a_copy() -> None:
    assert describe("ravdess")["root"].kind == "folder"
    assert describe("ravdess")["root"].is_required
    assert not describe("librispeech")["root"].is_required
    assert describe("librispeech")["copy"].choices == ("disk", "hf")


def test_splits_languages_and_parts_are_choices() -> None:
    assert describe("ravdess")["part"].choices == ("speech", "song", "both")
    esd = describe("esd")
    assert (esd["split"].default, esd["language"].choices) == ("test", ("en", "zh", "all"))
    assert esd["speakers"].kind == "several"
    assert esd["speakers"].choices[-1] == "0020"
    assert describe("fleurs")["language"].default in describe("fleurs")["language"].choices


def test_options_of_the_kind_follow_those_of_the_benchmark() -> None:
    arguments = describe("ravdess")
    assert arguments["part"].is_common
    assert not arguments["metrics"].is_common
    assert "reader" not in arguments


def test_unknown_speaker_is_rejected_with_all_choices() -> None:
    with pytest.raises(SpecError, match=r"esd: invalid speakers '99': expected any of 0001, 0002"):
        TASKS.get("esd")(root="x", speakers="11,99")
