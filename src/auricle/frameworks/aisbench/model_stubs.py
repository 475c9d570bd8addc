"""Stubs of the base classes of AISBench's model classes: `BaseModel` for weights, `BaseAPIModel` for servers."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import AsyncIterator
from ipaddress import IPv6Address, ip_address
from typing import Any
from urllib.error import URLError
from urllib.parse import urljoin, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from auricle.core.errors import SampleError, SpecError, Transient
from auricle.frameworks.aisbench.logger import AISLogger
from auricle.frameworks.aisbench.outputs import Output
from auricle.frameworks.aisbench.prompt_list import APITemplateParser, LMTemplateParser, PromptList
from auricle.frameworks.aisbench.session import CURRENT_TIMER

MODEL_LIST_TIMEOUT = 5.0
"""Seconds to wait for the list of a server's models."""
EVENT_ENDS = (b"\r\n\r\n", b"\r\r")
"""What may end an event of a stream besides two line feeds."""


class BaseModel:
    """Base class of local models, with `generate(inputs, max_out_len)`."""

    is_api = False

    def __init__(
        self,
        path: str,
        max_seq_len: int = 2048,
        tokenizer_only: bool = False,
        meta_template: Any = None,
        generation_kwargs: Any = None,
        sync_rank: bool = False,
    ) -> None:
        self.logger = AISLogger()
        self.path, self.max_seq_len, self.tokenizer_only = path, max_seq_len, tokenizer_only
        self.template_parser: LMTemplateParser = LMTemplateParser(meta_template)
        self.eos_token_id = (meta_template or {}).get("eos_token_id")
        self.generation_kwargs = dict(generation_kwargs or {})
        self.sync_rank, self.is_synthetic = sync_rank, False

    @abstractmethod
    def generate(self, inputs: Any, max_out_len: int) -> Any:
        """Return one text per prompt."""
        raise NotImplementedError(f"{type(self).__name__} does not implement generate")

    def encode(self, prompt: str) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not implement encode")

    def decode(self, tokens: Any) -> str:
        raise NotImplementedError(f"{type(self).__name__} does not implement decode")

    def get_token_len(self, prompt: str) -> int | None:
        """Return the number of tokens of a text; None unless the class implements it."""
        return None

    def set_synthetic(self) -> None:
        self.is_synthetic = True

    def parse_template(self, prompt_template: Any, mode: str) -> Any:
        """Apply the chat format of the model to a prompt."""
        return self.template_parser.parse_template(prompt_template, mode)

    def get_token_len_from_template(self, templates: Any, mode: str = "ppl") -> Any:
        """Return the number of tokens of a prompt, or of each prompt of a list."""
        prompts = self.parse_template(templates, mode)
        if isinstance(prompts, list) and not isinstance(prompts, PromptList):
            return [self.get_token_len(str(prompt)) for prompt in prompts]
        return self.get_token_len(str(prompts))

    def to(self, device: Any) -> None:
        self.model.to(device)  # type: ignore[attr-defined]  # set by the class


class BaseLMModel(BaseModel):
    """Base class of local language models."""


class BaseAPIModel(BaseModel):
    """Base class of models behind a server, which build request bodies and read responses.

    A request is sent once: what may pass (a lost connection, status 429 or 5xx) is retried by the engine.
    """

    is_api = True

    def __init__(
        self,
        path: str = "",
        stream: bool = False,
        max_out_len: int = 2048,
        retry: int = 2,
        host_ip: str = "localhost",
        host_port: int = 8080,
        url: str = "",
        meta_template: Any = None,
        generation_kwargs: Any = None,
        enable_ssl: bool = False,
        verbose: bool = False,
        api_key: str = "",
    ) -> None:
        super().__init__(path, generation_kwargs=generation_kwargs)
        self.template_parser = APITemplateParser(meta_template)
        self.meta_template = meta_template or None
        self.stream, self.max_out_len, self.retry, self.verbose = stream, max_out_len, retry, verbose
        self.host_ip, self.host_port, self.url, self.enable_ssl = host_ip, host_port, url, enable_ssl
        self.headers = {"Content-Type": "application/json"}
        self.response_anomaly_enabled = bool(self.generation_kwargs.pop("response_anomaly_enabled", False))
        self.session: Any = None
        self.base_url = self._get_base_url()

    @abstractmethod
    def _get_url(self) -> str:
        """Return the address that requests are sent to."""
        raise NotImplementedError(f"{type(self).__name__} does not implement _get_url")

    def _get_base_url(self) -> str:
        """Return the address of the server, with a slash at its end."""
        scheme = "https" if self.enable_ssl else "http"
        if custom := str(self.url or "").strip():
            parts = urlsplit(custom if custom.startswith(("http://", "https://")) else f"{scheme}://{custom}")
            return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/"))
        return f"{scheme}://{_bracket_ipv6(self.host_ip)}:{self.host_port}/"

    def _get_service_model_path(self) -> str:
        """Return the name of the first model that the server lists."""
        url = urljoin(self.base_url, "v1/models")
        try:
            with urlopen(Request(url, headers=self.headers), timeout=MODEL_LIST_TIMEOUT) as response:  # noqa: S310
                return str(json.load(response)["data"][0]["id"])
        except (URLError, OSError, ValueError, LookupError, TypeError) as error:
            raise SpecError(f"No model is named, and {url} lists none: {error}. Set -M model=NAME.") from error

    @abstractmethod
    async def get_request_body(self, input_data: Any, max_out_len: int, output: Output, **args: Any) -> Any:
        """Return the body of a request."""
        raise NotImplementedError(f"{type(self).__name__} does not implement get_request_body")

    async def parse_text_response(self, data: Any, output: Output) -> None:
        """Read a complete response into the output."""
        raise NotImplementedError(f"{type(self).__name__} should implement parse_text_response if stream is False")

    async def parse_stream_response(self, data: Any, output: Output) -> None:
        """Read an event of a streamed response into the output."""
        raise NotImplementedError(f"{type(self).__name__} should implement parse_stream_response if stream is True")

    async def generate(  # type: ignore[override]  # AISBench's signature
        self, input_data: Any, max_out_len: int, output: Output, session: Any = None, **args: Any
    ) -> Output:
        """Send a request and fill the output; a failure is recorded in it."""
        self.session = session
        request_body = await self.get_request_body(input_data, max_out_len, output, **args)
        try:
            await (self.stream_infer if self.stream else self.text_infer)(request_body, output)
        except (NotImplementedError, SampleError):
            raise
        except Exception as error:  # noqa: BLE001 - a class reads failures in the output; `session` keeps the reason
            output.success, output.error_info = False, f"{type(error).__name__}: {error}"
            await output.clear_time_points()
        return output

    async def text_infer(self, request_body: Any, output: Output) -> None:
        """Send a request and read the complete response."""
        await output.record_time_point()
        async with self.session.post(url=self.url, json=request_body, headers=self.headers) as response:
            if not _check_status(response, output):
                return
            content = await response.text()
            await output.record_time_point()
            await self.parse_text_response(_parse_json(content), output)
            output.success = True

    async def stream_infer(self, request_body: Any, output: Output) -> None:
        """Send a request and read the events of the response as they arrive."""
        await output.record_time_point()
        async with self.session.post(url=self.url, json=request_body, headers=self.headers) as response:
            if not _check_status(response, output):
                return
            async for event in self.iter_lines(response.content):
                data = event.strip().decode("utf-8").removeprefix("data:").strip()
                if not data or data.startswith(":"):
                    continue
                if data == "[DONE]":
                    break
                await output.record_time_point()
                await self._read_event(_parse_json(data), output)
            output.success = True

    async def _read_event(self, data: Any, output: Output) -> None:
        """Let the class read an event, and record its arrival if it contains text."""
        text_length, reasoning_length = len(output.content), len(output.reasoning_content)
        await self.parse_stream_response(data, output)
        if (timer := CURRENT_TIMER.get()) is None:
            return
        timer.streamed = True
        if len(output.content) > text_length:
            timer.record_chunk("text")
        elif len(output.reasoning_content) > reasoning_length:
            timer.record_chunk("reasoning")

    async def iter_lines(self, stream: Any) -> AsyncIterator[bytes]:
        """Yield the events of a stream, which end with an empty line."""
        pending = b""
        async for chunk in stream:
            pending += chunk
            for end in EVENT_ENDS:
                pending = pending.replace(end, b"\n\n")
            *events, pending = pending.split(b"\n\n")
            for event in events:
                if event:
                    yield event
        if pending:
            yield pending

    async def get_ppl(self, input_data: Any, max_out_len: int, output: Any, session: Any = None, **args: Any) -> None:
        """Measure the perplexity of a text: the mean negative log-probability of its tokens."""
        self.session = session
        request_body = await self.get_ppl_request_body(input_data, max_out_len, output, **args)
        try:
            async with self.session.post(url=self.url, json=request_body, headers=self.headers) as response:
                if _check_status(response, output):
                    output.origin_prompt_logprobs = self.get_prompt_logprobs(_parse_json(await response.text()))
                    output.ppl = self._calc_ppl(output.origin_prompt_logprobs)
                    output.success = True
        except (NotImplementedError, SampleError):
            raise
        except Exception as error:  # noqa: BLE001 - as in `generate`
            output.success, output.error_info = False, f"{type(error).__name__}: {error}"

    async def get_ppl_request_body(self, input_data: Any, max_out_len: int, output: Any, **args: Any) -> Any:
        """Return the body of a request for the log-probabilities of a prompt."""
        raise NotImplementedError(f"{type(self).__name__} does not implement get_ppl_request_body")

    def get_prompt_logprobs(self, data: Any) -> Any:
        """Return the log-probabilities in a response: for each token an object with `logprob`, or None."""
        raise NotImplementedError(f"{type(self).__name__} does not implement get_prompt_logprobs")

    def _calc_ppl(self, prompt_logprobs: Any) -> float:
        logprobs = [next(iter(token.values()))["logprob"] for token in prompt_logprobs if token is not None]
        if not logprobs:
            raise SampleError("the response has no log-probability of any token of the prompt")
        return float(-sum(logprobs) / len(logprobs))


def _bracket_ipv6(host: str) -> str:
    try:
        return f"[{host}]" if isinstance(ip_address(host), IPv6Address) else host
    except ValueError:  # a name
        return host


def _check_status(response: Any, output: Output) -> bool:
    """Return whether a request succeeded; otherwise record the reason in the output."""
    if response.status != 200:
        output.success, output.error_info = False, response.reason
    return bool(response.status == 200)


def _parse_json(content: str) -> Any:
    try:
        return json.loads(content)
    except ValueError as error:
        raise Transient(f"the response is not JSON: {content[:200]!r}") from error
