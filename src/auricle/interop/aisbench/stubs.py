"""Stubs of the AISBench modules that inferencer classes import.

They are importable only while a class is being imported, and each class in them exists once. If AISBench is
installed, its own modules are used.
"""

from __future__ import annotations

import logging
import sys
from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import cache, partialmethod
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from auricle.interop.aisbench.adapters import CURRENT_SAMPLE, BaseRetriever, ModelAdapter, PromptList, StatusCounter
from auricle.interop.isolated_modules import create_stub_module, modules_added

CURRENT_MODEL: ContextVar[ModelAdapter] = ContextVar("current_model")
"""The model for the object that is being created."""
PACKAGE = "ais_bench"

MAX_REMEMBERED_MESSAGES = 1000


class Output:
    """The outcome of a request; `generate` fills it."""

    def __init__(self, perf_mode: bool = False) -> None:
        self.perf_mode, self.success, self.error_info = perf_mode, False, ""
        self.time_points: list[float] = []
        self.content: Any = ""
        self.reasoning_content: Any = ""
        self.input_tokens = self.output_tokens = self.turn_id = 0
        self.extra_perf_data: dict[str, Any] = {}
        self.extra_details_data: dict[str, Any] = {}
        self.input: Any = None
        self.uuid = ""

    def get_prediction(self) -> Any:
        """Return the answer, preceded by the model's reasoning."""
        if self.reasoning_content and isinstance(self.reasoning_content, str):
            return f"{self.reasoning_content}</think>{self.content}"
        return self.content

    def to_dict(self) -> dict[str, Any]:
        return vars(self)


class RequestOutput(Output): ...


class BaseInferencerOutputHandler:
    """Collects what a class reports; the engine writes the journal."""

    def __init__(self, perf_mode: bool = False, save_every: int = 1, **_: Any) -> None:
        self.perf_mode, self.save_every = perf_mode, save_every

    async def report_cache_info(self, id: Any, input: Any, output: Any, data_abbr: str = "", gold: Any = None) -> bool:
        return self.report_cache_info_sync(id, input, output, data_abbr, gold)

    def report_cache_info_sync(self, id: Any, input: Any, output: Any, data_abbr: str = "", gold: Any = None) -> bool:
        CURRENT_SAMPLE.get().reports.append(output)
        return True


class GenInferencerOutputHandler(BaseInferencerOutputHandler): ...


class PPLInferencerOutputHandler(BaseInferencerOutputHandler): ...


class AISLogger:
    """`self.logger`; logs each message once."""

    def __init__(self, name: str = PACKAGE, *_: Any, **__: Any) -> None:
        self._logger = logging.getLogger(name)
        self._logged: set[str] = set()

    def _log_once(self, level: int, message: object, *arguments: Any) -> None:
        if str(message) in self._logged:
            return
        if len(self._logged) < MAX_REMEMBERED_MESSAGES:
            self._logged.add(str(message))
        self._logger.log(level, message, *arguments)

    debug = partialmethod(_log_once, logging.DEBUG)
    info = partialmethod(_log_once, logging.INFO)
    warning = partialmethod(_log_once, logging.WARNING)

    def error(self, code: object, message: object = "", *arguments: Any) -> None:
        """Log an error; AISBench passes a code before the message."""
        self._log_once(logging.ERROR, message or code, *arguments)


class BaseInferencer:
    """Base class of both kinds of inferencer."""

    def __init__(self, model_cfg: Any, batch_size: int | None = 1, output_json_filepath: str | None = "") -> None:
        self.model_cfg, self.batch_size = model_cfg, int(batch_size or 1)
        self.output_json_filepath = output_json_filepath
        self.model = CURRENT_MODEL.get()
        self.logger = AISLogger()
        self.output_handler: Any = GenInferencerOutputHandler()
        self.perf_mode, self.save_every, self.is_main_process = False, 1, True

    def get_data_list(self, retriever: Any) -> list[dict[str, Any]]:
        return build_data_list(self, retriever)


class BaseApiInferencer(BaseInferencer):
    """Base class of classes with `do_request`."""

    def __init__(
        self,
        model_cfg: Any,
        batch_size: int | None = 1,
        mode: str | None = "infer",
        output_json_filepath: str | None = "",
        save_every: int | None = 1,
        **_: Any,
    ) -> None:
        super().__init__(model_cfg, batch_size, output_json_filepath)
        self.save_every, self.perf_mode = int(save_every or 1), mode in ("perf", "pressure")
        self.status_counter = StatusCounter()

    @abstractmethod
    async def do_request(self, data: dict[str, Any], token_bucket: Any, session: Any) -> Any: ...


class BaseLocalInferencer(BaseInferencer):
    """Base class of classes with `batch_inference`."""

    @abstractmethod
    def batch_inference(self, datum: dict[str, list[Any]]) -> Any: ...


class GenInferencer(BaseApiInferencer, BaseLocalInferencer):
    """One prompt, one answer; user classes override parts of it."""

    def __init__(
        self, model_cfg: Any, stopping_criteria: Any = (), gen_field_replace_token: str = "", **rest: Any
    ) -> None:
        super().__init__(model_cfg, **rest)
        self.stopping_criteria = list(stopping_criteria)
        self.gen_field_replace_token = gen_field_replace_token

    async def do_request(self, data: dict[str, Any], token_bucket: Any, session: Any) -> None:
        output = RequestOutput(self.perf_mode)
        await self.status_counter.post()
        options = self._generation_options(data)
        await self.model.generate(data["prompt"], data["max_out_len"], output, session=session, **options)
        await (self.status_counter.rev() if output.success else self.status_counter.failed())
        await self.status_counter.finish()
        await self.status_counter.case_finish()
        await self.output_handler.report_cache_info(
            data["index"], data["prompt"], output, data["data_abbr"], data.get("gold")
        )

    def batch_inference(self, datum: dict[str, list[Any]]) -> None:
        texts = self.model.generate(datum["prompt"], datum["max_out_len"], **self._generation_options(datum))
        for index, prompt, text, abbr in zip(datum["index"], datum["prompt"], texts, datum["data_abbr"], strict=True):
            self.output_handler.report_cache_info_sync(index, prompt, text, abbr)

    def _generation_options(self, data: dict[str, Any]) -> dict[str, Any]:
        further_fields = {name: value for name, value in data.items() if name not in ROW_FIELDS}
        return {"stopping_criteria": self.stopping_criteria, **further_fields}


ROW_FIELDS = ("prompt", "index", "data_abbr", "max_out_len", "gold")
"""Fields of a data row; `gold` only if there is a target."""


def build_data_list(inferencer: Any, retriever: Any) -> list[dict[str, Any]]:
    """Build the default data rows from a retriever."""
    golds, limits = retriever.get_gold_ans(), retriever.dataset_reader.get_max_out_len()
    rows: list[dict[str, Any]] = []
    for index, example_ids in enumerate(retriever.retrieve()):
        replace_token = getattr(inferencer, "gen_field_replace_token", "")
        prompt = retriever.generate_prompt_for_generate_task(
            index, retriever.generate_ice(example_ids), gen_field_replace_token=replace_token
        )
        row = {
            "prompt": inferencer.model.parse_template(prompt, mode="gen"),
            "data_abbr": retriever.dataset.abbr,
            "index": index,
            "max_out_len": limits[index] if limits else inferencer.model.max_out_len,
        }
        rows.append({**row, "gold": golds[index]} if golds else row)
    return rows


class ZeroRetriever(BaseRetriever):
    """Retriever without examples."""

    def retrieve(self) -> list[list[str]]:
        return [[]]


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


class PromptTemplate:
    """Can be imported but not used: prompts come from the task."""


def _modules(package: str, *names: str) -> tuple[str, ...]:
    return (package, *(f"{package}.{name}" for name in names))


OPENICL_MODULE, UTILS_MODULE = f"{PACKAGE}.benchmark.openicl", f"{PACKAGE}.benchmark.utils"
INFERENCER_MODULES = tuple(f"icl_{kind}_inferencer" for kind in ("base", "base_api", "base_local", "gen"))
HANDLER_MODULES = ("base_handler", "gen_inferencer_output_handler", "ppl_inferencer_output_handler")
INFERENCERS = (BaseInferencer, BaseApiInferencer, BaseLocalInferencer, GenInferencer, StatusCounter)
OUTPUT_HANDLERS = (BaseInferencerOutputHandler, GenInferencerOutputHandler, PPLInferencerOutputHandler)
STUB_CLASSES: Mapping[tuple[str, ...], tuple[type[Any], ...]] = {
    _modules(PACKAGE, "benchmark", "benchmark.openicl", "benchmark.utils"): (),
    _modules(f"{PACKAGE}.benchmark.models", "output"): (Output, RequestOutput),
    _modules(f"{OPENICL_MODULE}.icl_inferencer", *INFERENCER_MODULES): INFERENCERS,
    _modules(f"{OPENICL_MODULE}.icl_inferencer.output_handler", *HANDLER_MODULES): OUTPUT_HANDLERS,
    _modules(f"{OPENICL_MODULE}.icl_retriever", "icl_base_retriever", "icl_zero_retriever"): (
        BaseRetriever,
        ZeroRetriever,
    ),
    _modules(f"{OPENICL_MODULE}.icl_prompt_template"): (PromptTemplate,),
    _modules(f"{UTILS_MODULE}.prompt", "prompt"): (PromptList,),
    _modules(f"{UTILS_MODULE}.logging", "logger"): (AISLogger,),
}
"""Classes that each module of these packages contains."""
PERMISSIVE_MODULES: Mapping[str, Callable[[str], Any]] = {
    f"{PACKAGE}.benchmark.registry": lambda _: RegistryStub(),
    f"{UTILS_MODULE}.logging.error_codes": lambda _: ErrorCodes(),
    f"{UTILS_MODULE}.logging.exceptions": lambda name: type(name, (AISBenchBaseException,), {}),
}
THIRD_PARTY_STUBS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "torch": {"torch": {}, "torch.utils": {}, "torch.utils.data": {"DataLoader": DataLoader}},
    "aiohttp": {"aiohttp": {"ClientSession": object}},
}
"""Other packages that such classes import, often only for annotations; used where they are missing."""


@cache
def _get_stub_modules(package: str) -> dict[str, ModuleType]:
    """Return the stub modules of a package, created once."""
    if package != PACKAGE:
        return {name: create_stub_module(name, content) for name, content in THIRD_PARTY_STUBS[package].items()}
    stubs = {
        name: create_stub_module(name, {stub.__name__: stub for stub in classes})
        for names, classes in STUB_CLASSES.items()
        for name in names
    }
    return {**stubs, **{name: PermissiveModule(name, make) for name, make in PERMISSIVE_MODULES.items()}}


def stubs_importable() -> AbstractContextManager[None]:
    """Make stubs importable within the block, unless the real packages are installed."""
    modules: dict[str, ModuleType] = {}
    for package in (PACKAGE, *THIRD_PARTY_STUBS):
        if package not in sys.modules and find_spec(package) is None:
            modules |= _get_stub_modules(package)
    return modules_added(modules)
