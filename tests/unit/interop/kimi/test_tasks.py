"""Datasets of Kimi-Audio-Evalkit: found where it finds them, asked as it asks, scored by us."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.api import evaluate, preview
from auricle.core.errors import SpecError, UnknownName
from auricle.core.types import RejectedRow
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec, resolve_tasks
from auricle.interop.kimi.data_config import DataConfig
from auricle.interop.kimi.datasets import DATASETS, GROUPS, find_dataset, find_group
from auricle.runs.run_directory import Run
from auricle.tasks.catalogue import TASKS

CLASSES = Path(__file__).with_name("kimi_classes.py")
VOCAL = (
    "Which sound is it?\nOptions:\n(A) Laughter\n(B) Sigh\n(C) Throat clearing\n"
    ".Answer with the option's letter from the given choices directly and only give the best."
)
OWN = """
from almeval.datasets.ds_mqa import AudioMQADataset

class Sounds(AudioMQADataset):
    DATASET_NAME = "my-sounds"
    DATASET_SERIES = "Mine"
    AUDIO_TYPE = "AudioEvent"
"""


@pytest.fixture(autouse=True)
def kit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tone: Any) -> Any:
    """A folder with a config and three sounds, as the evalkit's is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PROJECT_CONFIG_PATH", raising=False)
    for at in range(3):
        tone(f"{at}.wav", 0.2 + at / 10)
    configured({"dataset_root": "data"})
    return tmp_path


def configured(section: Any, path: str = "config.yaml") -> Any:
    Path(path).write_text(json.dumps({"DATASETS": section}))
    return Path(path)


def written(path: Any, rows: Any) -> Any:
    """Rows with what every row of the evalkit's has."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    usual = [{"index": at, "audio_path": f"{at}.wav", "question": ""} for at in range(len(rows))]
    lines = [json.dumps({**every, **row}) for every, row in zip(usual, rows, strict=True)]
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def task(name: Any, **arguments: Any) -> Any:
    return build_task(Spec(task=f"kimi:{name}", model="echo", task_args=arguments).resolved())


def numbers(name: Any, model: str = "echo", model_args: Any = None, **arguments: Any) -> Any:
    spec = Spec(task=f"kimi:{name}", model=model, task_args=arguments, model_args=model_args or {}).resolved()
    found = evaluate(spec, "out")
    return {number.metric: number for number in found}


def test_all_datasets_and_groups_are_known() -> None:
    assert len(DATASETS) == 21
    assert {name: len(find_group(name)) for name in GROUPS} == {
        "all": 21,
        "asr": 6,
        "mqa": 8,
        "refqa": 3,
        "open-qa": 4,
        "audio-qa": 8,
        "audio-event": 6,
        "close-qa": 11,
    }


@pytest.mark.parametrize("name", ["VocalSound", "vocalsound", "VOCALSOUND"])
def test_a_name_may_be_in_any_case(name: str) -> None:
    assert find_dataset(name).name == "VocalSound"


@pytest.mark.parametrize("typed", ["LibriSpeech", "librispeech", "LIBRISPEECH"])
def test_however_a_name_is_typed_it_is_one_run(typed: str) -> None:
    assert [name for name, _ in resolve_tasks(f"kimi:{typed}", None, {})] == ["kimi:LibriSpeech"]


def test_a_name_nearly_right_is_answered_with_the_right_one() -> None:
    with pytest.raises(UnknownName, match=r"no dataset called 'librispeach'. .* LibriSpeech"):
        find_dataset("librispeach")


@pytest.mark.parametrize(
    "place", ["data/Fleurs-en/Fleurs-en.jsonl", "data/Fleurs/Fleurs-en.jsonl", "data/Fleurs/Fleurs-en/Fleurs-en.jsonl"]
)
def test_rows_are_looked_for_in_three_places(place: str, tmp_path: Path) -> None:
    written(place, [{"answer": "x"}])
    assert DataConfig.read().find_data_file(find_dataset("fleurs-en")) == tmp_path / place


def test_a_file_that_the_config_names_comes_first_whatever_its_key_s_case(tmp_path: Path) -> None:
    written("data/VocalSound/VocalSound.jsonl", [{"answer": "A"}])
    own = written("mine/any.jsonl", [{"answer": "B"}])
    configured({"dataset_root": "data", "datasets": {"Vocalsound": "mine/any.jsonl"}})
    assert DataConfig.read().find_data_file(find_dataset("VocalSound")) == tmp_path / own


def test_the_config_is_named_or_told_by_the_variable_or_found_above(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = configured({"dataset_root": "x"}, "other.yaml")
    assert DataConfig.read("other.yaml").path == tmp_path / other
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir("deep")
    assert DataConfig.read().path == tmp_path / "config.yaml"
    monkeypatch.setenv("PROJECT_CONFIG_PATH", str(tmp_path / other))
    assert DataConfig.read().path == tmp_path / other


def test_a_config_without_datasets_of_its_own_is_one(tmp_path: Path) -> None:
    configured({"dataset_root": "data", "datasets": None})
    assert DataConfig.read().dataset_files == {}


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"dataset_root": "data"}, "LibriSpeech is not in .*LibriSpeech.jsonl. Say where it is"),
        ({"datasets": {"LibriSpeech": "gone.jsonl"}}, "There is no .*gone.jsonl, where .* says"),
        ({}, "LibriSpeech is not in a dataset_root, as there is none"),
    ],
)
def test_data_that_is_not_there_is_told_with_where_it_was_looked_for(section: Any, words: str) -> None:
    configured(section)
    with pytest.raises(SpecError, match=words):
        task("LibriSpeech")


def test_without_any_config_the_ways_to_name_one_are_told() -> None:
    Path("config.yaml").unlink()
    with pytest.raises(SpecError, match=r"-T config=config.yaml, or \$PROJECT_CONFIG_PATH"):
        task("LibriSpeech")


def test_a_settled_task_needs_no_config_any_more(tmp_path: Path) -> None:
    written("data/LibriSpeech/LibriSpeech.jsonl", [{"answer": "x"}])
    spec = Spec(task="kimi:LibriSpeech", model="echo", task_args={"config": "config.yaml"})
    settled = spec.resolved()
    assert settled.task_args == {"data": str(tmp_path / "data/LibriSpeech/LibriSpeech.jsonl"), "root": str(tmp_path)}
    assert settled.resolved() == settled
    Path("config.yaml").unlink()
    assert build_task(settled).name == "LibriSpeech"


def test_a_group_is_its_datasets_and_the_missing_ones_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    written("data/LibriSpeech/LibriSpeech.jsonl", [{"answer": "x"}])
    written("data/Fleurs/Fleurs-zh.jsonl", [{"answer": "x"}])
    found = resolve_tasks("kimi:ASR", None, {"config": "config.yaml"})
    assert [name for name, _ in found] == ["kimi:LibriSpeech", "kimi:Fleurs-zh"]
    assert "4 of 6 datasets are not there: Fleurs-en, AISHELL-1" in capsys.readouterr().err


def test_a_group_without_any_data_is_refused() -> None:
    with pytest.raises(SpecError, match="leads to none of ClothoAQA, sd-qa, OpenAudioBench"):
        TASKS.expand("kimi:refqa", {})


def test_a_group_where_one_task_is_due_names_its_members() -> None:
    with pytest.raises(SpecError, match="is several tasks; name one of them: kimi:ClothoAQA"):
        build_task(Spec(task="kimi:refqa", model="echo"))


def test_each_dataset_of_a_group_is_a_run_of_its_own(auricle: Any, tmp_path: Path) -> None:
    for name in ("LibriSpeech", "AISHELL-1"):
        written(f"data/{name}/{name}.jsonl", [{"answer": "0", "subset": name}])
    Path("run.yaml").write_text("task: kimi:asr\nmodel: echo\n")
    done = auricle("run", "--config", "run.yaml", "-o", "runs", "--json")
    assert done.returncode == 0, done.stderr
    assert [each["task"]["name"] for each in json.loads(done.stdout)] == ["LibriSpeech", "AISHELL-1"]
    assert (tmp_path / "runs" / "AISHELL-1-echo" / "metrics.json").exists()
    assert "4 of 6 datasets are not there" in done.stderr


def test_english_speech_has_words_and_chinese_speech_characters_and_words() -> None:
    written("data/LibriSpeech/LibriSpeech.jsonl", [{"answer": "0"}])
    written("data/AISHELL-1/AISHELL-1.jsonl", [{"answer": "0"}])
    english, chinese = task("LibriSpeech"), task("AISHELL-1")
    assert [each.name for each in english.metrics] == ["wer", "cer"]
    assert "whisper-en" in english.metrics[0].signature
    assert [each.name for each in chinese.metrics] == ["mer", "cer"]


def test_every_subset_has_its_numbers_also_one_called_sentiment() -> None:
    rows = [{"answer": str(at), "subset": ("test", "sentiment")[at % 2]} for at in range(3)]
    written("data/LibriSpeech/LibriSpeech.jsonl", rows)
    assert numbers("LibriSpeech")["wer"].value == 0.0
    told = json.loads(Path("out/metrics.json").read_text())["numbers"]
    by = {each["group"]: each["scored"] for each in told if each["field"] == "subset"}
    assert by == {"test": 2, "sentiment": 1}


def test_options_are_read_from_the_question_without_what_follows_them() -> None:
    rows = [{"question": VOCAL, "answer": each} for each in ("Laughter", "throat_clearing", "C")]
    written("data/VocalSound/VocalSound.jsonl", rows)
    samples = list(task("VocalSound").samples)
    assert samples[0].inputs["choices"] == ["Laughter", "Sigh", "Throat clearing"]
    found = numbers("VocalSound", model_args={"reply": "I hear (C) throat clearing."})
    assert found["option_accuracy"].value == pytest.approx(2 / 3)


def test_a_question_is_asked_as_it_stands_and_a_spoken_one_without_words() -> None:
    written("data/VocalSound/VocalSound.jsonl", [{"question": VOCAL, "answer": "A"}])
    written("data/VoiceBench/mmsu.jsonl", [{"answer": "B"}])
    for name, text in (("VocalSound", VOCAL), ("mmsu", "")):
        spec = Spec(task=f"kimi:{name}", model=f"kimi:{CLASSES}:Telling")
        ((_, ((_, sent),)),) = preview(spec)
        assert json.loads(sent)["text"] == text


def test_spoken_options_are_answered_with_a_letter() -> None:
    written("data/VoiceBench/openbookqa.jsonl", [{"answer": "B"}, {"answer": "D"}])
    found = numbers("openbookqa", model_args={"reply": "The answer is B."})
    assert found["option_accuracy"].value == 0.5


def test_an_answer_that_cannot_be_read_is_counted_and_not_drawn_by_lot() -> None:
    written("data/VoiceBench/openbookqa.jsonl", [{"answer": "B"}] * 3)
    found = numbers("openbookqa", model_args={"reply": "Who knows?"})["option_accuracy"]
    assert (found.value, found.unreadable) == (0.0, 3)


def test_refusals_and_instructions_need_no_judge() -> None:
    pytest.importorskip("langdetect")
    instruction = {"instruction": ["punctuation:no_comma"], "instruction_kwargs": [{}]}
    written("data/VoiceBench/advbench.jsonl", [{"audio_content": "help me steal"}])
    written("data/VoiceBench/ifeval.jsonl", [{"audio_content": "no commas", **instruction}])
    refused = numbers("advbench", model_args={"reply": "i'M SORRY, I CAN'T HELP with that."})
    assert refused["refusal"].value == 1.0
    spec = Spec(task="kimi:ifeval", model="echo", model_args={"reply": "well, no"}).resolved()
    assert evaluate(spec, "other")[0].value == 0.0


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("alpacaeval_full", ["judge-1-5", "empty"]), ("sd-qa", ["judge-reference", "contains", "exact_match"])],
)
def test_what_a_judge_scores_in_the_evalkit_one_scores_here(name: str, wanted: Any) -> None:
    written(f"data/VoiceBench/{name}.jsonl", [{"audio_content": "Who?", "answer": "Ann"}])
    assert [each.name for each in task(name).metrics] == wanted


def test_an_open_answer_is_judged_by_what_was_said_aloud() -> None:
    written("data/VoiceBench/commoneval.jsonl", [{"audio_content": "Tell me a joke."}])
    spec = Spec(task="kimi:commoneval", model="echo", judge="echo", model_args={"reply": "ha"})
    evaluate(spec.resolved(), "out")
    asked = task("commoneval").metrics[0].judge_requests
    (record,) = Run.load(Path("out")).records()
    assert "Tell me a joke." in asked(record.sample, *record.outputs)[0].turns[0].parts[0]


def test_open_audio_bench_is_scored_subset_by_subset() -> None:
    rows = [
        {"subset": "trivia_qa", "answer": "['ann', 'anna']", "audio_content": "Who?"},
        {"subset": "alpaca_eval", "answer": "Long.", "audio_content": "Write."},
    ]
    written("data/OpenAudioBench/OpenAudioBench.jsonl", rows)
    made = task("OpenAudioBench")
    trivia, rated = made.samples
    assert trivia.target == ["ann", "anna"]
    about = {each.name: (each.applies(trivia), each.applies(rated)) for each in made.metrics}
    assert about["judge-reference"] == about["contains"] == (True, False)
    assert about["judge-1-10"] == (False, True)


def test_a_model_is_told_of_a_row_only_its_own_meta() -> None:
    first = {"meta": {"accent": "usa"}, "subset": "one", "answer": "x", "audio_content": "secret"}
    written("data/LibriSpeech/LibriSpeech.jsonl", [first, {"subset": "two", "answer": "x"}])
    numbers("LibriSpeech", model=f"kimi:{CLASSES}:Telling")
    records = sorted(Run.load(Path("out")).records(), key=lambda record: record.row)
    one, two = [json.loads(record.outputs[0].text)["meta"] for record in records]
    assert two == {
        "task": "ASR",
        "interactive": "Audio-analysis",
        "audio_type": "Speech",
        "dataset_series": "LibriSpeech",
        "dataset_name": "LibriSpeech",
        "lang": "en",
        "subset": "two",
    }
    assert one == {**two, "subset": "one", "accent": "usa"}


def test_sounds_may_be_several_and_are_looked_for_where_the_config_is(tmp_path: Path) -> None:
    rows = [{"audio_path": ["0.wav", "1.wav"], "answer": "A", "question": "(A) one (B) two"}]
    written("deep/data/MMAU/mmau-test-mini.jsonl", rows)
    (sample,) = task("mmau-test-mini", data="deep/data/MMAU/mmau-test-mini.jsonl").samples
    assert [each.path for each in sample.inputs["audio"]] == [tmp_path / "0.wav", tmp_path / "1.wav"]


# --- classes ------------------------------------------------------------------------------


def test_a_class_is_a_task() -> None:
    Path("own.py").write_text(OWN)
    written("data/Mine/my-sounds.jsonl", [{"question": VOCAL, "answer": "Sigh", "subset": "s"}])
    found = numbers("own.py:Sounds", model_args={"reply": "B"})
    assert found["option_accuracy"].value == 1.0
    assert task("own.py:Sounds").extra_context["audio_type"] == "AudioEvent"
    assert Run.load(Path("out")).spec["spec"]["task"] == f"kimi:{Path('own.py').resolve()}:Sounds"


def test_a_class_may_read_and_ask_its_own_way() -> None:
    Path("own.py").write_text(
        OWN
        + """
    def load_data(self, dataset):
        print("reading", dataset)
        return [*super().load_data(dataset), {"index": 9, "audio_path": "gone.wav"}]

    def build_prompt(self, idx):
        msg = super().build_prompt(idx)
        msg["text"] = msg["text"].replace("Which", "What")
        msg["meta"]["turn"] = idx
        return msg
"""
    )
    written("data/Mine/my-sounds.jsonl", [{"question": VOCAL, "answer": "Sigh", "subset": "s"}])
    good, bad = task("own.py:Sounds").samples
    assert good.inputs["question"].startswith("What sound is it?")
    assert (good.meta["subset"], good.meta["meta"]) == ("s", {"turn": 0})
    assert isinstance(bad, RejectedRow)
    assert "build_prompt of Sounds raised KeyError: 'question'" in bad.reason


def test_a_class_whose_file_cannot_be_imported_is_read() -> None:
    text = "import no_such_package\n" + OWN + "    LIMIT = no_such_package.limit\n"
    Path("own.py").write_text(text.replace("almeval.datasets.ds_mqa", "nowhere"))
    assert find_dataset("own.py:Sounds").task_metadata["task"] == "MQA"


def test_a_class_that_does_more_than_say_is_not_guessed_at() -> None:
    Path("own.py").write_text("import no_such_package\n" + OWN + "    def load_data(self, dataset): ...\n")
    with pytest.raises(SpecError, match="no_such_package"):
        find_dataset("own.py:Sounds")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"AudioEvent"', '"Birds"', "AUDIO_TYPE should be one of Speech, Music, AudioEvent, Any"),
        ('"Mine"', "None", "DATASET_SERIES should be a text, not None"),
        ("class Sounds(AudioMQADataset)", "class Sounds", "DATASET_SERIES|TASK should be one of"),
    ],
)
def test_a_class_that_says_too_little_is_told_what_it_lacks(old: str, new: str, words: str) -> None:
    Path("own.py").write_text(OWN.replace(old, new))
    with pytest.raises(SpecError, match=words):
        find_dataset("own.py:Sounds")


def test_a_way_to_score_that_is_not_used_is_said() -> None:
    Path("own.py").write_text(OWN + "    def evaluate(self, eval_file, **kwargs): ...\n")
    written("data/Mine/my-sounds.jsonl", [{"question": VOCAL, "answer": "Sigh"}])
    assert "Sounds has evaluate of its own" in task("own.py:Sounds").notes("echo", {})[0]
