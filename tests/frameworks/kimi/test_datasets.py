from __future__ import annotations

from pathlib import Path

import pytest

from auricle.core.errors import SpecError, UnknownName
from auricle.engine.catalogue import TASKS
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec
from auricle.frameworks.kimi.datasets import BASE_DATASETS, DATASETS, GROUPS, find_dataset, find_group
from tests.frameworks.kimi.evalkit_files import DATASET_CLASS, VOCAL_QUESTION, build_kimi_task, write_rows

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


def test_rows_of_a_category_need_no_class() -> None:
    write_rows("mine.jsonl", [{"question": VOCAL_QUESTION, "answer": "Sigh"}])
    arguments = {"data": "mine.jsonl", "name": "mine"}
    task = build_task(Spec(task="kimi:AudioMQADataset", model="echo", task_args=arguments).resolved())
    assert task.extra_context["dataset_name"] == task.name == "mine"
    assert [dataset.task for dataset in BASE_DATASETS] == ["ASR", "MQA", "Open-Ended", "Ref-QA"]


@pytest.fixture
def checkout() -> Path:
    """A checkout whose `ds_mqa.py` cannot be imported and has two datasets more."""
    file = Path("almeval/datasets/ds_mqa.py")
    file.parent.mkdir(parents=True)
    excluded = DATASET_CLASS.replace("my-sounds", "hidden").replace("Sounds", "Hidden") + "    EXCLUDE = True\n"
    known = DATASET_CLASS.replace("my-sounds", "VocalSound").replace("Sounds", "Vocalsound")
    file.write_text("import no_such_package\n" + known + DATASET_CLASS.replace("Sounds", "Extra") + excluded)
    write_rows("data/Mine/my-sounds.jsonl", [{"question": VOCAL_QUESTION, "answer": "Sigh"}])
    return file.resolve()


@pytest.mark.parametrize("name", ["Extra", "extra", "my-sounds"])
def test_a_class_added_to_a_checkout_is_a_task(checkout: Path, name: str) -> None:
    assert find_dataset(name).name == "my-sounds"
    assert TASKS.expand(f"kimi:{name}", {}) == [f"kimi:{checkout}:Extra"]
    assert build_kimi_task(name).name == "my-sounds"


def test_a_class_added_to_a_checkout_belongs_to_its_groups(checkout: Path) -> None:
    sizes = {name: len(find_group(name) or ()) for name in ("all", "mqa", "audio-event", "asr")}
    assert sizes == {"all": 22, "mqa": 9, "audio-event": 7, "asr": 6}
    assert TASKS.expand("kimi:mqa", {}) == [f"kimi:{checkout}:Extra"]
