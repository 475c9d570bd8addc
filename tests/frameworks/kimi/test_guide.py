"""The code blocks of the evalkit's guide run as they are; only what the guide leaves open is supplied.

The guide is read at run time; it is not part of this project.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.core.types import Sample
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec
from auricle.frameworks.kimi.checkout import find_model_path
from auricle.frameworks.kimi.data import DataConfig
from auricle.frameworks.kimi.datasets import find_dataset
from auricle.runs.run_directory import Run
from tests.frameworks.kimi.evalkit_files import VOCAL_QUESTION, build_kimi_task, evaluate_kimi_task, write_rows
from tests.support.framework_results import text_of
from tests.support.guides import guide_path, read_code_blocks, read_statements
from tests.support.http_servers import CannedServer, chat, http_reply, serving

GUIDE = "kimi-audio-evalkit"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("evalkit_folder"),
    pytest.mark.skipif(not guide_path(GUIDE).is_file(), reason="the guides are not beside this project"),
]

SETUP_COMMANDS = ("git", "cd", "docker")
"""Commands that get the evalkit and its environment, of which Auricle needs nothing."""
DATASET_ROOT = "/path/to/your/dataset"
MODEL = """
from pathlib import Path
from .base import BaseModel

class Model(BaseModel):
    NAME = "{name}"

    {signature}:
        with Path(r"{log}").open("a") as log:
            log.write("called\\n")
        return "prompt: " + msg["text"], "B"
"""
FIELD = re.compile(r'"(\w+)": ([\w\[\]| ]+?),? *#')


def blocks(*languages: str) -> list[str]:
    return [block for language in languages for block in read_code_blocks(GUIDE, language)]


def block_with(text: str) -> str:
    (block,) = [block for block in blocks("", "bash", "yaml", "python") if text in block]
    return block


def commands() -> list[list[str]]:
    """Return the words of every command of the guide."""
    lines = [line for block in blocks("bash", "") for line in block.splitlines()]
    return [shlex.split(line) for line in lines if line.startswith((*SETUP_COMMANDS, "bash ", "export "))]


def translate(words: list[str], folder: str) -> list[str]:
    """Return the command of Auricle for a command of the evalkit."""
    assert words[:2] == ["bash", "run_audio.sh"]
    options = dict(zip(words[2::2], words[3::2], strict=False))
    runs = sorted(str(path) for path in Path(folder).glob("*") if (path / "spec.json").exists())
    if "--reeval" in words:
        return ["score", *runs, "--profile", "kimi"]
    infer_only = ["--infer-only"] if "--skip-eval" in words else []
    return ["run", f"kimi:{options['--data']}", "-m", f"kimi:{options['--model']}", "-o", folder, *infer_only]


def run_auricle(*words: str) -> str:
    result = CliRunner().invoke(cli, [*words])
    assert result.exit_code == 0, f"{words}\n{result.output}\n{result.exception!r}"
    return result.output


@pytest.fixture
def checkout(evalkit_folder: Path) -> Path:
    """A checkout with data of three categories, and a model written by the guide that counts its calls."""
    models = evalkit_folder / "almeval" / "models"
    models.mkdir(parents=True)
    signature = block_with("def generate_inner").strip()
    log = evalkit_folder / "calls.log"
    for index, name in enumerate(["Kimi-Audio", *listed_models()]):
        text = MODEL.format(name=name, signature=signature, log=log)
        (models / f"model_{index}.py").write_text(text)
    config = block_with("Vocalsound:").replace(f"{DATASET_ROOT}/root", str(evalkit_folder / "data"))
    (evalkit_folder / "config.yaml").write_text(config.replace(DATASET_ROOT, str(evalkit_folder / "mine")))
    write_rows("mine/VocalSound.jsonl", [{"question": VOCAL_QUESTION, "answer": "Sigh", "subset": "VocalSound"}])
    write_rows("data/LibriSpeech/LibriSpeech.jsonl", [{"answer": "b", "subset": "clean"}, {"answer": "c"}])
    write_rows("data/VoiceBench/commoneval.jsonl", [{"audio_content": "Describe a joke.", "subset": "commoneval"}])
    return evalkit_folder


def listed_models() -> list[str]:
    """Return the names of models that the guide lists."""
    lines = [
        statement.text for statement in read_statements(GUIDE) if re.match(r"\*\*\w+( Series)?\*\*: ", statement.text)
    ]
    return [name.strip() for line in lines for name in line.partition(": ")[2].split(",")]


def listed_datasets() -> dict[str, list[str]]:
    """Return the names of datasets that the guide lists, by category."""
    rows = [statement.text.strip("| ").split(" | ") for statement in read_statements(GUIDE) if statement.text[0] == "|"]
    return {category: [name.strip() for name in names.split(",")] for category, names in rows}


def count_calls(checkout: Path) -> int:
    return len((checkout / "calls.log").read_text().splitlines())


def test_every_command_is_a_setup_of_the_evalkit_or_has_a_counterpart() -> None:
    first_words = [words[0] for words in commands()]
    assert {*first_words} == {*SETUP_COMMANDS, "bash", "export"}
    assert first_words.count("bash") == 3


def test_inference_and_evaluation_are_separate_steps(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (infer,) = [words for words in commands() if "--skip-eval" in words]
    run_auricle(*translate(infer, "eval_results"))
    assert count_calls(checkout) == 4
    assert not list(checkout.glob("eval_results/*/metrics.json"))
    again = CliRunner().invoke(cli, translate([word for word in infer if word != "--skip-eval"], "eval_results"))
    assert again.exit_code == 3, "open answers wait for a judge"
    assert count_calls(checkout) == 4, "answers exist, so the second command only evaluates"
    assert len(list(checkout.glob("eval_results/*/metrics.json"))) == 3

    export, reeval = (shlex.split(line) for line in block_with("export ").splitlines())
    monkeypatch.setenv(*export[1].split("=", 1))
    replies = [http_reply(body=chat("Because.\nResult: yes")), http_reply(body=chat("4"))]
    with serving(CannedServer(replies)) as server:
        judge = ["--judge", "openai", "-J", "model=gpt-4o-mini", "-J", f"base_url={server.url}", "-j", "1"]
        output = run_auricle(*sorted_runs(translate(reeval, "eval_results")), *judge)
    assert count_calls(checkout) == 4, "an evaluation never asks the model again"
    assert server.last.headers["authorization"] == f"Bearer {export[1].partition('=')[2]}"
    assert {request.json()["model"] for request in server.requests} == {"gpt-4o-mini"}
    assert [request.json()["temperature"] for request in server.requests] == [0.0, 0.5]
    assert all(metric in output for metric in ("wer", "kimi-choice", "kimi-open"))
    assert "Kimi-Audio" in output


def sorted_runs(words: list[str]) -> list[str]:
    """Put multiple choice before open answers, in the order of the server's replies."""
    command, *rest = words
    return [command, *sorted(rest[:-2], key=lambda run: "commoneval" in run), *rest[-2:]]


def test_one_dataset_is_evaluated_by_any_spelling(checkout: Path) -> None:
    (command,) = [words for words in commands() if "vocalsound" in words]
    assert "100.00 %" in run_auricle(*translate(command, "out"))


def test_the_first_config_names_the_folder_of_all_data(evalkit_folder: Path) -> None:
    config = next(block for block in blocks("yaml") if "datasets:" not in block)
    (evalkit_folder / "config.yaml").write_text(config.replace(f"{DATASET_ROOT}/root", str(evalkit_folder / "root")))
    path = write_rows("root/VocalSound/VocalSound.jsonl", [{"question": VOCAL_QUESTION, "answer": "A"}])
    assert DataConfig.read().find_data_file(find_dataset("VocalSound")) == path.resolve()


def test_the_second_config_names_single_files(checkout: Path) -> None:
    config = DataConfig.read()
    assert config.find_data_file(find_dataset("VocalSound")) == checkout / "mine" / "VocalSound.jsonl"
    assert config.dataset_files.keys() == {"example", "vocalsound"}


def test_every_model_that_is_listed_can_be_named(checkout: Path) -> None:
    assert len(listed_models()) == 8
    for name in listed_models():
        assert find_model_path(name).endswith(":Model")


def test_every_dataset_that_is_listed_is_a_task_of_its_category() -> None:
    categories = {"ASR": "ASR", "MQA": "MQA", "OpenQA": "Open-Ended", "RefQA": "Ref-QA"}
    datasets = listed_datasets()
    assert datasets.keys() == categories.keys()
    tasks = {name: find_dataset(name).task for names in datasets.values() for name in names}
    assert tasks == {name: categories[category] for category, names in datasets.items() for name in names}
    assert len(tasks) == 21


@pytest.mark.parametrize("with_transcript", [False, True])
@pytest.mark.parametrize("audio", ["0.wav", ["0.wav", "1.wav"]])
def test_rows_have_the_fields_that_are_described(with_transcript: bool, audio: Any) -> None:
    descriptions = [dict(FIELD.findall(part)) for part in block_with("audio_content").split("}")[:2]]
    fields = descriptions[with_transcript]
    assert ("audio_content" in fields) == with_transcript
    assert fields["audio_path"] == "str | list[str]"
    values = {"int": 7, "str | list[str]": audio}
    row = {name: values.get(kind, f"some {name}") for name, kind in fields.items()}
    write_rows("data/VoiceBench/sd-qa.jsonl", [row])
    (sample,) = build_kimi_task("sd-qa").samples
    assert isinstance(sample, Sample)
    assert (sample.id, sample.target, sample.inputs["question"]) == ("7", "some answer", "some question")
    assert sample.meta.get("audio_content") == row.get("audio_content")
    assert sample.meta["subset"] == "some subset"


def test_questions_and_answers_may_be_empty() -> None:
    write_rows("data/VoiceBench/commoneval.jsonl", [{"question": "", "answer": "", "audio_content": "Hi."}])
    (sample,) = build_kimi_task("commoneval").samples
    assert isinstance(sample, Sample)
    assert (sample.inputs["question"], sample.target) == ("", "")


def test_the_example_of_a_dataset_class_is_a_task() -> None:
    """The import is the only line that the guide leaves out."""
    source = "from almeval.datasets.ds_mqa import AudioMQADataset\n\n" + block_with("(AudioMQADataset)")
    Path("vocal.py").write_text(source)
    write_rows("data/VocalSound/VocalSound.jsonl", [{"question": VOCAL_QUESTION, "answer": "Sigh"}])
    spec = Spec(task="kimi:vocal.py:Vocalsound", model="echo").resolved()
    context = build_task(spec).extra_context
    assert {name: context[name] for name in ("task", "dataset_name", "dataset_series", "audio_type")} == {
        "task": "MQA",
        "dataset_name": "VocalSound",
        "dataset_series": "VocalSound",
        "audio_type": "AudioEvent",
    }
    assert evaluate_kimi_task("vocal.py:Vocalsound", model_args={"reply": "(B)"})["option_accuracy"].value == 1.0


def test_the_message_has_the_fields_and_types_that_are_described(evalkit_folder: Path) -> None:
    lines = block_with('"text": str').splitlines()
    matches = [re.match(r'\s*"(\w+)": ([\w\[\]]+)', line) for line in lines]
    described = {match[1]: match[2] for match in matches if match}
    types = {"int": int, "list[str]": list, "str": str, "dict": dict}
    signature = block_with("def generate_inner").strip()
    (evalkit_folder / "model.py").write_text(
        "import json\nfrom .base import BaseModel\n\nclass Model(BaseModel):\n"
        f"    {signature}:\n        return 'sent', json.dumps(msg)\n"
    )
    write_rows("data/LibriSpeech/LibriSpeech.jsonl", [{"index": 5, "answer": "x", "meta": {"accent": "usa"}}])
    evaluate_kimi_task("LibriSpeech", model="kimi:model.py:Model")
    (record,) = Run.load(Path("out")).records()
    message = json.loads(text_of(record.outputs[0]))
    assert {name: type(value) for name, value in message.items()} == {
        name: types[kind] for name, kind in described.items()
    }
    assert message["audio"] == [str(evalkit_folder / "0.wav")]
    assert message["index"] == 5
    assert message["meta"]["accent"] == "usa"
    assert record.outputs[0].prompt == "sent"  # type: ignore[union-attr]
