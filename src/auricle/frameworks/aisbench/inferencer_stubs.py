"""Stubs of AISBench's inferencers, which user classes derive from, and of the handlers that they report to."""

from __future__ import annotations

import copy
from abc import abstractmethod
from contextvars import ContextVar
from typing import Any
from uuid import uuid4

from auricle.frameworks.aisbench.adapters import CURRENT_SAMPLE, BaseRetriever, ModelAdapter, StatusCounter
from auricle.frameworks.aisbench.logger import AISLogger
from auricle.frameworks.aisbench.outputs import PPLRequestOutput, PPLResponseOutput, RequestOutput
from auricle.frameworks.aisbench.prompt_list import PromptList, get_round_index

CURRENT_MODEL: ContextVar[ModelAdapter] = ContextVar("current_model")
"""The model for the object that is being created."""
ROW_FIELDS = ("prompt", "index", "data_abbr", "max_out_len", "gold")
"""Fields of a data row; `gold` only if there is a target."""
PERF_MODES = ("perf", "pressure")
INFER_MODES = ("every", "last", "every_with_gt")


class BaseInferencerOutputHandler:
    """Collects what a class reports; the engine writes the journal."""

    def __init__(
        self, perf_mode: bool = False, save_every: int = 1, response_anomaly_payload_storage: Any = None, **_: Any
    ) -> None:
        self.perf_mode, self.save_every, self.all_success = perf_mode, save_every, True
        self.response_anomaly_payload_storage = response_anomaly_payload_storage

    def get_prediction_result(self, output: Any, gold: Any = None, input: Any = None, data_abbr: str = "") -> Any:
        """Return what is kept of an output; its `prediction` is the answer."""
        is_output = hasattr(output, "get_prediction")
        result = {
            "success": getattr(output, "success", True),
            "uuid": getattr(output, "uuid", "") or uuid4().hex,
            "origin_prompt": "" if input is None else input,
            "prediction": output.get_prediction() if is_output else output,
        }
        return {**result, "gold": gold} if gold else result

    async def report_cache_info(self, id: Any, input: Any, output: Any, data_abbr: str = "", gold: Any = None) -> bool:
        return self.report_cache_info_sync(id, input, output, data_abbr, gold)

    def report_cache_info_sync(self, id: Any, input: Any, output: Any, data_abbr: str = "", gold: Any = None) -> bool:
        result = self.get_prediction_result(output, gold=gold, input=input, data_abbr=data_abbr)
        self.all_success = self.all_success and bool(result.get("success", True))
        CURRENT_SAMPLE.get().add_report(id, output, result)
        return True


class GenInferencerOutputHandler(BaseInferencerOutputHandler):
    """Collects generated texts."""


class PPLInferencerOutputHandler(BaseInferencerOutputHandler):
    """Collects the label with the lowest perplexity, and the perplexity of each label."""

    def get_prediction_result(self, output: Any, gold: Any = None, input: Any = None, data_abbr: str = "") -> Any:
        result = super().get_prediction_result(output, gold, output.input, data_abbr)
        logprobs = output.origin_prompt_logprobs
        return {**result, "ppl_list": output.label_ppl_list, "origin_prompt_logprobs": logprobs}


class BaseInferencer:
    """Base class of both kinds of inferencer."""

    def __init__(self, model_cfg: Any, batch_size: int | None = 1, output_json_filepath: str | None = "") -> None:
        self.model_cfg, self.batch_size = copy.deepcopy(model_cfg), int(batch_size or 1)
        self.response_anomaly_payload_storage = self.model_cfg.pop("response_anomaly_payload_storage", None)
        self.output_json_filepath = output_json_filepath
        self.model = CURRENT_MODEL.get()
        self.logger = AISLogger()
        self.output_handler: Any = GenInferencerOutputHandler()
        self.perf_mode, self.save_every, self.is_main_process = False, 1, True
        self.task_state_manager: Any = None

    def get_data_list(self, retriever: Any) -> list[dict[str, Any]]:
        return build_data_list(self, retriever)

    def set_task_state_manager(self, task_state_manager: Any) -> None:
        self.task_state_manager = task_state_manager


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
        self.save_every, self.perf_mode = int(save_every or 1), mode in PERF_MODES
        self.pressure_mode = mode == "pressure"
        self.status_counter = StatusCounter()

    @abstractmethod
    async def do_request(self, data: dict[str, Any], token_bucket: Any, session: Any) -> Any: ...


class BaseLocalInferencer(BaseInferencer):
    """Base class of classes with `batch_inference`."""

    @abstractmethod
    def batch_inference(self, datum: dict[str, list[Any]]) -> Any: ...


class TextInferencer(BaseApiInferencer, BaseLocalInferencer):
    """What the inferencers that generate text have in common."""

    def __init__(
        self, model_cfg: Any, stopping_criteria: Any = (), gen_field_replace_token: str = "", **rest: Any
    ) -> None:
        super().__init__(model_cfg, **rest)
        self.stopping_criteria = list(stopping_criteria or ())
        self.gen_field_replace_token = gen_field_replace_token or ""
        self.output_handler = GenInferencerOutputHandler(
            self.perf_mode, self.save_every, self.response_anomaly_payload_storage
        )

    async def _send(self, data: dict[str, Any], prompt: Any, max_out_len: Any, session: Any, turn_id: int = 0) -> Any:
        """Send a prompt, count it, report its output and return it."""
        output = RequestOutput(self.perf_mode)
        output.uuid, output.turn_id = uuid4().hex, turn_id
        await self.status_counter.post()
        await self.model.generate(prompt, max_out_len, output, session=session, **self._generation_options(data))
        await (self.status_counter.rev() if output.success else self.status_counter.failed())
        await self.status_counter.finish()
        await self.output_handler.report_cache_info(data["index"], prompt, output, data["data_abbr"], data.get("gold"))
        return output

    def _generation_options(self, data: dict[str, Any]) -> dict[str, Any]:
        further_fields = {name: value for name, value in data.items() if name not in ROW_FIELDS}
        return {"stopping_criteria": self.stopping_criteria, **further_fields}


class GenInferencer(TextInferencer):
    """One prompt, one answer; user classes override parts of it."""

    async def do_request(self, data: dict[str, Any], token_bucket: Any, session: Any) -> None:
        await self._send(data, data["prompt"], data["max_out_len"], session)
        await self.status_counter.case_finish()

    def batch_inference(self, datum: dict[str, list[Any]]) -> None:
        texts = self.model.generate(datum["prompt"], datum["max_out_len"], **self._generation_options(datum))
        for index, prompt, text, abbr in zip(datum["index"], datum["prompt"], texts, datum["data_abbr"], strict=True):
            self.output_handler.report_cache_info_sync(index, prompt, text, abbr)


class MultiTurnGenInferencer(TextInferencer):
    """A conversation: `infer_mode` decides which turns are asked, and which answers precede the next one."""

    def __init__(self, model_cfg: Any, infer_mode: str = "every", **rest: Any) -> None:
        super().__init__(model_cfg, **rest)
        if infer_mode not in INFER_MODES:
            raise ValueError(f"infer_mode should be {', '.join(INFER_MODES)}, not {infer_mode!r}")
        self.infer_mode = infer_mode

    async def do_request(self, data: dict[str, Any], token_bucket: Any, session: Any) -> None:
        data = copy.deepcopy(data)
        begin, end = get_round_index(data["prompt"])
        before, chat, after = data["prompt"][:begin], data["prompt"][begin:end], data["prompt"][end:]
        answers = [index for index, message in enumerate(chat) if message["role"] == "BOT"]
        for turn_id, index in enumerate(answers[-1:] if self.infer_mode == "last" else answers):
            history = self.model.parse_template(PromptList([*before, *chat[:index], *after]), mode="gen")
            output = await self._send(data, history, _limit_of_turn(data["max_out_len"], turn_id), session, turn_id)
            if not output.success:
                break
            if self.infer_mode == "every":
                chat[index]["prompt"] = output.content
        await self.status_counter.case_finish()


def _limit_of_turn(max_out_len: Any, turn_id: int) -> Any:
    return max_out_len[min(turn_id, len(max_out_len) - 1)] if isinstance(max_out_len, list) else max_out_len


class PPLInferencer(BaseApiInferencer):
    """A text per label; the label of the text with the lowest perplexity is the answer."""

    def __init__(self, model_cfg: Any, labels: Any = None, **rest: Any) -> None:
        super().__init__(model_cfg, **rest)
        if self.perf_mode:
            raise ValueError("perplexities cannot be measured in performance mode")
        if self.model_cfg.get("stream"):
            raise ValueError("perplexities cannot be streamed")
        self.labels = labels
        self.output_handler = PPLInferencerOutputHandler(self.perf_mode, self.save_every)

    def get_data_list(self, retriever: Any) -> list[dict[str, Any]]:
        golds, limits = retriever.get_gold_ans(), retriever.dataset_reader.get_max_out_len()
        return [
            {
                "index": index,
                "qa": {
                    label: self._build_text(retriever, index, example_ids, label)
                    for label in self.labels or retriever.get_labels()
                },
                "gold": golds[index] if golds else None,
                "data_abbr": retriever.dataset.abbr,
                "max_out_len": limits[index] if limits else self.model.max_out_len,
            }
            for index, example_ids in enumerate(retriever.retrieve())
        ]

    def _build_text(self, retriever: Any, index: int, example_ids: Any, label: Any) -> dict[str, Any]:
        prompt = retriever.generate_label_prompt(index, retriever.generate_ice(example_ids), label)
        return {
            "prompt": self.model.parse_template(prompt, mode="ppl"),
            "token_num": self.model.get_token_len_from_template(prompt, mode="ppl"),
        }

    async def do_request(self, data: dict[str, Any], token_bucket: Any, session: Any) -> None:
        response = PPLResponseOutput(self.perf_mode)
        response.success, response.uuid = True, uuid4().hex
        for label, text in data["qa"].items():
            output = PPLRequestOutput(self.perf_mode)
            await self.status_counter.post()
            await self.model.get_ppl(text["prompt"], data["max_out_len"], output, session=session)
            await self.status_counter.finish()
            response.input.append(output.input)
            if not output.success:
                await self.status_counter.failed()
                response.success, response.error_info = False, output.error_info
                break
            await self.status_counter.rev()
            response.label_ppl_list.append({"label": label, "ppl": output.ppl})
            response.origin_prompt_logprobs.append(output.origin_prompt_logprobs)
        response.content = self._calc_prediction(response.label_ppl_list) if response.success else None
        await self.status_counter.case_finish()
        await self.output_handler.report_cache_info(
            data["index"], response.input, response, data["data_abbr"], data.get("gold")
        )

    def _calc_prediction(self, ppl_list: list[dict[str, Any]]) -> Any:
        """Return the label with the lowest perplexity."""
        return min(ppl_list, key=lambda entry: entry["ppl"])["label"] if ppl_list else None


def build_data_list(inferencer: Any, retriever: Any) -> list[dict[str, Any]]:
    """Build the default data rows from a retriever; conversations keep their markers, which the class needs."""
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
