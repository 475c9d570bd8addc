"""Stub modules of AISBench, for the imports of model and inferencer classes.

They are importable only while a class is being imported, and each class in them exists once. If AISBench is
installed, its own modules are used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from auricle.frameworks.aisbench import inferencer_stubs, model_stubs, outputs, prompt_list
from auricle.frameworks.aisbench.adapters import BaseRetriever, StatusCounter
from auricle.frameworks.aisbench.logger import AISLogger
from auricle.frameworks.isolated_modules import create_stub_module, modules_added

PACKAGE = "ais_bench"


class RegistryStub:
    """Registries such as `ICL_INFERENCERS`; they store nothing, because Auricle finds classes by file."""

    def register_module(self, name: Any = None, force: bool = False, module: Any = None) -> Callable[..., Any]:
        return module if module is not None else lambda registered: registered


class DataLoader:
    """Can be imported but not used: the engine builds the batches."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError("Auricle builds the batches; classes need no DataLoader")


class AISBenchBaseException(Exception):
    """Base of AISBench's exceptions, raised with a code and a message."""

    def __init__(self, code: Any = "", message: str = "") -> None:
        super().__init__(message or str(code))


class PermissiveModule(ModuleType):
    """A module that creates any name on access: registries, error codes, exceptions."""

    def __init__(self, name: str, make: Callable[[str], Any]) -> None:
        super().__init__(name)
        self._make = make

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self._make(name)
        setattr(self, name, value)
        return value


class ErrorCodes:
    """Error codes; every attribute is its own name."""

    def __getattr__(self, name: str) -> str:
        return name


def is_npu_available() -> bool:
    """Return whether torch can use an Ascend NPU."""
    npu = getattr(sys.modules.get("torch"), "npu", None)
    return npu is not None and bool(npu.is_available())


class PromptTemplate:
    """Can be imported but not used: prompts come from the task."""


def _modules(package: str, *names: str) -> tuple[str, ...]:
    return (package, *(f"{package}.{name}" for name in names))


def _named(*classes: Any) -> dict[str, Any]:
    return {cls.__name__: cls for cls in classes}


OPENICL_MODULE, UTILS_MODULE = f"{PACKAGE}.benchmark.openicl", f"{PACKAGE}.benchmark.utils"
MODELS_MODULE = f"{PACKAGE}.benchmark.models"
INFERENCER_MODULES = (
    *(f"icl_{kind}_inferencer" for kind in ("base", "base_api", "base_local", "gen", "multiturn")),
    "ppl_inferencer",
)
HANDLER_MODULES = ("base_handler", "gen_inferencer_output_handler", "ppl_inferencer_output_handler")
INFERENCERS = _named(
    inferencer_stubs.BaseInferencer,
    inferencer_stubs.BaseApiInferencer,
    inferencer_stubs.BaseLocalInferencer,
    inferencer_stubs.GenInferencer,
    inferencer_stubs.MultiTurnGenInferencer,
    inferencer_stubs.PPLInferencer,
    StatusCounter,
)
OUTPUTS = _named(outputs.Output, outputs.RequestOutput, outputs.FunctionCallOutput, outputs.LMMOutput)
OUTPUT_HANDLERS = _named(
    inferencer_stubs.BaseInferencerOutputHandler,
    inferencer_stubs.GenInferencerOutputHandler,
    inferencer_stubs.PPLInferencerOutputHandler,
    outputs.PPLRequestOutput,
    outputs.PPLResponseOutput,
)
MODELS = _named(
    model_stubs.BaseModel,
    model_stubs.BaseLMModel,
    model_stubs.BaseAPIModel,
    prompt_list.LMTemplateParser,
    prompt_list.APITemplateParser,
) | {"PromptType": Any}
MODEL_MODULES = ("output", "local_models", "local_models.base", "api_models", "api_models.base_api")
STUB_CONTENT: Mapping[tuple[str, ...], Mapping[str, Any]] = {
    _modules(PACKAGE, "benchmark", "benchmark.openicl", "benchmark.utils"): {},
    _modules(MODELS_MODULE, *MODEL_MODULES): {**OUTPUTS, **MODELS},
    _modules(f"{OPENICL_MODULE}.icl_inferencer", *INFERENCER_MODULES): INFERENCERS,
    _modules(f"{OPENICL_MODULE}.icl_inferencer.output_handler", *HANDLER_MODULES): OUTPUT_HANDLERS,
    _modules(f"{OPENICL_MODULE}.icl_retriever", "icl_base_retriever", "icl_zero_retriever"): _named(
        BaseRetriever, inferencer_stubs.ZeroRetriever
    ),
    _modules(f"{OPENICL_MODULE}.icl_prompt_template"): _named(PromptTemplate),
    _modules(f"{UTILS_MODULE}.prompt", "prompt"): _named(prompt_list.PromptList, prompt_list.get_round_index),
    _modules(f"{UTILS_MODULE}.logging", "logger"): _named(AISLogger),
    _modules(f"{PACKAGE}.benchmark.global_consts"): {"REQUEST_TIME_OUT": None},
}
"""What each module of these packages contains."""
PERMISSIVE_MODULES: Mapping[str, Callable[[str], Any]] = {
    f"{PACKAGE}.benchmark.registry": lambda _: RegistryStub(),
    f"{UTILS_MODULE}.logging.error_codes": lambda _: ErrorCodes(),
    f"{UTILS_MODULE}.logging.exceptions": lambda name: type(name, (AISBenchBaseException,), {}),
}
THIRD_PARTY_STUBS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "torch": {"torch": {}, "torch.utils": {}, "torch.utils.data": {"DataLoader": DataLoader}},
    "aiohttp": {"aiohttp": {"ClientSession": object}},
    "tqdm": {"tqdm": {"tqdm": iter}},
    "mmengine": {"mmengine": {}, "mmengine.device": {"is_npu_available": is_npu_available}},
}
"""Other packages that such classes import, often only for annotations; used where they are missing."""


@cache
def _get_stub_modules(package: str) -> dict[str, ModuleType]:
    """Return the stub modules of a package, created once."""
    if package != PACKAGE:
        return {name: create_stub_module(name, content) for name, content in THIRD_PARTY_STUBS[package].items()}
    stubs = {name: create_stub_module(name, content) for names, content in STUB_CONTENT.items() for name in names}
    return {**stubs, **{name: PermissiveModule(name, make) for name, make in PERMISSIVE_MODULES.items()}}


def stubs_importable() -> AbstractContextManager[None]:
    """Make stubs importable within the block, unless the real packages are installed."""
    modules: dict[str, ModuleType] = {}
    for package in (PACKAGE, *THIRD_PARTY_STUBS):
        if package not in sys.modules and find_spec(package) is None:
            modules |= _get_stub_modules(package)
    return modules_added(modules)
