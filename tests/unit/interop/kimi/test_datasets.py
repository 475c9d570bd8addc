from __future__ import annotations

from pathlib import Path

import pytest

from auricle.core.errors import SpecError, UnknownName
from auricle.interop.kimi.datasets import DATASETS, GROUPS, find_dataset, find_group
from tests.unit.interop.kimi.evalkit_files import DATASET_CLASS, VOCAL_QUESTION, build_kimi_task, write_rows

pytestmark = pytest.mark.usefixtures("evalkit_folder")


def test_datasets_and_groups_are_complete() -> None:
    assert len(DATASETS) == 21
    assert {name: len(find_group(name) or ()) for name in GROUPS} == {
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
def test_names_are_case_insensitive(name: str) -> None:
    assert find_dataset(name).name == "VocalSound"


def test_a_misspelled_name_is_answered_with_a_suggestion() -> None:
    with pytest.raises(UnknownName, match=r"no dataset 'librispeach'\. Did you mean LibriSpeech"):
        find_dataset("librispeach")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"AudioEvent"', '"Birds"', "AUDIO_TYPE should be one of Speech, Music, AudioEvent, Any"),
        ('"Mine"', "None", "DATASET_SERIES should be a string, not None"),
        ("class Sounds(AudioMQADataset)", "class Sounds", "DATASET_SERIES|TASK should be one of"),
    ],
)
def test_invalid_attributes_of_a_class_are_rejected(old: str, new: str, message: str) -> None:
    Path("custom.py").write_text(DATASET_CLASS.replace(old, new))
    with pytest.raises(SpecError, match=message):
        find_dataset("custom.py:Sounds")


def test_an_unused_evaluate_method_is_noted() -> None:
    Path("custom.py").write_text(DATASET_CLASS + "    def evaluate(self, eval_file, **kwargs): ...\n")
    write_rows("data/Mine/my-sounds.jsonl", [{"question": VOCAL_QUESTION, "answer": "Sigh"}])
    assert "Sounds overrides evaluate" in build_kimi_task("custom.py:Sounds").notes("echo", {})[0]


pytestmark = pytest.mark.usefixtures("evalkit_folder")


def test_a_class_that_cannot_be_imported_is_parsed() -> None:
    source = "import no_such_package\n" + DATASET_CLASS + "    LIMIT = no_such_package.limit\n"
    Path("custom.py").write_text(source.replace("almeval.datasets.ds_mqa", "nowhere"))
    assert find_dataset("custom.py:Sounds").task_metadata["task"] == "MQA"


def test_a_class_with_methods_is_not_parsed() -> None:
    Path("custom.py").write_text("import no_such_package\n" + DATASET_CLASS + "    def load_data(self, dataset): ...\n")
    with pytest.raises(SpecError, match="no_such_package"):
        find_dataset("custom.py:Sounds")
