"""A class for lmms-eval that sends chats to a server, with the calls that lmms-eval's own classes make."""

import json
from urllib.request import Request, urlopen

from lmms_eval.api.instance import GenerationResult, TokenCounts
from lmms_eval.api.model import lmms
from lmms_eval.api.registry import register_model
from lmms_eval.models.model_utils.concurrency_control import (
    extract_text_prefix_from_chat_messages,
    make_prefix_hash,
    parse_bool,
)
from lmms_eval.models.model_utils.usage_metrics import is_budget_exceeded, log_usage
from lmms_eval.protocol import ChatMessages


@register_model("my_server")
class MyServer(lmms):
    is_simple = False

    def __init__(self, base_url: str, nframes: int = 4, pass_video_url: bool = False, is_qwen3_vl: bool = False):
        super().__init__()
        self.base_url, self.nframes = base_url, nframes
        self.pass_video_url, self.is_qwen3_vl = parse_bool(pass_video_url), parse_bool(is_qwen3_vl)

    def generate_until(self, requests):
        order = sorted(range(len(requests)), key=lambda index: self.prefix_hash(requests[index]))
        results = {index: self.answer(*requests[index].args) for index in order if not is_budget_exceeded()}
        return [results[index] for index in range(len(requests))]

    def prefix_hash(self, request):
        _, doc_to_messages, _, doc_id, task, split = request.args
        messages = doc_to_messages(self.task_dict[task][split][doc_id])
        return make_prefix_hash(extract_text_prefix_from_chat_messages(messages, 256), 256)

    def answer(self, ctx, doc_to_messages, gen_kwargs, doc_id, task, split):
        raw = doc_to_messages(self.task_dict[task][split][doc_id])
        chat_messages = ChatMessages(messages=raw)
        video_kwargs = {"nframes": self.nframes, "max_pixels": 151200, "min_pixels": 28 * 28}
        if self.is_qwen3_vl:
            messages = chat_messages.to_qwen3_vl_openai_messages(video_kwargs)
        else:
            messages = chat_messages.to_openai_messages(video_kwargs=video_kwargs, pass_video_url=self.pass_video_url)
        payload = {"messages": messages, "model": "fake", "max_tokens": gen_kwargs["max_new_tokens"]}
        request = Request(f"{self.base_url}/chat/completions", json.dumps(payload).encode(), method="POST")
        with urlopen(request) as response:
            document = json.load(response)
        log_usage(model_name="fake", task_name=task, input_tokens=document["usage"]["prompt_tokens"], source="model")
        counts = TokenCounts(input_tokens=document["usage"]["prompt_tokens"])
        return GenerationResult(text=document["choices"][0]["message"]["content"], token_counts=counts)
