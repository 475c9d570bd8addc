"""Short forms of requests."""

from typing import Any

from auricle.core.types import Generate, LogLikelihood, Turn


def generate(*parts: Any, **limits: Any) -> Any:
    return Generate(turns=(Turn("user", parts),), **limits)


def likelihood(*parts: Any) -> Any:
    """Build a request whose last part is the continuation."""
    return LogLikelihood(turns=(Turn("user", parts[:-1]),), continuation=parts[-1])


def answer_one_by_one(ask: Any, batch: Any) -> Any:
    return [ask([request])[0] for request in batch]


def token_logprobs(model: Any, tokens: Any) -> Any:
    """Return the log-probability of each token, from a separate forward pass."""
    import torch

    with torch.inference_mode():
        result = torch.log_softmax(model.model(torch.tensor([tokens])).logits[0], -1)
    return [result[at - 1, tokens[at]].item() for at in range(1, len(tokens))]


def unprompted(text: Any, **more: Any) -> Any:
    return LogLikelihood(turns=(), continuation=text, **more)
