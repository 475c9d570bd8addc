"""Inferencers as people write them for AISBench; read as files, never imported by tests."""

import asyncio
import copy
import uuid
from multiprocessing import BoundedSemaphore
from pathlib import Path

import aiohttp
from ais_bench.benchmark.models.output import RequestOutput
from ais_bench.benchmark.openicl.icl_inferencer.icl_base_api_inferencer import BaseApiInferencer
from ais_bench.benchmark.openicl.icl_inferencer.icl_base_local_inferencer import BaseLocalInferencer
from ais_bench.benchmark.openicl.icl_inferencer.icl_gen_inferencer import GenInferencer
from ais_bench.benchmark.openicl.icl_inferencer.icl_multiturn_inferencer import MultiTurnGenInferencer
from ais_bench.benchmark.openicl.icl_inferencer.output_handler.gen_inferencer_output_handler import (
    GenInferencerOutputHandler,
)
from ais_bench.benchmark.openicl.icl_inferencer.output_handler.ppl_inferencer_output_handler import (
    PPLInferencerOutputHandler,
    PPLRequestOutput,
    PPLResponseOutput,
)
from ais_bench.benchmark.openicl.icl_inferencer.ppl_inferencer import PPLInferencer
from ais_bench.benchmark.openicl.icl_retriever import BaseRetriever
from ais_bench.benchmark.registry import ICL_INFERENCERS
from ais_bench.benchmark.utils.logging.error_codes import ICLI_CODES
from ais_bench.benchmark.utils.logging.exceptions import ParameterValueError
from ais_bench.benchmark.utils.prompt import PromptList, get_round_index

SEEN = []
"""What the objects were given, for tests to look at."""


@ICL_INFERENCERS.register_module()
class Api(BaseApiInferencer):
    def __init__(self, model_cfg, batch_size=1, mode="infer", save_every=1, suffix="", **kwargs):
        super().__init__(model_cfg, batch_size=batch_size, mode=mode, save_every=save_every)
        self.suffix = suffix
        self.output_handler = GenInferencerOutputHandler(self.perf_mode, self.save_every)

    async def do_request(self, data, token_bucket: BoundedSemaphore, session: aiohttp.ClientSession):
        SEEN.append(data)
        data = copy.deepcopy(data)
        index, prompt = data.pop("index"), data.pop("prompt")
        abbr, limit = data.pop("data_abbr"), data.pop("max_out_len")
        gold = data.pop("gold", None)
        output = RequestOutput(self.perf_mode)
        output.uuid = uuid.uuid4().hex
        token_bucket.acquire(timeout=1)
        await self.status_counter.post()
        await self.model.generate(prompt, limit, output, session=session, **data)
        await (self.status_counter.rev() if output.success else self.status_counter.failed())
        await self.status_counter.finish()
        await self.status_counter.case_finish()
        if self.suffix and output.success:
            output.content += self.suffix
        await self.output_handler.report_cache_info(index, prompt, output, abbr, gold)

    def get_data_list(self, retriever: BaseRetriever):
        rows = []
        for index, chosen in enumerate(retriever.retrieve()):
            prompt = retriever.generate_prompt_for_generate_task(
                index, retriever.generate_ice(chosen), gen_field_replace_token=""
            )
            rows.append(
                {
                    "prompt": self.model.parse_template(prompt, mode="gen"),
                    "data_abbr": retriever.dataset.abbr,
                    "index": index,
                    "max_out_len": self.model.max_out_len,
                    "gold": retriever.get_gold_ans()[index],
                }
            )
        self.logger.info("Prompts are made")
        limits = retriever.dataset_reader.get_max_out_len()
        for row, limit in zip(rows, limits or [], strict=False):
            row["max_out_len"] = limit
        return rows


@ICL_INFERENCERS.register_module()
class Local(BaseLocalInferencer):
    def __init__(self, model_cfg, batch_size=1, output_json_filepath="", save_every=1, **kwargs):
        super().__init__(model_cfg, batch_size, output_json_filepath)
        self.output_handler = GenInferencerOutputHandler(perf_mode=False, save_every=save_every)

    def batch_inference(self, datum):
        SEEN.append(copy.deepcopy(datum))
        indexes, prompts = datum.pop("index"), datum.pop("prompt")
        abbrs, _ = datum.pop("data_abbr"), datum.pop("max_out_len")
        golds = datum.pop("gold", [None] * len(prompts))
        texts = self.model.generate(prompts, self.model.max_out_len, **datum)
        for index, prompt, text, abbr, gold in zip(indexes, prompts, texts, abbrs, golds, strict=True):
            self.output_handler.report_cache_info_sync(index, prompt, text, abbr, gold)


class Writing(Local):
    """Scores each row by the others of its batch, and keeps the sizes in a file of its own."""

    def batch_inference(self, datum):
        with Path(self.output_json_filepath, "batches.txt").open("a") as file:
            file.write(f"{self.batch_size} {datum['index']}\n")
        for index, prompt in zip(datum["index"], datum["prompt"], strict=True):
            (text,) = self.model.generate([prompt], self.model.max_out_len)
            self.output_handler.report_cache_info_sync(index, prompt, f"{text} of {max(datum['index'])}", "")


class Both(Api, Local):
    def __init__(self, model_cfg, **kwargs):
        BaseApiInferencer.__init__(self, model_cfg, **kwargs)
        self.suffix = " asked"

    def batch_inference(self, datum):
        texts = self.model.generate(datum["prompt"], datum["max_out_len"])
        self.output_handler.report_cache_info_sync(0, datum["prompt"][0], texts[0] + " batched", "")


class Vote(GenInferencer):
    """Asks three times and reports each."""

    async def do_request(self, data, token_bucket, session):
        for _ in range(3):
            await super().do_request(data, token_bucket, session)


class Stopping(GenInferencer):
    def __init__(self, model_cfg, **kwargs):
        super().__init__(model_cfg, stopping_criteria=["END"], **kwargs)


class Silent(Api):
    async def do_request(self, data, token_bucket, session):
        pass


class Broken(Api):
    async def do_request(self, data, token_bucket, session):
        raise KeyError("nothing here")


class Swallowing(Api):
    async def do_request(self, data, token_bucket, session):
        output = RequestOutput()
        try:
            await self.model.generate(data["prompt"], 5, None)
        except Exception as error:
            output.error_info = f"caught {error}"
        await self.output_handler.report_cache_info(0, data["prompt"], output, "")


class Itself(Api):
    """Asks a server without the model."""

    async def do_request(self, data, token_bucket, session):
        output = RequestOutput()
        SEEN.append(session)
        async with session.get(data["prompt"]) as response:
            output.content, output.success = str(response.status), True
        await self.output_handler.report_cache_info(0, data["prompt"], output, "")


class Measured(Api):
    """Streams from a server itself, and reports the mode it was created in."""

    def __init__(self, model_cfg, mode="infer", url="", **kwargs):
        super().__init__(model_cfg, mode=mode)
        self.url, self.mode = url, mode

    async def do_request(self, data, token_bucket, session):
        output = RequestOutput(self.perf_mode)
        output.content = f"{self.mode} {self.perf_mode}"
        body = {"model": "m", "messages": [{"role": "user", "content": data["prompt"]}], "stream": True}
        await output.record_time_point()
        async with session.post(self.url, json=body) as response:
            async for line in response.content:
                if b'"content"' in line:
                    await output.record_time_point()
                    output.content += "."
            output.success = response.status == 200
        await self.output_handler.report_cache_info(data["index"], data["prompt"], output, data["data_abbr"])


class Points(Api):
    """Reports how many time points the model recorded, and whether they are in order."""

    async def do_request(self, data, token_bucket, session):
        output = RequestOutput(self.perf_mode)
        await self.model.generate(data["prompt"], data["max_out_len"], output, session=session)
        metrics = output.get_metrics()
        points = metrics["time_points"].tolist()
        text = f"{self.perf_mode} {len(points)} {points == sorted(points)} {metrics['success']}"
        await self.output_handler.report_cache_info(data["index"], data["prompt"], text, data["data_abbr"])


class Chat(MultiTurnGenInferencer):
    """Notes the conversation that it is given."""

    async def do_request(self, data, token_bucket, session):
        SEEN.append(copy.deepcopy(data["prompt"]))
        await super().do_request(data, token_bucket, session)


class OwnChat(BaseApiInferencer):
    """A conversation without the class for conversations, as upstream writes its turns."""

    def __init__(self, model_cfg, **kwargs):
        super().__init__(model_cfg, **kwargs)
        storage = self.response_anomaly_payload_storage
        self.output_handler = GenInferencerOutputHandler(
            perf_mode=self.perf_mode, save_every=self.save_every, response_anomaly_payload_storage=storage
        )

    async def do_request(self, data, token_bucket, session):
        prompt = data["prompt"]
        left, right = get_round_index(prompt)
        before, chat, after = prompt[:left], prompt[left:right], prompt[right:]
        for turn, index in enumerate([i for i, item in enumerate(chat) if item["role"] == "BOT"]):
            history = await asyncio.to_thread(
                self.model.parse_template, PromptList(before + chat[:index] + after), mode="gen"
            )
            output = RequestOutput(self.perf_mode)
            output.turn_id = turn
            await self.model.generate(history, data["max_out_len"], output, session=session)
            chat[index]["prompt"] = output.content
            await self.output_handler.report_cache_info(data["index"], history, output, data["data_abbr"])


class Perplexity(PPLInferencer):
    """Notes the texts whose perplexities are compared."""

    async def do_request(self, data, token_bucket, session):
        SEEN.append(copy.deepcopy(data["qa"]))
        await super().do_request(data, token_bucket, session)


class OwnPerplexity(BaseApiInferencer):
    """Measures one text itself and reports the perplexity."""

    def __init__(self, model_cfg, **kwargs):
        super().__init__(model_cfg, **kwargs)
        self.output_handler = PPLInferencerOutputHandler(perf_mode=self.perf_mode, save_every=self.save_every)

    async def do_request(self, data, token_bucket, session):
        output, response = PPLRequestOutput(self.perf_mode), PPLResponseOutput(self.perf_mode)
        await self.model.get_ppl(data["prompt"], data["max_out_len"], output, session=session)
        response.success, response.error_info = output.success, output.error_info
        response.content, response.label_ppl_list = f"{output.ppl:.2f}", [{"label": "only", "ppl": output.ppl}]
        await self.output_handler.report_cache_info(data["index"], data["prompt"], response, data["data_abbr"])


class Shouting(Api):
    """Changes predictions in a handler of its own."""

    def __init__(self, model_cfg, **kwargs):
        super().__init__(model_cfg)
        self.output_handler = ShoutingHandler(self.perf_mode, self.save_every)


class ShoutingHandler(GenInferencerOutputHandler):
    def get_prediction_result(self, output, gold=None, input=None, data_abbr=""):
        result = super().get_prediction_result(output, gold=gold, input=input, data_abbr=data_abbr)
        return {**result, "prediction": result["prediction"].upper()}


class Lacking(Api):
    def get_data_list(self, retriever):
        return [{"prompt": "hello", "index": 0}]


class Deep(Api):
    """Uses what only AISBench's own models have."""

    async def do_request(self, data, token_bucket, session):
        self.model.tokenizer.encode("x")


class Refusing(Api):
    def __init__(self, model_cfg, **kwargs):
        raise ParameterValueError(ICLI_CODES.BATCH_SIZE_OUT_OF_RANGE, "no batch is small enough")


class Bare(Api):
    """Calls no constructor of its bases."""

    def __init__(self, model_cfg):
        pass


class Neither(BaseApiInferencer):
    pass
