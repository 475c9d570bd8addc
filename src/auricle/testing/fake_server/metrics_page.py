"""The page `/metrics` of the fake server: Prometheus text with the names of vLLM."""

from __future__ import annotations

from dataclasses import dataclass, field

CACHE_SLOTS = 64
"""Requests that fill the made-up KV cache of a server without slots."""
DRAFT_TOKENS, ACCEPTED_TOKENS = 4, 3
"""Made-up speculative decoding: of so many draft tokens, so many are accepted."""


@dataclass(slots=True)
class ServedTokens:
    """Tokens that the server has read and written so far."""

    requests: int = 0
    prompt: int = 0
    cached: int = 0
    """Tokens of prompts that were sent before."""
    generated: int = 0
    _seen: set[str] = field(default_factory=set)

    def add(self, digest: str, prompt: int, generated: int) -> None:
        """Count an answered request; the whole prompt of a repeated one is in the cache."""
        self.requests += 1
        self.prompt += prompt
        self.generated += generated
        self.cached += prompt if digest in self._seen else 0
        self._seen.add(digest)


def render_metrics(tokens: ServedTokens, in_flight: int, slots: int | None) -> str:
    """Render gauges and counters; requests beyond the slots are waiting."""
    running = min(in_flight, slots or in_flight)
    drafts = tokens.generated // DRAFT_TOKENS * DRAFT_TOKENS
    gauges = {
        "num_requests_running": running,
        "num_requests_waiting": in_flight - running,
        "kv_cache_usage_perc": min(1.0, running / (slots or CACHE_SLOTS)),
    }
    counters = {
        "request_success_total": tokens.requests,
        "prompt_tokens_total": tokens.prompt,
        "generation_tokens_total": tokens.generated,
        "prefix_cache_queries_total": tokens.prompt,
        "prefix_cache_hits_total": tokens.cached,
        "spec_decode_num_draft_tokens_total": drafts,
        "spec_decode_num_accepted_tokens_total": drafts * ACCEPTED_TOKENS // DRAFT_TOKENS,
    }
    lines = []
    for kind, metrics in (("gauge", gauges), ("counter", counters)):
        for name, value in metrics.items():
            lines += [f"# TYPE vllm:{name} {kind}", f'vllm:{name}{{model_name="fake"}} {float(value)}']
    return "\n".join(lines) + "\n"
