"""Models written for lmms-eval, made and asked as it does, without a change to them.

-m lmms:my_model.py:MyModel -M pretrained=./weights -M batch_size=4
-m lmms:lmms_eval.models.simple.qwen2_audio:Qwen2_Audio
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, cast

from auricle.core.errors import AuricleError, SampleError, SpecError, UnknownName, Unsupported, told
from auricle.core.registry import import_object
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood
from auricle.interop.audio_files import Files
from auricle.interop.blame import raised_by
from auricle.interop.lmms.requests import (
    SPLIT,
    TASK,
    Asked,
    Doc,
    Docs,
    Form,
    Target,
    doc_to_messages,
    doc_to_text,
    doc_to_visual,
    generation_arguments,
    unpacks,
)
from auricle.interop.lmms.stubs import checkout_of, registered
from auricle.models.base import BatchModel

GENERATE, ROUNDS, LIKELIHOOD = "generate_until", "generate_until_multi_round", "loglikelihood"
CHOICES: Mapping[str, tuple[str, ...]] = {
    "arguments": ("auto", "guide", "code"),
    "method": (GENERATE, ROUNDS),
    "audio": ("array", "path"),
    "likelihood": ("logprob", "loss"),
}
FAILED = "[LMMS_EVAL_REQUEST_FAILED"
"""How lmms-eval's API classes begin an answer that is none."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a class is asked: `-M name=value`. Every other argument is the class's own."""

    arguments: str = "auto"
    """What a chat class is given: five things as the guide says, or six as the code does."""
    method: str = GENERATE
    audio: str = "array"
    """A sound as samples with their rate, or the path of a file."""
    likelihood: str = "logprob"
    """Is what `loglikelihood` returns the log-probability, or a loss, which is to be low?"""

    @classmethod
    def of(cls, name: str, given: Mapping[str, Any]) -> tuple[Way, dict[str, Any]]:
        """The way, and what is left for the class."""
        known = [each.name for each in fields(cls)]
        for each in known:
            if each in given and given[each] not in CHOICES[each]:
                due = " or ".join(CHOICES[each])
                raise SpecError(f"{name}: {each} should be {due}, not {given[each]!r}.")
        way = cls(**{key: value for key, value in given.items() if key in known})
        return way, {key: value for key, value in given.items() if key not in known}


class Lmms(BatchModel):
    """A subclass of `lmms_eval.api.model.lmms`, chat or simple."""

    code = ""
    batch_size = 1

    def __init__(self, **arguments: Any) -> None:
        self._name = f"lmms:{Path(self.code).name if '.py:' in self.code else self.code}"
        self._way, own = Way.of(self._name, arguments)
        self._numbers = count()
        self._understood = False
        self._checkout = checkout_of(Path(self.code.rpartition(":")[0]))
        with registered(self._checkout):
            self._model = self._made(own)
            self._instance = import_module("lmms_eval.api.instance").Instance
        self._chat = not getattr(self._model, "is_simple", True)
        self._five = self._chat and self._is_five()
        self.batch_size = self._size(own.get("batch_size"))

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [generation(self._name, each) for each in self._asked(self._way.method, batch)]

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        if any(request.whole for request in batch):
            raise Unsupported(f"{self._name} tells of a continuation alone how likely it is.")
        return [self._likelihood(each) for each in self._asked(LIKELIHOOD, batch)]

    def close(self) -> None:
        self._model = None

    # --- making ------------------------------------------------------------------------

    def _made(self, own: dict[str, Any]) -> Any:
        """The object as lmms-eval makes it, or one line on why there is none."""
        found = self._class()
        if "batch_size" not in own and _takes(found, "batch_size"):
            own = {**own, "batch_size": 1}  # as its command line has it
        self._refuse_arguments(found, own)
        try:
            make = getattr(found, "create_from_arg_string", None)
            return make("", own) if make else found(**own)
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            words = f"{self._name} raised {type(error).__name__}: {told(error)}"
            raise SpecError(words) from error

    def _refuse_arguments(self, found: type[Any], own: Mapping[str, Any]) -> None:
        wanted = inspect.signature(found)
        try:
            wanted.bind(**{key: value for key, value in own.items() if value is not None})
        except TypeError as error:
            takes = ", ".join(wanted.parameters) or "nothing"
            raise SpecError(f"{self._name}: {error}; it takes {takes}.") from error

    def _class(self) -> type[Any]:
        found = import_object(self.code)
        if not inspect.isclass(found) or not callable(getattr(found, GENERATE, None)):
            raise SpecError(
                f"{self._name} is no model of lmms-eval: a subclass of lmms_eval.api.model.lmms "
                f"with {GENERATE}(requests) is."
            )
        lacks = {name: _lacking(name) for name in getattr(found, "__abstractmethods__", ())}
        return type(found.__name__, (found,), lacks) if lacks else found

    def _is_five(self) -> bool:
        if self._way.arguments != "auto":
            return self._way.arguments == "guide"
        return unpacks(type(self._model)) == 5

    def _size(self, given: Any) -> int:
        """As many requests a call as the class takes at once by its own account."""
        own = getattr(self._model, "batch_size", given)
        for each in (own, given):
            if isinstance(each, (int, str)) and str(each).isdigit() and int(each):
                return int(each)
        return 1

    # --- asking ---------------------------------------------------------------------------

    def _asked(self, method: str, batch: Sequence[Asked]) -> list[Any]:
        """What the class answers to a list of requests: as many as there are, in their order."""
        with Files() as files, registered(self._checkout):
            form = cast(Form, self._way.audio)
            docs = {next(self._numbers): Doc(each, form, files) for each in batch}
            self._model.task_dict = {TASK: {SPLIT: Docs(docs)}}
            asked = zip(batch, docs.items(), strict=True)
            requests = [self._request(method, each, *doc) for each, doc in asked]
            with raised_by(self._name):
                answers = self._called(method, requests)
        if not isinstance(answers, (list, tuple)) or len(answers) != len(batch):
            raise SampleError(
                f"{self._name}: {method} should return a list of {len(batch)} for as many "
                f"requests, not {_told_of(answers)}"
            )
        self._understood = True
        return list(answers)

    def _called(self, method: str, requests: list[Any]) -> Any:
        """A class that cannot do this at all is the user's move, as is one given too little."""
        try:
            return getattr(self._model, method)(requests)
        except NotImplementedError as error:
            if self._understood:
                raise
            words = f"{self._name} cannot do {method}: {told(error)}."
            raise Unsupported(f"{words}{self._other_way(method)}") from error
        except ValueError as error:
            if self._understood or not self._chat or "values to unpack" not in str(error):
                raise
            given = "guide" if self._five else "code"
            raise SpecError(
                f"{self._name}: {told(error)}. It is given its arguments as the {given} of "
                f"lmms-eval has them; give -M arguments={'code' if self._five else 'guide'}."
            ) from error

    def _other_way(self, method: str) -> str:
        return f" Where it has {ROUNDS}, give -M method={ROUNDS}." if method == GENERATE else ""

    def _request(self, method: str, request: Asked, number: int, doc: Doc) -> Any:
        about = {"task": TASK, "doc_id": number, "repeats": 1, "split": SPLIT}
        given = (*self._arguments(method, request, doc), number, TASK, SPLIT)
        return self._instance(request_type=method, arguments=given, idx=0, metadata=about)

    def _arguments(self, method: str, request: Asked, doc: Doc) -> tuple[Any, ...]:
        if isinstance(request, LogLikelihood):
            return (doc.text, Target(request.continuation), doc_to_visual)
        settings = generation_arguments(request)
        if self._chat:
            said = (doc_to_messages, settings)
            return said if self._five else (doc.text, *said)
        seen = (doc.text, settings, doc_to_visual)
        return (*seen, doc_to_text) if method == ROUNDS else seen

    def _likelihood(self, answer: Any) -> Likelihood:
        """A pair of a number and whether greedy decoding would say the same."""
        try:
            number, greedy = answer
            value = float(number)
        except (TypeError, ValueError) as error:
            raise SampleError(
                f"{self._name}: {LIKELIHOOD} should return pairs of a number and true or false, "
                f"not {_told_of(answer)}"
            ) from error
        if self._way.likelihood == "loss":
            value = -value
        elif value > 0:
            raise SampleError(
                f"{self._name}: {LIKELIHOOD} returned {value}, and no log-probability is above 0; "
                "if it is a loss, give -M likelihood=loss"
            )
        if math.isnan(value):
            raise SampleError(f"{self._name}: {LIKELIHOOD} returned {number}, which is no number")
        return Likelihood(logprobs=(value,), greedy=bool(greedy))


def model_of(code: str) -> type[Lmms]:
    """The model that `lmms:` and this code name; the code itself runs when the model is made."""
    where, _, name = code.rpartition(":")
    if not where or not name:
        raise UnknownName(f"'lmms:{code}' should be lmms:file.py:Class or lmms:module:Class.")
    if where.endswith(".py") and not Path(where).is_file():
        raise UnknownName(f"There is no file {where}.")
    return type(name, (Lmms,), {"code": code, "__doc__": f"{name}, written for lmms-eval."})


def generation(name: str, answer: Any) -> Generation:
    """An answer in any of the shapes lmms-eval takes; what is none costs its sample."""
    text, counts = _parted(answer)
    if not isinstance(text, str):
        raise SampleError(f"{name}: an answer should be text, not {_told_of(text)}")
    if text.startswith(FAILED):
        raise SampleError(f"{name}: {text}")
    return Generation(
        text=text, tokens=counts.get("output_tokens"), input_tokens=counts.get("input_tokens")
    )


def _parted(answer: Any) -> tuple[Any, Mapping[str, Any]]:
    """A text and its token counts; of several rounds the last."""
    if hasattr(answer, "text"):
        return answer.text, _counts(getattr(answer, "token_counts", None))
    if not isinstance(answer, (list, tuple)) or not answer:
        return answer, {}
    if len(answer) == 2 and not isinstance(answer[1], str):
        return answer[0], _counts(answer[1])
    return answer[-1], {}


def _counts(held: Any) -> Mapping[str, Any]:
    return held if isinstance(held, Mapping) else getattr(held, "__dict__", {})


def _told_of(answer: Any) -> str:
    size = f" of {len(answer)}" if isinstance(answer, (list, tuple)) else ""
    return f"{type(answer).__name__}{size}"


def _takes(cls: type[Any], name: str) -> bool:
    held: Iterable[inspect.Parameter] = inspect.signature(cls).parameters.values()
    return any(each.name == name or each.kind is each.VAR_KEYWORD for each in held)


def _lacking(name: str) -> Any:
    def lacking(self: Any, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no {name}")

    return lacking
