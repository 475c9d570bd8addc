"""Model configs of AISBench become configs of `auricle run`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.frameworks.aisbench.config_import import draft_tasks
from auricle.frameworks.aisbench.model_config import ModelDraft
from auricle.frameworks.exchange.task_drafts import TaskDraft
from auricle.testing.fake_server import FakeServer

CLASSES = Path(__file__).with_name("aisbench_model_classes.py")
ConfigWriter = Callable[..., TaskDraft]


@pytest.fixture
def convert(tmp_path: Path) -> ConfigWriter:
    """Return a function that converts a config with one model."""

    def write(fields: str, module: str = "ais_bench.benchmark.models", class_name: str = "VLLMCustomAPIChat") -> Any:
        path = tmp_path / "model_config.py"
        path.write_text(
            f"from {module} import {class_name}\n"
            "from ais_bench.benchmark.utils.postprocess import extract_non_reasoning_content, first_line\n"
            f"models = [dict(type={class_name}, abbr='mine', {fields})]\n"
        )
        (draft,) = draft_tasks(path, tmp_path)
        return draft

    return write


def test_a_chat_service_becomes_a_model_of_auricle(convert: ConfigWriter) -> None:
    draft = convert(
        "attr='service', path='', model='m', stream=True, request_rate=0, retry=3, host_ip='10.0.0.1', host_port=9, "
        "url='', max_out_len=512, batch_size=8, generation_kwargs=dict(temperature=0.01, ignore_eos=False), "
        "pred_postprocessor=dict(type=extract_non_reasoning_content)"
    )
    assert draft.name == "mine"
    assert draft.notes == []
    assert draft.task == {
        "model": "vllm-chat",
        "model_args": {
            "base_url": "http://10.0.0.1:9/v1",
            "model": "m",
            "stream": True,
            "extra": {"temperature": 0.01, "ignore_eos": False},
        },
        "task_args": {"max_tokens": 512},
        "concurrency": 8,
        "max_attempts": 3,
    }


@pytest.mark.parametrize(
    ("fields", "url"),
    [
        ("", "http://localhost:8080/v1"),
        ("host_ip='::1', host_port=1, enable_ssl=True", "https://[::1]:1/v1"),
        ("url='host/path/'", "http://host/path/v1"),
        ("url='https://host'", "https://host/v1"),
    ],
)
def test_the_address_of_the_server_is_built_as_aisbench_does(convert: ConfigWriter, fields: str, url: str) -> None:
    draft = convert(f"model='m', {fields}", class_name="VLLMCustomAPI")
    assert (draft.task["model"], draft.task["model_args"]["base_url"]) == ("completions", url)


def test_keys_are_not_copied(convert: ConfigWriter) -> None:
    draft = convert("model='m', api_key='secret-key-1234'")
    assert draft.task["model_args"]["api_key_env"] == "AISBENCH_API_KEY"
    assert "secret" not in str(draft.task)
    own = convert("api_key='secret-key-1234'", "mine", "Mine")
    assert "secret" not in str(own.task)
    assert "Keys are not copied: set -M api_key=KEY." in own.notes


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        ("model=''", "names no model"),
        ("model='m', request_rate=5", "request_rate=5 has no equivalent"),
        ("model='m', returns_tool_calls=True", "returns_tool_calls=True has no equivalent"),
        ("model='m', lora='x'", "lora=x has no equivalent"),
        ("model='m', pred_postprocessor=dict(type=first_line)", "first_line is not applied"),
    ],
)
def test_what_is_lost_is_noted(convert: ConfigWriter, fields: str, note: str) -> None:
    assert any(note in line for line in convert(fields).notes)


def test_a_class_is_looked_for_beside_the_config(convert: ConfigWriter, tmp_path: Path) -> None:
    (tmp_path / "my_models.py").write_text(CLASSES.read_text())
    draft = convert(
        "attr='local', path='w', max_out_len=7, batch_size=2, run_cfg=dict(num_gpus=1)", class_name="MyCustomModel"
    )
    assert draft.task == {
        "model": f"aisbench:{tmp_path / 'my_models.py'}:MyCustomModel",
        "model_args": {"path": "w"},
        "task_args": {"max_tokens": 7},
        "batch_size": 2,
    }


def test_a_class_in_a_module_of_the_checkout_is_found(convert: ConfigWriter, tmp_path: Path) -> None:
    folder = tmp_path / "ais_bench" / "benchmark" / "models" / "api_models"
    folder.mkdir(parents=True)
    (folder / "my_custom_api.py").write_text(CLASSES.read_text())
    module = "ais_bench.benchmark.models.api_models.my_custom_api"
    draft = convert("host_port=1", module, "MyCustomAPI")
    assert draft.task["model"] == f"aisbench:{folder / 'my_custom_api.py'}:MyCustomAPI"
    (folder.parent / "__init__.py").touch()
    draft = convert("host_port=1", "ais_bench.benchmark.models", "MyCustomAPI")
    assert draft.task["model"] == f"aisbench:{folder / 'my_custom_api.py'}:MyCustomAPI"


def test_a_class_that_is_not_found_is_named_by_its_module(convert: ConfigWriter) -> None:
    draft = convert("path='w', kinds=(first_line, 1)", "my_package.models", "Mine")
    assert draft.task["model"] == "aisbench:my_package.models:Mine"
    assert draft.task["model_args"] == {"path": "w", "kinds": ["first_line", 1]}
    assert "my_package.models has to be importable" in draft.notes[0]


def test_arguments_of_a_class_are_kept_unless_they_have_no_effect(convert: ConfigWriter) -> None:
    draft = convert("verbose=True, trust_remote_code=False, retry=0", "mine", "Mine")
    assert draft.task["model_args"] == {"verbose": True}
    assert draft.task.keys() == {"model", "model_args"}
    assert convert("verbose=False, trust_remote_code=True", "mine", "Mine").task["model_args"] == {
        "trust_remote_code": True
    }


def test_a_type_that_is_not_a_class_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="should be an imported class, not 'text'"):
        ModelDraft("", tmp_path, Path("config.py"), {"type": "text"}).build()


@pytest.mark.slow
def test_an_imported_config_runs(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    path = manifest([{"question": "one two", "answer": "one two"}])
    (tmp_path / "my_models.py").write_text(CLASSES.read_text())
    with FakeServer() as server:
        port = server.url.rpartition(":")[2].partition("/")[0]
        (tmp_path / "config.py").write_text(
            "from ais_bench.benchmark.models import MyCustomAPI, VLLMCustomAPIChat\n"
            f"models = [dict(attr='service', type=VLLMCustomAPIChat, abbr='chat', model='m', host_port={port}),\n"
            f"          dict(attr='service', type=MyCustomAPI, abbr='own', host_port={port}, batch_size=4)]\n"
        )
        result = auricle("import", "--from", "aisbench", "config.py", "-o", "models")
        assert "Use it with: auricle run TASK --config models/own.yaml" in result.stderr
        for name in ("chat", "own"):
            result = auricle("run", path, "--as", "qa", "--config", f"models/{name}.yaml", "-o", name)
            assert result.returncode == 0, result.stderr
            assert "100.00 %" in result.stdout
