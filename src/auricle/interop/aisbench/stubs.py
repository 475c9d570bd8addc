"""Stand-ins for the modules of AISBench that inferencers import, where it is not installed.

They are there while a class is being imported and gone afterwards; each class in them exists
once, whoever imports it. Where AISBench is installed, its own modules are used.
"""

from __future__ import annotations

import logging
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from threading import RLock
from types import ModuleType
from typing import Any

from auricle.interop.aisbench.adapters import BaseRetriever, LentModel, StatusCounter
from auricle.interop.aisbench.prompts import PromptList
from auricle.interop.aisbench.sample_session import SITTING

LENDING: ContextVar[LentModel] = ContextVar("lending")
"""The model that an object being made is lent."""
PACKAGE = "ais_bench"
LOCK = RLock()
MOST_SAID = 1000  # messages remembered, so as not to repeat them


# --- outputs ---------------------------------------------------------------------


class Output:
    """What became of a request; `generate` fills it."""

    def __init__(self, perf_mode: bool = False) -> None:
        self.perf_mode = perf_mode
        self.success = False
        self.error_info = ""
        self.time_points: list[float] = []
        self.content: Any = ""
        self.reasoning_content: Any = ""
        self.input_tokens = self.output_tokens = 0
        self.extra_perf_data: dict[str, Any] = {}
        self.extra_details_data: dict[str, Any] = {}
        self.input: Any = None
        self.uuid = ""
        self.turn_id = 0

    def get_prediction(self) -> Any:
        """The answer, after what the model thought aloud."""
        if self.reasoning_content and isinstance(self.reasoning_content, str):
            return f"{self.reasoning_content}</think>{self.content}"
        return self.content

    def to_dict(self) -> dict[str, Any]:
        return vars(self)


class RequestOutput(Output): ...


class BaseInferencerOutputHandler:
    """Takes what a class reports; the journal is written by the engine."""

    def __init__(self, perf_mode: bool = False, save_every: int = 1, **_: Any) -> None:
        self.perf_mode, self.save_every = perf_mode, save_every

    async def report_cache_info(
        self,
        id: Any,  # noqa: A002 - a class may name it
        input: Any,  # noqa: A002
        output: Any,
        data_abbr: str = "",
        gold: Any = None,
    ) -> bool:
        return self.report_cache_info_sync(id, input, output, data_abbr, gold)

    def report_cache_info_sync(
        self,
        id: Any,  # noqa: A002 - a class may name it
        input: Any,  # noqa: A002
        output: Any,
        data_abbr: str = "",
        gold: Any = None,
    ) -> bool:
        SITTING.get().reported.append(output)
        return True


class GenInferencerOutputHandler(BaseInferencerOutputHandler): ...


class PPLInferencerOutputHandler(BaseInferencerOutputHandler): ...


# --- inferencers -------------------------------------------------------------------


class AISLogger:
    """`self.logger`; what is said of every sample is said once."""

    def __init__(self, name: str = PACKAGE, *_: Any, **__: Any) -> None:
        self._logger = logging.getLogger(name)
        self._said: set[str] = set()

    def _say(self, level: int, message: object, *arguments: Any) -> None:
        if str(message) in self._said:
            return
        if len(self._said) < MOST_SAID:
            self._said.add(str(message))
        self._logger.log(level, message, *arguments)

    def debug(self, message: object, *arguments: Any) -> None:
        self._say(logging.DEBUG, message, *arguments)

    def info(self, message: object, *arguments: Any) -> None:
        self._say(logging.INFO, message, *arguments)

    def warning(self, message: object, *arguments: Any) -> None:
        self._say(logging.WARNING, message, *arguments)

    def error(self, code: object, message: object = "", *arguments: Any) -> None:
        """AISBench's own has a code before the message."""
        self._say(logging.ERROR, message or code, *arguments)


class BaseInferencer:
    """What both kinds share: a model that is lent, and the usual way to its data."""

    def __init__(
        self, model_cfg: Any, batch_size: int | None = 1, output_json_filepath: str | None = ""
    ) -> None:
        self.model_cfg, self.batch_size = model_cfg, int(batch_size or 1)
        self.output_json_filepath = output_json_filepath
        self.model = LENDING.get()
        self.logger = AISLogger()
        self.output_handler: Any = GenInferencerOutputHandler()
        self.perf_mode = False
        self.save_every = 1
        self.is_main_process = True

    def get_data_list(self, retriever: Any) -> list[dict[str, Any]]:
        return data_list(self, retriever)


class BaseApiInferencer(BaseInferencer):
    """Base of classes with `do_request`."""

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
        self.save_every = int(save_every or 1)
        self.perf_mode = mode in ("perf", "pressure")
        self.status_counter = StatusCounter()

    @abstractmethod
    async def do_request(self, data: dict[str, Any], token_bucket: Any, session: Any) -> Any: ...


class BaseLocalInferencer(BaseInferencer):
    """Base of classes with `batch_inference`."""

    @abstractmethod
    def batch_inference(self, datum: dict[str, list[Any]]) -> Any: ...


class GenInferencer(BaseApiInferencer, BaseLocalInferencer):
    """One prompt, one answer: for classes that change a part of it."""

    def __init__(
        self,
        model_cfg: Any,
        stopping_criteria: Any = (),
        gen_field_replace_token: str = "",
        **rest: Any,
    ) -> None:
        super().__init__(model_cfg, **rest)
        self.stopping_criteria = list(stopping_criteria)
        self.gen_field_replace_token = gen_field_replace_token

    async def do_request(self, data: dict[str, Any], token_bucket: Any, session: Any) -> None:
        output = RequestOutput(self.perf_mode)
        rest = {name: value for name, value in data.items() if name not in KNOWN}
        rest.setdefault("stopping_criteria", self.stopping_criteria)
        await self.status_counter.post()
        await self.model.generate(
            data["prompt"], data["max_out_len"], output, session=session, **rest
        )
        await (self.status_counter.rev() if output.success else self.status_counter.failed())
        await self.status_counter.finish()
        await self.status_counter.case_finish()
        await self.output_handler.report_cache_info(
            data["index"], data["prompt"], output, data["data_abbr"], data.get("gold")
        )

    def batch_inference(self, datum: dict[str, list[Any]]) -> None:
        rest = {name: value for name, value in datum.items() if name not in KNOWN}
        rest.setdefault("stopping_criteria", self.stopping_criteria)
        texts = self.model.generate(datum["prompt"], datum["max_out_len"], **rest)
        for index, prompt, text, abbr in zip(
            datum["index"], datum["prompt"], texts, datum["data_abbr"], strict=True
        ):
            self.output_handler.report_cache_info_sync(index, prompt, text, abbr)


KNOWN = ("prompt", "index", "data_abbr", "max_out_len", "gold")
"""What a row of data holds; `gold` only where there is a target."""


def data_list(inferencer: Any, retriever: Any) -> list[dict[str, Any]]:
    """The rows of a retriever, as all classes have them that do not say otherwise."""
    golds, limits = retriever.get_gold_ans(), retriever.dataset_reader.get_max_out_len()
    rows: list[dict[str, Any]] = []
    for index, chosen in enumerate(retriever.retrieve()):
        replaced = getattr(inferencer, "gen_field_replace_token", "")
        prompt = retriever.generate_prompt_for_generate_task(
            index, retriever.generate_ice(chosen), gen_field_replace_token=replaced
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
    """No examples."""

    def retrieve(self) -> list[list[str]]:
        return [[]]


# --- registries and the rest -----------------------------------------------------------


class Table:
    """`ICL_INFERENCERS` and its like. Nothing is looked up here: a class is named by its file."""

    def register_module(
        self, name: Any = None, force: bool = False, module: Any = None
    ) -> Callable[..., Any]:
        return module if module is not None else lambda thing: thing


class DataLoader:
    """A name to import; batches are the engine's."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError("Auricle deals the batches; a class needs no DataLoader here")


class AISBenchBaseException(Exception):
    """Told as AISBench tells it: a code, then a message."""

    def __init__(self, code: Any = "", message: str = "") -> None:
        super().__init__(message or str(code))


class Lenient(ModuleType):
    """A module that has every name of a kind: registries, error codes, exceptions."""

    def __init__(self, name: str, make: Callable[[str], Any]) -> None:
        super().__init__(name)
        self._make = make

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self._make(name)
        setattr(self, name, value)
        return value


class Codes:
    """Error codes by any name."""

    def __getattr__(self, name: str) -> str:
        return name


class PromptTemplate:
    """A name to import; templates are prompts of a task here."""


ICL = "ais_bench.benchmark.openicl"
UTILS = "ais_bench.benchmark.utils"
INFERENCERS: Mapping[str, Any] = {
    "BaseInferencer": BaseInferencer,
    "BaseApiInferencer": BaseApiInferencer,
    "BaseLocalInferencer": BaseLocalInferencer,
    "GenInferencer": GenInferencer,
    "StatusCounter": StatusCounter,
}
HANDLERS: Mapping[str, Any] = {
    "BaseInferencerOutputHandler": BaseInferencerOutputHandler,
    "GenInferencerOutputHandler": GenInferencerOutputHandler,
    "PPLInferencerOutputHandler": PPLInferencerOutputHandler,
}
RETRIEVERS: Mapping[str, Any] = {"BaseRetriever": BaseRetriever, "ZeroRetriever": ZeroRetriever}
TEMPLATES: Mapping[str, Any] = {"PromptTemplate": PromptTemplate}
OUTPUTS: Mapping[str, Any] = {"Output": Output, "RequestOutput": RequestOutput}
CONTENT: Mapping[str, Mapping[str, Any]] = {
    PACKAGE: {},
    "ais_bench.benchmark": {},
    "ais_bench.benchmark.models": OUTPUTS,
    "ais_bench.benchmark.models.output": OUTPUTS,
    ICL: {},
    f"{ICL}.icl_inferencer": INFERENCERS,
    f"{ICL}.icl_inferencer.icl_base_inferencer": INFERENCERS,
    f"{ICL}.icl_inferencer.icl_base_api_inferencer": INFERENCERS,
    f"{ICL}.icl_inferencer.icl_base_local_inferencer": INFERENCERS,
    f"{ICL}.icl_inferencer.icl_gen_inferencer": INFERENCERS,
    f"{ICL}.icl_inferencer.output_handler": HANDLERS,
    f"{ICL}.icl_inferencer.output_handler.base_handler": HANDLERS,
    f"{ICL}.icl_inferencer.output_handler.gen_inferencer_output_handler": HANDLERS,
    f"{ICL}.icl_inferencer.output_handler.ppl_inferencer_output_handler": HANDLERS,
    f"{ICL}.icl_retriever": RETRIEVERS,
    f"{ICL}.icl_retriever.icl_base_retriever": RETRIEVERS,
    f"{ICL}.icl_retriever.icl_zero_retriever": RETRIEVERS,
    f"{ICL}.icl_prompt_template": TEMPLATES,
    UTILS: {},
    f"{UTILS}.prompt": {"PromptList": PromptList},
    f"{UTILS}.prompt.prompt": {"PromptList": PromptList},
    f"{UTILS}.logging": {"AISLogger": AISLogger},
    f"{UTILS}.logging.logger": {"AISLogger": AISLogger},
}
ANYTHING: Mapping[str, Callable[[str], Any]] = {
    "ais_bench.benchmark.registry": lambda _: Table(),
    f"{UTILS}.logging.error_codes": lambda _: Codes(),
    f"{UTILS}.logging.exceptions": lambda name: type(name, (AISBenchBaseException,), {}),
}
OTHERS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "torch": {"torch": {}, "torch.utils": {}, "torch.utils.data": {"DataLoader": DataLoader}},
    "aiohttp": {"aiohttp": {"ClientSession": object}},
}
"""What such classes import besides, often for an annotation alone; used where it is missing."""
MADE: dict[str, dict[str, ModuleType]] = {}


def _module(name: str, content: Mapping[str, Any]) -> ModuleType:
    made = ModuleType(name, "A stand-in of Auricle's.")
    vars(made).update(content)
    return made


def _made(package: str) -> dict[str, ModuleType]:
    """A package's stand-ins, made once."""
    if package not in MADE:
        found = CONTENT if package == PACKAGE else OTHERS[package]
        MADE[package] = {name: _module(name, content) for name, content in found.items()}
        if package == PACKAGE:
            MADE[package] |= {name: Lenient(name, make) for name, make in ANYTHING.items()}
    return MADE[package]


def _is_missing(package: str) -> bool:
    return package not in sys.modules and find_spec(package) is None


@contextmanager
def registered() -> Iterator[None]:
    """Stand-ins can be imported within, unless the real ones are there."""
    with LOCK:
        missing = [package for package in (PACKAGE, *OTHERS) if _is_missing(package)]
        added = {name: made for package in missing for name, made in _made(package).items()}
        sys.modules.update(added)
        try:
            yield
        finally:
            for name in added:
                sys.modules.pop(name, None)
