"""Classes for lmms-eval, as its model guide has them; nothing of Auricle is imported.

`GuideChat` has the structure of the guide's complete example, with a processor and weights of
its own that need no download: five arguments, messages, media, a template, a generation.
"""

# ruff: noqa: I001 - as people write them

import logging
import types

from loguru import logger as eval_logger
from lmms_eval import utils
from lmms_eval.api.instance import GenerationResult, Instance, TokenCounts
from lmms_eval.api.model import lmms
from lmms_eval.api.registry import register_model
from lmms_eval.protocol import ChatMessages


def heard(sound):
    """Something that depends on every sample and on the rate."""
    return f"{len(sound['array'])}@{sound['sampling_rate']}:{abs(sound['array']).sum():.2f}"


class Processor:
    def apply_chat_template(self, messages):
        said = (each.get("text", f"<{each['type']}>") for m in messages for each in m["content"])
        return "|".join(said)

    def decode(self, output, skip_special_tokens=True):
        return output


class Weights:
    def generate(self, text, audios, max_new_tokens, temperature, do_sample):
        sounds = ",".join(heard(each) for each in audios)
        return [f"{text} {sounds} {max_new_tokens} {temperature} {do_sample}"]


@register_model("guide_chat")
class GuideChat(lmms):
    is_simple = False

    def __init__(self, pretrained: str, device: str = "cuda", **kwargs):
        super().__init__()
        self.device, self.given = device, kwargs
        self.model, self.processor = Weights(), Processor()

    def generate_until(self, requests: list[Instance]) -> list[str]:
        results = []
        for request in requests:
            doc_to_messages, gen_kwargs, doc_id, task, split = request.args
            doc = self.task_dict[task][split][doc_id]
            raw_messages = doc_to_messages(doc)
            messages = ChatMessages(messages=raw_messages)
            images, videos, audios = messages.extract_media()
            hf_messages = messages.to_hf_messages()
            text = self.processor.apply_chat_template(hf_messages)
            outputs = self.model.generate(
                text=text,
                audios=audios,
                max_new_tokens=gen_kwargs.get("max_new_tokens", 128),
                temperature=gen_kwargs.get("temperature", 0.0),
                do_sample=gen_kwargs.get("do_sample", False),
            )
            results.append(self.processor.decode(outputs[0], skip_special_tokens=True))
        return results

    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
        results = []
        for request in requests:
            contexts, doc_to_target, doc_to_visual, doc_id, task, split = request.args
            doc = self.task_dict[task][split][doc_id]
            target, seen = doc_to_target(doc), doc_to_visual(doc)
            results.append((-float(len(target) + len(seen)), target == "b"))
        return results


@register_model("code_chat")
class CodeChat(GuideChat):
    """The same by the six arguments that the code really gives, in batches."""

    def __init__(self, pretrained="x", batch_size=1, **kwargs):
        super().__init__(pretrained, **kwargs)
        self.batch_size_per_gpu = int(batch_size)
        self.lists = []

    @property
    def batch_size(self):
        return self.batch_size_per_gpu

    def generate_until(self, requests):
        eval_logger.info("{} requests", len(requests))
        ordered = utils.Collator(
            [request.args for request in requests],
            lambda each: -len(each[0]),
            group_fn=lambda each: each[2],
            grouping=True,
        )
        results = []
        for chunk in ordered.get_batched(n=self.batch_size):
            ctx, doc_to_messages, all_gen_kwargs, doc_id, task, split = zip(*chunk)
            docs = [self.task_dict[t][s][i] for i, t, s in zip(doc_id, task, split)]
            said = [ChatMessages(messages=doc_to_messages[0](doc)) for doc in docs]
            for context, messages in zip(ctx, said):
                text = f"{context} {heard(messages.extract_media()[2][0])} in {len(chunk)}"
                results.append(GenerationResult(text, TokenCounts(output_tokens=len(text))))
                self.cache_hook.add_partial("generate_until", (context, all_gen_kwargs[0]), text)
        return ordered.get_original(results)


@register_model("simple")
class Simple(lmms):
    """A simple class as the audio models are written: it takes things out of gen_kwargs."""

    def __init__(self, batch_size=1, device=None):
        super().__init__()
        self.batch_size = int(batch_size)

    def generate_until(self, requests):
        results = []
        for contexts, gen_kwargs, doc_to_visual, doc_id, task, split in [r.args for r in requests]:
            (audio,) = doc_to_visual(self.task_dict[task][split][doc_id])
            until = gen_kwargs.pop("until", [])
            results.append(f"{contexts} {heard(audio)} {sorted(gen_kwargs)} {until}")
        return results

    def loglikelihood(self, requests):
        raise NotImplementedError("Loglikelihood is not implemented for Simple")

    def generate_until_multi_round(self, requests):
        results = []
        for request in requests:
            contexts, _, doc_to_visual, doc_to_text, doc_id, task, split = request.args
            doc = self.task_dict[task][split][doc_id]
            outputs, number, terminal = [f"{contexts} {heard(doc_to_visual(doc)[0])}"], 1, False
            while not terminal:
                _, text, terminal, outputs, _ = doc_to_text(
                    doc, previous_output=outputs, round_idx=number, previous_round_info=None
                )
                number += 1
            results.append(outputs)
        return results


class OnlyRounds(lmms):
    """A chat class that does nothing but rounds."""

    is_simple = False

    def generate_until_multi_round(self, requests):
        results = []
        for request in requests:
            ctx, doc_to_messages, gen_kwargs, doc_id, task, split = request.arguments
            doc, outputs = self.task_dict[task][split][doc_id], []
            messages, terminal, number = doc_to_messages(doc), False, 0
            while not terminal:
                outputs.append(f"round {number}: {messages[-1]['content'][-1]['text']}")
                number += 1
                messages, terminal, _, _ = doc_to_messages(
                    doc, round_idx=number, previous_output=outputs, previous_round_info=None
                )
            results.append(outputs)
        return results


class RefusingOneRound(OnlyRounds):
    """Implements the other method by raising an error."""

    def generate_until(self, requests):
        """Not for this class."""
        raise NotImplementedError("only rounds")


class Bad(Simple):
    """Misbehaves where the question says so."""

    def generate_until(self, requests):
        print("thinking aloud")
        texts = [request.args[0] for request in requests]
        docs = [self.task_dict[r.args[4]][r.args[5]][r.args[3]] for r in requests]
        for request, doc in zip(requests, docs):
            request.args[1].clear()
            doc["audio"]["array"][:] = 0
            doc.clear()
        if "raise" in texts:
            raise KeyError("no such thing")
        if "exit" in texts:
            raise SystemExit(3)
        if "nothing" in texts:
            return None
        if "few" in texts:
            return texts[1:]
        again = [self.task_dict[r.args[4]][r.args[5]][r.args[3]] for r in requests]
        told = {"none": None, "number": 7, "failed": "[LMMS_EVAL_REQUEST_FAILED after 5 retries]"}
        requests.clear()
        return [told.get(text, heard(doc["audio"])) for text, doc in zip(texts, again)]


class Loss(Simple):
    """Returns losses, as many classes of lmms-eval do: the lowest is the likeliest."""

    def loglikelihood(self, requests):
        return [(float(len(request.args[1])), False) for request in requests]


class Broken(Simple):
    def __init__(self, **kwargs):
        raise RuntimeError("no weights")


class Unpacks(lmms):
    """Leaves what it is given to a function, which cannot be seen from its source."""

    is_simple = False

    def generate_until(self, requests):
        return [apart(*request.args) for request in requests]


def apart(*given):
    doc_to_messages, gen_kwargs, doc_id, task, split = given
    return task


def not_a_class():
    pass


def decode(max_new_tokens):
    if max_new_tokens + 4 > 448:
        raise ValueError("the combined length exceeds max_target_positions")
    return "one two"


class Swallows(Simple):
    """Turns its errors into empty answers, as Whisper in lmms-eval does with a decoder of 448 positions."""

    def __init__(self, positions=448):
        super().__init__()
        self.config = types.SimpleNamespace(max_target_positions=positions)

    def generate_until(self, requests):
        results = []
        for request in requests:
            try:
                results.append(decode(request.args[1]["max_new_tokens"]))
            except Exception as error:
                eval_logger.debug(f"Error while generating: {error}")
                logging.getLogger(__name__).info("an answer is empty")
                print("going on")
                results.append("")
        return results


class Recorder(lmms):
    """Keeps its requests, and what the functions in them return."""

    def __init__(self):
        super().__init__()
        self.requests, self.inputs = [], []

    def generate_until(self, requests):
        for contexts, _, doc_to_visual, doc_id, task, split in [request.args for request in requests]:
            self.inputs.append((contexts, doc_to_visual(self.task_dict[task][split][doc_id])))
        return self.keep(requests, "")

    def loglikelihood(self, requests):
        return self.keep(requests, (-1.5, 1), (-2, 0))

    def generate_until_multi_round(self, requests):
        return self.keep(requests, [""])

    def keep(self, requests, *answers):
        self.requests += requests
        return [answers[number % len(answers)] for number, _ in enumerate(requests)]


class ChatRecorder(Recorder):
    is_simple = False

    def generate_until(self, requests):
        for doc_to_messages, _, doc_id, task, split in [request.args for request in requests]:
            self.inputs.append(doc_to_messages(self.task_dict[task][split][doc_id]))
        return self.keep(requests, "")
