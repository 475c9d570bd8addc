"""What the catalogue's base promises: parts, places, `auricle data`, and rows of Hugging Face."""

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import datasets
import pyarrow.parquet
import pytest
import sacrebleu

from auricle import Spec, evaluate
from auricle.api import build_task
from auricle.cli.data import check_samples, evenly_spaced_indices, load_benchmarks, prepare_data
from auricle.core.errors import DataError, SpecError
from auricle.data.huggingface import CONVERTED_REVISION_PREFIX, HuggingFaceDataset
from auricle.data.manifest import ColumnMapping
from auricle.tasks.benchmarks.base import Benchmark, HubDataset, make_item, read_table
from auricle.tasks.catalogue import TASKS
from tests.support import paths
from tests.support.miniatures import sound, text
from tests.support.miniatures_speech import SPEECH

CORPORA = {str(each): each for each in SPEECH}
MINE = [name for name, each in load_benchmarks().items() if each.kind in ("asr", "translate")]


def made(root: Any, name: str = "librispeech", **options: Any) -> Any:
    CORPORA[name].build(root)
    return TASKS.get(CORPORA[name].task)(root=str(root), **options)


# --- which part ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "option", "wrong", "known"),
    [
        ("librispeech", "split", "tst-clean", "test-clean, test-other, dev-clean, dev-other"),
        ("librispeech", "language", "zh", "language is one of en, not 'zh'"),
        ("fleurs", "language", "tlh", "en_us, cmn_hans_cn, af_za"),
        ("covost2", "pair", "fr_de", "en_de, en_tr"),
        ("covost2", "language", "de", "language cannot be chosen"),
        ("ami", "mic", "phone", "ihm, sdm, ihm-mix"),
        ("librispeech", "source", "cloud", "disk, hf or hf:COPY"),
        ("aishell", "source", "hf", "source is disk"),
        ("librispeech", "splt", "x", "takes no option splt. Did you mean split?"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(name: str, option: str, wrong: str, known: str) -> None:
    with pytest.raises(SpecError) as error:
        TASKS.get(name)(**{"root": "x", option: wrong})
    assert known in str(error.value)


def test_a_language_may_be_said_by_its_usual_code() -> None:
    fleurs = TASKS.get("fleurs")
    assert fleurs.part({"language": "zh"})[0]["language"] == "cmn_hans_cn"
    assert fleurs(root="x", language="ja").language == "ja"


@pytest.mark.parametrize(
    ("language", "first"), [("en", "wer"), ("de", "wer"), ("zh", "cer"), ("yue", "cer"), ("ja", "cer"), ("th", "cer")]
)
def test_scripts_without_spaces_are_counted_in_characters(language: str, first: str) -> None:
    task = TASKS.get("fleurs")(root="x", language=language)
    assert task.metrics[0].name == first


def test_any_language_of_common_voice_is_taken_and_what_is_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no en/test.tsv .* Languages there: de\."):
        made(tmp_path, "common-voice-de").samples.peek()


def test_one_language_is_not_taken_for_another(tmp_path: Path) -> None:
    CORPORA["common-voice-de"].build(tmp_path)
    folder = tmp_path / "cv-corpus-17.0-2024-03-15/de"
    with pytest.raises(DataError, match=r"is in de, not in en: say so with -T language=de"):
        TASKS.get("common-voice")(root=str(folder)).samples.peek()
    assert len(TASKS.get("common-voice")(root=str(folder), language="de").samples) == 2


def test_a_corpus_without_a_copy_on_the_hub_needs_its_folder() -> None:
    with pytest.raises(SpecError, match=r"needs its folder: .*AISHELL-1 comes from openslr.org/33"):
        TASKS.get("aishell")()


def test_a_copy_on_the_hub_is_the_default_and_is_pinned() -> None:
    samples = TASKS.get("librispeech")(split="dev-other").samples
    assert samples.revision.startswith("openslr/librispeech_asr.other.validation@71cacbf")
    assert TASKS.get("librispeech")(revision="abc").samples.revision.endswith("@abc")


# --- what is asked ------------------------------------------------------------------------------


def test_names_and_facts_of_the_entry_stand_in_the_task(tmp_path: Path) -> None:
    task = made(tmp_path)
    assert (task.name, task.language, task.licence) == ("librispeech-test-clean", "en", "CC BY 4.0")
    assert (task.source, task.cluster) == ("openslr.org/12", "speaker")
    assert task.revision.startswith("librispeech.test-clean@")
    assert made(tmp_path / "b", split="test-other").revision != task.revision


def test_a_prompt_of_ones_own_replaces_the_instruction(tmp_path: Path) -> None:
    task = made(tmp_path, prompt="{audio}What is said?")
    assert "What is said?" in repr(task.inferencer)


def test_fewer_rows_than_are_published_are_noted(tmp_path: Path) -> None:
    notes = made(tmp_path).notes("echo", {})
    assert notes == ["LibriSpeech test-clean: 2 rows are here, 2,620 are published."]
    assert made(tmp_path / "b", rows="[:1]").notes("echo", {}) == []


def test_a_translation_asks_for_the_language_and_is_scored_by_character(tmp_path: Path) -> None:
    task = made(tmp_path, "covost2-en_zh-CN", pair="en_zh-CN")
    sample = next(iter(task.samples))
    assert sample.inputs["question"] == "Please translate the speech into Chinese."
    assert [each.name for each in task.metrics] == ["bleu_char", "chrf"]


@pytest.mark.parametrize(("name", "tokenise"), [("bleu_char", "char"), ("bleu_zh", "zh")])
def test_bleu_of_characters_is_sacrebleus(manifest: Any, tmp_path: Path, name: str, tokenise: str) -> None:
    path = manifest([{"id": "1", "question": "早上好 Tom", "audio": "x.wav", "answer": "你早上好 Tom"}])
    sound(tmp_path / "x.wav")
    options = {"data": str(path), "metrics": [name], "prompt": "{question}"}
    (number,) = evaluate(Spec(task="translate", task_args=options, model="echo"), tmp_path / "run")
    oracle = sacrebleu.corpus_bleu(["早上好 Tom"], [["你早上好 Tom"]], tokenize=tokenise)
    assert number.value == pytest.approx(oracle.score)


# --- auricle data -------------------------------------------------------------------------------


def test_every_entry_says_what_is_published_of_it() -> None:
    for name, each in load_benchmarks().items():
        assert each.name == name
        assert each.title
        assert each.source
        assert each.layout
        assert each.splits
        assert "://" not in each.source


def test_every_entry_stands_in_the_documentation() -> None:
    page = (paths.DOCS / "benchmarks.md").read_text(encoding="utf-8")
    assert not [name for name in load_benchmarks() if f"| `{name}` |" not in page]


def test_every_speech_entry_has_a_miniature() -> None:
    assert {each.task for each in SPEECH} == set(MINE) - {"open-asr", "esb"}


def test_the_list_tells_name_kind_language_licence_and_source(auricle: Any) -> None:
    told = auricle("data", "list").stdout
    assert "librispeech" in told
    assert "openslr.org/12" in told
    rows = json.loads(auricle("data", "list", "--json").stdout)
    assert {each["name"] for each in rows} == set(load_benchmarks())
    libri = next(each for each in rows if each["name"] == "librispeech")
    assert libri["splits"]["test-clean"] == 2620
    assert libri["hub"]["name"] == "openslr/librispeech_asr"


def test_one_entry_is_told_in_full(auricle: Any) -> None:
    told = auricle("data", "list", "ami").stdout
    assert "mic       ihm, sdm, ihm-mix" in told
    assert "edinburghcstr/ami at no pinned revision" in told
    wrong = auricle("data", "list", "libri")
    assert wrong.returncode == 2
    assert "Did you mean librispeech?" in wrong.stderr


def test_a_whole_copy_is_exit_code_zero_and_a_torn_one_three(auricle: Any, tmp_path: Path) -> None:
    CORPORA["common-voice-de"].build(tmp_path / "cv")
    command = ("data", "check", "common-voice", "--root", "cv", "-T", "language=de")
    whole = auricle(*command)
    assert whole.returncode == 0, whole.stderr
    assert "Common Voice test de: 2 rows, 2 files" in whole.stdout
    assert "2 sounds decoded" in whole.stdout
    (tmp_path / "cv" / CORPORA["common-voice-de"].file).unlink()
    torn = auricle(*command)
    assert torn.returncode == 3
    assert "missing  common_voice_de_1: " in torn.stdout
    assert "Wrong: missing 1." in torn.stdout


def test_a_limit_decodes_some_and_looks_for_all(tmp_path: Path) -> None:
    CORPORA["librispeech"].build(tmp_path)
    (tmp_path / CORPORA["librispeech"].file).unlink()
    task = build_task(Spec(task="librispeech", model="echo", task_args={"root": str(tmp_path)}))
    found = check_samples(task, limit=1)
    assert found.decoded_count == 0
    assert [kind for kind, _, _ in found.problems] == ["missing", "count"]


def test_a_recording_that_ends_before_its_segment_is_broken(tmp_path: Path) -> None:
    CORPORA["tedlium"].build(tmp_path)
    stm = tmp_path / "TEDLIUM_release-3/legacy/test/stm/AimeeMullins_2009P.stm"
    stm.write_text(stm.read_text().replace("0.30 0.50", "0.30 9.50"))
    found = check_samples(TASKS.get("tedlium")(root=str(tmp_path)))
    ((kind, _, words),) = [each for each in found.problems if each[0] != "count"]
    assert kind == "broken"
    assert "ends too early: 0.20 s are there of 9.20 s" in words


def test_what_is_decoded_is_spread_over_the_set() -> None:
    assert evenly_spaced_indices(9, 3) == {0, 4, 8}
    assert evenly_spaced_indices(3, None) == evenly_spaced_indices(3, 7) == {0, 1, 2}
    assert evenly_spaced_indices(5, 1) == {0}


def test_an_id_that_is_there_twice_is_found(tmp_path: Path) -> None:
    CORPORA["librispeech"].build(tmp_path)
    transcript = tmp_path / "LibriSpeech/test-clean/61/70968/61-70968.trans.txt"
    transcript.write_text(transcript.read_text() * 2)
    task = build_task(Spec(task="librispeech", model="echo", task_args={"root": str(tmp_path)}))
    assert [name for kind, name, _ in check_samples(task).problems if kind == "doubled"] == [
        "61-70968-0000",
        "61-70968-0001",
    ]


def test_other_corpora_on_disk_are_checked_too(auricle: Any, corpus: Any) -> None:
    corpus([f"Actor_01/03-01-{emotion:02}-01-01-01-01.wav" for emotion in range(1, 9)])
    done = auricle("data", "check", "ravdess", "--root", "corpus")
    assert "8 rows, 8 files" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("librispeech", "--root", "x", "-o", "made.csv"), "should end in .jsonl"),
        (("asr", "-T", "data=x.jsonl", "-o", "made.jsonl"), "is no published benchmark"),
        (("nowhere", "-o", "made.jsonl"), "No task called 'nowhere'"),
    ],
)
def test_what_cannot_be_prepared_is_the_users_move(auricle: Any, words: Any, told: str, tmp_path: Path) -> None:
    done = auricle("data", "prepare", *words)
    assert done.returncode == 2, done.stdout
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "made.jsonl").exists()


def test_a_prepared_manifest_has_relative_paths_and_can_move_with_its_corpus(auricle: Any, tmp_path: Path) -> None:
    CORPORA["tedlium"].build(tmp_path / "data")
    done = auricle("data", "prepare", "tedlium", "--root", "data", "-o", "data/test.jsonl")
    assert done.returncode == 0, done.stderr
    assert "auricle run data/test.jsonl --as asr -T language=en -T cluster=speaker" in done.stdout
    row = json.loads((tmp_path / "data/test.jsonl").read_text().splitlines()[0])
    assert row["audio"] == "TEDLIUM_release-3/legacy/test/sph/AimeeMullins_2009P.sph"
    assert (row["start"], row["end"]) == (0.1, 0.3)
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    made = auricle("run", "elsewhere/test.jsonl", "--as", "asr", "-m", "echo", "-o", "run")
    assert made.returncode == 0, made.stderr


# --- rows of Hugging Face -----------------------------------------------------------------------

HEARD = {"bytes": b"RIFF", "path": "17.wav"}
ROWS = {
    "librispeech": ({"id": "61-70968-0000", "text": "HE", "speaker_id": 61, "chapter_id": 70968},
                    ("61-70968-0000", "HE", {"speaker": "61", "chapter": "70968"})),
    "fleurs": ({"id": 9, "path": "x/17.wav", "transcription": "hi", "raw_transcription": "Hi!",
                "gender": 1},
               ("17", "hi", {"sentence": "9", "gender": "female", "raw_text": "Hi!"})),
    "common-voice": ({"path": "en_1.mp3", "sentence": "Hi.", "client_id": "a", "age": ""},
                     ("en_1", "Hi.", {"speaker": "a"})),
    "covost2": ({"id": "en_1", "file": "en_1.mp3", "translation": "Hallo", "sentence": "Hi",
                 "client_id": "a"},
                ("en_1", "Hallo", {"speaker": "a", "sentence": "Hi"})),
    "voxpopuli": ({"audio_id": "2009-1", "normalized_text": "mr", "speaker_id": "28",
                   "gender": "male", "accent": "None"},
                  ("2009-1", "mr", {"speaker": "28", "gender": "male"})),
    "ami": ({"audio_id": "AMI_1", "text": "YEAH", "speaker_id": "MEE1", "meeting_id": "ES2004a"},
            ("AMI_1", "YEAH", {"speaker": "MEE1", "meeting": "ES2004a"})),
    "earnings22": ({"file_id": "432", "transcription": "Good."}, ("432", "Good.", {})),
    "spgispeech": ({"wav_filename": "07a/1.wav", "transcript": "We."},
                   ("07a_1", "We.", {"call": "07a"})),
    "open-asr": ({"id": "1.wav", "text": "yes", "dataset": "ami"},
                 ("1.wav", "yes", {"dataset": "ami"})),
    "esb": ({"id": "1.wav", "text": "yes", "dataset": "ami"},
            ("1.wav", "yes", {"dataset": "ami"})),
}  # fmt: skip


def test_every_entry_on_the_hub_has_a_row_here() -> None:
    assert {name for name in MINE if load_benchmarks()[name].hub} == set(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_the_hub_become_rows_of_ours(name: Any) -> None:
    bench = TASKS.get(name)
    theirs, (id_, target, meta) = ROWS[name]
    found = bench.hub.item({**theirs, "audio": HEARD})
    assert (found["id"], found["target"], found["audio"]) == (id_, target, HEARD)
    assert found.get("meta", {}) == meta
    config, split = bench.hub.at(bench.part({})[0])
    assert split.startswith("test")
    assert config


@pytest.mark.parametrize("text_", ["", "  ", "ignore_time_segment_in_scoring"])
def test_rows_that_the_leaderboard_does_not_score_are_left_out(text_: str) -> None:
    row = {"id": "1", "text": text_, "audio": HEARD}
    assert TASKS.get("open-asr").hub.item(row) is None


@pytest.fixture
def saved(tmp_path: Path) -> Any:
    sounds = [sound(tmp_path / f"{at}.wav").read_bytes() for at in range(3)]
    rows = {
        "audio": [{"bytes": each, "path": f"{at}.wav"} for at, each in enumerate(sounds)],
        "id": ["1", "2", "3"],
        "text": ["yes", "", "no"],
        "dataset": ["a", "a", "b"],
    }
    folder = tmp_path / "saved"
    datasets.DatasetDict({"test": datasets.Dataset.from_dict(rows)}).save_to_disk(folder)
    return folder


@pytest.mark.parametrize(("name", "first"), [("open-asr", "ami_cleaned"), ("esb", "ami")])
def test_a_copy_of_the_hubs_runs_end_to_end(saved: Any, tmp_path: Path, name: str, first: str) -> None:
    options = {"source": f"hf:{saved}"}
    numbers = evaluate(Spec(task=name, task_args=options, model="echo"), tmp_path / "run")
    assert numbers[0].scored == 2
    assert f"saved.{first}.test@unpinned" in numbers[0].signature


def test_where_the_hubs_package_is_missing_the_archive_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", ModuleType("datasets"))  # a folder's
    with pytest.raises(DataError, match=r"auricle\[huggingface\]'. LibriSpeech's own archive"):
        TASKS.get("librispeech")().samples.peek()


def test_where_the_hub_fails_the_archive_is_told_of(saved: Any) -> None:
    task = TASKS.get("librispeech")(source=f"hf:{saved}", split="dev-clean")
    with pytest.raises(DataError) as error:
        task.samples.peek()
    assert "has no split 'validation'; it has test" in str(error.value)
    assert "LibriSpeech's own archive (openslr.org/12) is read with -T root=DIR" in str(error.value)


@pytest.mark.parametrize("name", ["open-asr", "esb"])
def test_a_clone_of_the_leaderboards_files_runs_end_to_end(tmp_path: Path, name: str) -> None:
    heard = {"bytes": sound(tmp_path / "x.wav").read_bytes(), "path": "x.wav"}
    shard = tmp_path / "clone/librispeech/test.clean-00000-of-00001.parquet"
    shard.parent.mkdir(parents=True)
    rows = {"audio": [heard, heard], "id": ["1", "2"], "text": ["yes", ""]}
    pyarrow.parquet.write_table(pyarrow.table(rows), shard)
    options = {"root": str(tmp_path / "clone"), "set": "librispeech-clean"}
    task = TASKS.get(name)(**options)
    assert [(each.id, each.target) for each in task.samples] == [("1", "yes")]
    assert check_samples(task).decoded_count == 1
    numbers = evaluate(Spec(task=name, task_args=options, model="echo"), tmp_path / "run")
    assert numbers[0].scored == 1


def test_a_clone_without_a_set_says_which_files_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no ami_cleaned/test-\*.parquet in"):
        TASKS.get("open-asr")(root=str(tmp_path)).samples.peek()


def test_a_copy_of_the_hubs_is_prepared_with_its_sounds_beside_it(
    saved: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "made.jsonl"
    assert prepare_data("open-asr", None, [f"source=hf:{saved}"], out, False) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(each["id"], each["target"]) for each in rows] == [("1", "yes"), ("3", "no")]
    assert all((tmp_path / each["audio"]).is_file() for each in rows)
    assert "--as asr" in capsys.readouterr().out


def test_one_split_of_theirs_may_hold_several_parts_and_a_lost_column_is_told(saved: Any) -> None:
    hub = HubDataset(
        "x", None, locate=lambda _: (None, "test"), convert_row=lambda row: make_item(row["id"], HEARD, "x")
    )
    some = Benchmark(
        name="some", title="Some", kind="asr", licence="", source="x", splits={"test": 2},
        layout="x", read=lambda _root, _part: [], hub=hub,
    )  # fmt: skip
    of_a = HubDataset(**{**_fields(hub), "only": lambda _part: {"dataset": "a"}})
    task = Benchmark(**{**_fields(some), "hub": of_a})(source=f"hf:{saved}")
    assert [each.id for each in task.samples] == ["1", "2"]
    lost = HubDataset(**{**_fields(hub), "item": lambda row: make_item(row["key"], HEARD, "x")})
    with pytest.raises(DataError, match=r"has no column 'key'; it has .*dataset"):
        list(Benchmark(**{**_fields(some), "hub": lost})(source=f"hf:{saved}").samples)


def _fields(thing: Any) -> Any:
    return {name: getattr(thing, name) for name in thing.__dataclass_fields__}


def test_of_what_the_hub_converted_only_the_splits_own_files_are_read() -> None:
    asked = []
    library = SimpleNamespace(load_dataset=lambda *name, **how: asked.append((name, how)))
    for revision in ("abc", f"{CONVERTED_REVISION_PREFIX}parquet"):
        how = {"config": "en_us", "split": "test", "pinned": revision}
        HuggingFaceDataset("hf:google/fleurs", ColumnMapping(target_columns=()), **how)._load(library)
    assert asked == [
        (("google/fleurs", "en_us"), {"split": "test", "revision": "abc"}),
        (
            ("google/fleurs",),
            {"data_files": {"test": "en_us/test/*.parquet"}, "split": "test", "revision": "refs/convert/parquet"},
        ),
    ]


# --- reading ------------------------------------------------------------------------------------


def test_quotation_marks_in_tables_are_text_and_a_lost_column_is_told(tmp_path: Path) -> None:
    path = text(tmp_path / "test.tsv", "path\tsentence", 'a.mp3\t"Yes" she said')
    assert list(read_table(path)) == [{"path": "a.mp3", "sentence": '"Yes" she said'}]
    with pytest.raises(DataError, match="has no column client_id; it has path, sentence"):
        list(read_table(path, required=("client_id",)))


def test_a_torn_json_of_segments_is_the_users_move(tmp_path: Path) -> None:
    text(tmp_path / "GigaSpeech.json", '{"audios": [')
    with pytest.raises(DataError, match=r"GigaSpeech.json does not hold a list of audios"):
        TASKS.get("gigaspeech")(root=str(tmp_path)).samples.peek()
