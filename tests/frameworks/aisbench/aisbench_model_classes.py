"""Model classes as people write them for AISBench; read as files, never imported by tests."""

import urllib.parse

from ais_bench.benchmark.models import APITemplateParser, BaseAPIModel, BaseModel
from ais_bench.benchmark.models.output import RequestOutput
from ais_bench.benchmark.registry import MODELS

SEEN = []
"""What the objects were given, for tests to look at."""
CHAT_FORMAT = {
    "round": [{"role": "HUMAN", "api_role": "HUMAN"}, {"role": "BOT", "api_role": "BOT", "generate": True}],
    "reserved_roles": [{"role": "SYSTEM", "api_role": "SYSTEM"}],
}
ROLES = {"HUMAN": "user", "BOT": "assistant", "SYSTEM": "system"}


@MODELS.register_module()
class MyCustomAPI(BaseAPIModel):
    """A chat service."""

    is_api: bool = True

    def __init__(
        self,
        path="",
        model="m",
        stream=False,
        max_out_len=4096,
        retry=2,
        api_key="",
        host_ip="localhost",
        host_port=8080,
        url="",
        generation_kwargs=None,
    ):
        super().__init__(
            path=path,
            stream=stream,
            max_out_len=max_out_len,
            retry=retry,
            api_key=api_key,
            host_ip=host_ip,
            host_port=host_port,
            url=url,
            generation_kwargs=generation_kwargs,
        )
        self.headers["Authorization"] = f"Bearer {api_key}"
        self.model = model
        self.url = self._get_url()
        self.template_parser = APITemplateParser(CHAT_FORMAT)

    def _get_url(self):
        return urllib.parse.urljoin(self.base_url, "v1/chat/completions")

    async def get_request_body(self, input, max_out_len, output: RequestOutput, **args):
        SEEN.append((input, output.perf_mode))
        messages = [{"role": ROLES[item["role"]], "content": item["prompt"]} for item in input]
        output.input = messages
        body = {"model": self.model, "messages": messages, "max_tokens": max_out_len, "stream": self.stream}
        if self.stream:
            body["stream_options"] = {"include_usage": True}
        return body | self.generation_kwargs

    async def parse_text_response(self, data, output):
        output.content = data["choices"][0]["message"]["content"]
        self.count_tokens(data, output)

    async def parse_stream_response(self, data, output):
        SEEN.append("event")
        for choice in data.get("choices", []):
            output.content += choice["delta"].get("content") or ""
        self.count_tokens(data, output)

    def count_tokens(self, data, output):
        if data.get("usage"):
            output.input_tokens = data["usage"]["prompt_tokens"]
            output.output_tokens = data["usage"]["completion_tokens"]


class Marked(MyCustomAPI):
    """Marks each part of a streamed answer with the mode of its output."""

    async def parse_stream_response(self, data, output):
        before = output.content
        await super().parse_stream_response(data, output)
        if output.content != before:
            output.content += f"[{output.perf_mode}]"


class FirstOfService(MyCustomAPI):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.model = self._get_service_model_path()


class WithoutStream(BaseAPIModel):
    def __init__(self, host_port, stream=True):
        super().__init__(host_ip="127.0.0.1", host_port=host_port, stream=stream)
        self.url = self._get_url()

    def _get_url(self):
        return self.base_url + "v1/chat/completions"

    async def get_request_body(self, input_data, max_out_len, output, **args):
        return {"model": "m", "messages": [{"role": "user", "content": input_data}], "stream": self.stream}


class Scorer(MyCustomAPI):
    """A service that returns the log-probabilities of prompts."""

    async def get_ppl_request_body(self, input_data, max_out_len, output, **args):
        body = await self.get_request_body(input_data, max_out_len, output, **args)
        return body | {"prompt_logprobs": 0}

    def get_prompt_logprobs(self, data):
        return data["prompt_logprobs"]


class OwnLoop(MyCustomAPI):
    """Sends and reads everything itself, and swallows its errors."""

    async def generate(self, input_data, max_out_len, output, session=None, **args):
        body = await self.get_request_body(input_data, max_out_len, output)
        try:
            async with session.post(self.url, json=body | {"stream": True}) as response:
                if response.status != 200:
                    output.error_info = response.reason
                    return
                async for line in response.content:
                    if b'"content"' in line:
                        output.content += "x"
                output.success = True
        except Exception as error:
            output.error_info = str(error)


class TriesTwice(MyCustomAPI):
    """Sends to an address that does not exist after one that refuses."""

    async def generate(self, input_data, max_out_len, output, session=None, **args):
        for url, body in ((self.url, {}), (self.url + "/nowhere", {})):
            async with session.post(url, json=body) as response:
                output.success, output.error_info = response.status == 200, response.reason


@MODELS.register_module()
class MyCustomModel(BaseModel):
    """Repeats prompts backwards."""

    def __init__(self, path, max_seq_len=2048, tokenizer_only=False, meta_template=None, generation_kwargs=None):
        super().__init__(path, max_seq_len, tokenizer_only, meta_template, generation_kwargs)

    def generate(self, inputs, max_out_len, **kwargs):
        SEEN.append((list(inputs), max_out_len, kwargs))
        return [prompt[::-1][:max_out_len] for prompt in inputs]


class TooFew(MyCustomModel):
    def generate(self, inputs, max_out_len, **kwargs):
        return "one text"


def not_a_class():
    pass
