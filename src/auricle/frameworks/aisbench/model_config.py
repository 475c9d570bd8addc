"""Convert AISBench's model configs to configs of `auricle run`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.frameworks.aisbench.class_files import find_class_file
from auricle.frameworks.aisbench.config_expressions import Symbol
from auricle.frameworks.aisbench.config_reader import read_config
from auricle.frameworks.aisbench.model import IGNORED_ARGUMENTS
from auricle.frameworks.exchange.task_drafts import TaskDraft

CHAT_CLASSES = (
    "VLLMCustomAPIChat", "VLLMCustomAPIChatStream", "VLLMFunctionCallAPIChat", "VllmMultiturnAPIChatStream",
)  # fmt: skip
COMPLETION_CLASSES = ("VLLMCustomAPI", "VLLMCustomAPIStream")
BUILTIN_MODELS: Mapping[str, str] = {
    **dict.fromkeys(CHAT_CLASSES, "vllm-chat"),
    **dict.fromkeys(COMPLETION_CLASSES, "completions"),
}
"""Classes of AISBench whose requests a model of Auricle sends, too."""
REASONING_POSTPROCESSOR = "extract_non_reasoning_content"
API_KEY_VARIABLE = "AISBENCH_API_KEY"
SETTING_FIELDS = (*IGNORED_ARGUMENTS, "max_out_len", "retry")
"""Fields of a config that do not become arguments of the model."""
SERVICE_FIELDS = (
    "path",
    "model",
    "stream",
    "host_ip",
    "host_port",
    "url",
    "enable_ssl",
    "api_key",
    "generation_kwargs",
)
"""Fields that a model of Auricle has an option for."""
DEFAULT_VALUES: Mapping[str, Any] = {
    "request_rate": 0,
    "use_timestamp": False,
    "trust_remote_code": False,
    "verbose": False,
}
"""Values of fields that have no effect, so that no note is needed."""
UNSUPPORTED_FIELDS = ("request_rate", "use_timestamp", "min_out_len", "returns_tool_calls", "traffic_cfg")
"""Fields that neither a model nor a setting of a run has; schedules of requests belong to `auricle perf`."""


@dataclass
class ModelDraft(TaskDraft):
    """A config of `auricle run`, converted from a model config of AISBench."""

    source: Path
    config: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.config.get("abbr") or self.config.get("type"))

    def describe_use(self, path: Path) -> str:
        return f"Use it with: auricle run TASK --config {path}"

    def build(self) -> ModelDraft:
        """Fill in the fields of the config."""
        model_class = self.config.get("type")
        if not isinstance(model_class, Symbol):
            raise SpecError(f"{self.source}: the type of a model should be an imported class, not {model_class!r}.")
        if builtin := BUILTIN_MODELS.get(model_class.name):
            self.task["model"] = builtin
            self.task["model_args"] = self._service_arguments(streams=model_class.name.endswith("Stream"))
        else:
            self.task["model"] = f"aisbench:{self._locate(model_class)}"
            arguments = {name: value for name, value in self.config.items() if name not in SETTING_FIELDS}
            if arguments.pop("api_key", ""):
                self.notes.append("Keys are not copied: set -M api_key=KEY.")
            ignored = {name for name, value in DEFAULT_VALUES.items() if arguments.get(name, object()) == value}
            self.task["model_args"] = {
                name: _to_plain(value) for name, value in arguments.items() if name not in ignored
            }
        self._add_settings()
        return self

    def _service_arguments(self, *, streams: bool) -> dict[str, Any]:
        """Return the arguments of Auricle's model for a server."""
        config = self.config
        arguments: dict[str, Any] = {"base_url": f"{self._base_url()}/v1", "model": config.get("model") or ""}
        if not config.get("model"):
            self.notes.append("The config names no model; AISBench asks the server. Set -M model=NAME.")
        if streams or config.get("stream"):
            arguments["stream"] = True
        if config.get("api_key"):
            arguments["api_key_env"] = API_KEY_VARIABLE
            self.notes.append(f"Keys are not copied: set the environment variable {API_KEY_VARIABLE}.")
        if extra := _to_plain(config.get("generation_kwargs") or {}):
            arguments["extra"] = extra
        others = config.keys() - {*SETTING_FIELDS, *SERVICE_FIELDS, *DEFAULT_VALUES}
        self.notes += [f"{name}={config[name]} has no equivalent and is left out." for name in sorted(others)]
        return arguments

    def _base_url(self) -> str:
        scheme = "https" if self.config.get("enable_ssl") else "http"
        url = str(self.config.get("url") or "").strip().rstrip("/")
        if url:
            return url if "://" in url else f"{scheme}://{url}"
        host = str(self.config.get("host_ip") or "localhost")
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.config.get('host_port') or 8080}"

    def _add_settings(self) -> None:
        config = self.config
        if max_tokens := config.get("max_out_len"):
            self.task["task_args"] = {"max_tokens": max_tokens}
        if batch_size := config.get("batch_size"):
            self.task["batch_size" if config.get("attr") == "local" else "concurrency"] = batch_size
        if config.get("attr") != "local" and config.get("retry"):
            self.task["max_attempts"] = config["retry"]
        for name in UNSUPPORTED_FIELDS:
            if config.get(name, DEFAULT_VALUES.get(name)) not in (None, DEFAULT_VALUES.get(name)):
                self.notes.append(f"{name}={config[name]} has no equivalent and is left out.")
        postprocessor = config.get("pred_postprocessor") or {}
        name = str(postprocessor.get("type", "")) if isinstance(postprocessor, Mapping) else str(postprocessor)
        if name and not (name == REASONING_POSTPROCESSOR and self.task["model"] in BUILTIN_MODELS.values()):
            self.notes.append(f"{name} is not applied to answers: use a metric that reads the answer out of the text.")

    def _locate(self, model_class: Symbol) -> str:
        """Return where the class is: a file of the same checkout or folder, else its module."""
        if file := find_class_file(self.source, model_class.module, model_class.name):
            return f"{file}:{model_class.name}"
        self.notes.append(
            f"No file with the class {model_class.name} was found beside {self.source.name}: "
            f"{model_class.module} has to be importable, or `model` changed to aisbench:FILE.py:{model_class.name}."
        )
        return f"{model_class.module}:{model_class.name}"


def _to_plain(value: Any) -> Any:
    """Return a value that YAML can contain; classes and functions become their names."""
    if isinstance(value, Mapping):
        return {str(name): _to_plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_plain(item) for item in value]
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def find_models(path: Path) -> list[dict[str, Any]]:
    """Return the models of a config: the dictionaries with a `type` in its lists named `models`."""
    lists = [value for name, value in read_config(path).items() if name.endswith("models")]
    return [item for value in lists if isinstance(value, list) for item in value if isinstance(item, dict)]


def draft_models(source: Path, output_folder: Path) -> list[TaskDraft]:
    """Convert the models of a config to configs of `auricle run`."""
    title = f"From {source.name}, an AISBench config of a model."
    return [ModelDraft(title, output_folder, source, config).build() for config in find_models(source)]
