"""A class for lmms-eval that sends chats to a server, with the calls that lmms-eval's own classes make."""

import json
from urllib.request import Request, urlopen

from lmms_eval.api.instance import GenerationResult, TokenCounts
from lmms_eval.api.model import lmms
from lmms_eval.api.registry import register_model
from lmms_eval.protocol import ChatMessages


@register_model("my_server")
class MyServer(lmms):
    is_simple = False

    def __init__(self, base_url: str, nframes: int = 4, pass_video_url: bool = False, is_qwen3_vl: bool = False):
        super().__init__()
        self.base_url, self.nframes = base_url, nframes
        self.pass_video_url, self.is_qwen3_vl = pass_video_url, is_qwen3_vl

    def generate_until(self, requests):
        return [self.answer(*request.args) for request in requests]

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
        counts = TokenCounts(input_tokens=document["usage"]["prompt_tokens"])
        return GenerationResult(text=document["choices"][0]["message"]["content"], token_counts=counts)
