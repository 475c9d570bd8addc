"""The kinds of task any manifest can be: transcribe, choose, answer, be judged, classify."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

from auricle import registry
from auricle.data.huggingface import PREFIX, HuggingFace
from auricle.data.manifest import Fields, Manifest
from auricle.errors import SampleError, SpecError
from auricle.infer import Either, Measure, Respond
from auricle.metrics.base import Metric, as_metric
from auricle.metrics.labels import option_index
from auricle.tasks.base import Task
from auricle.text import without_label
from auricle.types import Rejected, Sample

MEDIA = "{video?}{image?}{audio?}"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_LABELS = 1000
LABEL_PROMPT = f"{MEDIA}{{question}}\nAnswer with one of: {{options}}."
LABEL_METRICS = ("accuracy", "uar", "macro_f1", "weighted_f1")

LISTS = ("metrics", "labels")
WHOLE = ("max_tokens", "votes")
CODES = {"eng": "en", "cmn": "zh", "zho": "zh", "chi": "zh", "jpn": "ja", "tha": "th"}
PROFILES = {"en": "whisper-en", "zh": "zh", "yue": "zh"}
UNSPACED = {"ja", "th", "lo", "km", "my"}  # languages whose writing has no words to count
PROFILES |= dict.fromkeys(UNSPACED, "chars")
TRANSCRIPT_METRICS: dict[str, tuple[str, ...]] = {"zh": ("mer", "cer"), "yue": ("mer", "cer")}
TRANSCRIPT_METRICS |= dict.fromkeys(UNSPACED, ("cer",))


@dataclass(frozen=True)
class Options:
    """What may be said of a manifest with `-T key=value`, in YAML or in Python."""

    data: str
    name: str = ""
    root: str | None = None
    language: str = ""
    profile: str = ""
    metrics: str | Sequence[str] = ()
    rubric: str = ""
    """A YAML file; a judge's verdicts under it become one more metric."""
    votes: int = 0
    """How often a judge is asked the same; by default as often as its rubric says."""
    prompt: str = ""
    question: str = ""
    """Asked of rows that have no question of their own."""
    system: str = ""
    max_tokens: int = 512
    labels: str | Sequence[str] = ()
    cluster: str = ""
    config: str | None = None
    split: str = "test"
    revision: str | None = None
    licence: str = ""

    @classmethod
    def of(cls, kind: str, given: dict[str, Any]) -> Options:
        known = [each.name for each in fields(cls)]
        if unknown := [name for name in given if name not in known]:
            raise SpecError(
                f"{kind} takes no option {', '.join(unknown)}; it takes {', '.join(known)}."
            )
        if not given.get("data"):
            raise SpecError(f"{kind} needs data: `auricle run mine.jsonl --as {kind} -m MODEL`.")
        options = cls(**{name: _option(name, value) for name, value in given.items()})
        return replace(options, language=_code(options.language))


def _option(name: str, value: Any) -> Any:
    """Numbers where text is due are taken as text, as a command line means them."""
    if name in WHOLE:
        if not isinstance(value, int) or value < 1:
            raise SpecError(f"{name} should be a whole number from 1, not {value!r}.")
        return value
    if name in LISTS and isinstance(value, (list, tuple)):
        return [str(each) for each in value]
    if isinstance(value, (str, int, float, Path)):
        return str(value)
    if value is None:
        return None
    raise SpecError(f"{name} should be text, not {value!r}.")


def _code(language: str) -> str:
    """`zh-CN` and `ZH` are `zh`; what is no language code is refused."""
    code = re.split("[-_]", language.strip().lower())[0]
    if code and not re.fullmatch("[a-z]{2,3}", code):
        raise SpecError(f"language should be a code such as en, zh or de, not {language!r}.")
    return CODES.get(code, code)


def asr(**given: Any) -> Task:
    """Write down what is said."""
    options = Options.of("asr", given)
    columns = Fields(
        target=("text", "transcript", "transcription", "sentence", "answer", "target"),
        default_question="Please transcribe the spoken content into written text.",
        media_needed=True,
    )
    wanted = TRANSCRIPT_METRICS.get(options.language, ("wer", "cer"))
    return _task("asr", options, columns, f"{MEDIA}{{question}}", wanted, _with_one_transcript)


def qa(**given: Any) -> Task:
    """Answer a question, spoken or written, that has a reference answer."""
    options = Options.of("qa", given)
    columns = Fields(
        target=("answer", "answers", "target", "label"),
        question=("question", "text", "prompt", "instruction"),
    )
    return _task("qa", options, columns, f"{MEDIA}{{question}}", ("exact_match", "contains"))


def open_ended(**given: Any) -> Task:
    """Answer where no reference decides; the answers are kept to be judged."""
    options = Options.of("open", given)
    columns = Fields(
        target=("answer", "answers", "target", "label"),
        question=("question", "text", "prompt", "instruction"),
        target_needed=False,
    )
    return _task("open", options, columns, f"{MEDIA}{{question}}", ("empty",))


def mcq(**given: Any) -> Task:
    """Choose one of several options, by letter or by text."""
    options = Options.of("mcq", given)
    columns = Fields(
        target=("answer", "target", "label"),
        question=("question", "text", "prompt", "instruction"),
        default_question="Choose the right option.",
    )
    prompt = f"{MEDIA}{{question}}{{options}}\nAnswer with the letter of the right option."
    return _task("mcq", options, columns, prompt, ("option_accuracy",), _with_options)


def classify(**given: Any) -> Task:
    """Name the one label that fits: by a classifier's scores, or in words."""
    options = Options.of("classify", given)
    columns = Fields(
        target=("label", "answer", "target", "emotion", "category"),
        question=("question", "prompt", "instruction"),
        default_question="Which label fits this recording best?",
    )
    manifest = _samples(options, columns, _with_labels)
    labels = _listed(options.labels) or DistinctLabels(manifest)
    return labelled("classify", options, replace(manifest, choices=labels))


def labelled(
    kind: str,
    options: Options,
    samples: Iterable[Sample | Rejected],
    prompt: str = LABEL_PROMPT,
    wanted: Sequence[str] = LABEL_METRICS,
) -> Task:
    """One label a sample, wherever samples come from: for a classifier, or a model that writes."""
    task = _asked(kind, options, samples, prompt, wanted)
    return replace(task, inferencer=Either((Measure(), task.inferencer)))


Finish = Callable[[Sample], Sample]


def _task(
    kind: str,
    options: Options,
    columns: Fields,
    prompt: str,
    wanted: Sequence[str],
    finish: Finish = lambda sample: sample,
) -> Task:
    """What most kinds share: samples of a manifest, asked one by one."""
    return _asked(kind, options, _samples(options, columns, finish), prompt, wanted)


def _asked(
    kind: str,
    options: Options,
    samples: Iterable[Sample | Rejected],
    prompt: str,
    wanted: Sequence[str],
) -> Task:
    """What all kinds share: how samples are asked about and what is counted."""
    template = options.prompt or prompt
    return Task(
        samples,
        Respond(template, system=options.system, max_tokens=int(options.max_tokens)),
        _metrics(_listed(options.metrics) or wanted, options),
        name=options.name or f"{kind}-{_stem(options.data)}",
        language=options.language,
        licence=options.licence,
        source=options.data,
        cluster=options.cluster,
    )


def _samples(options: Options, columns: Fields, finish: Finish) -> Manifest:
    if options.question:
        columns = replace(columns, default_question=options.question)
    root = Path(options.root) if options.root else None
    if options.data.startswith(PREFIX):
        return HuggingFace(
            Path(options.data),
            columns,
            root=root,
            finish=finish,
            config=options.config,
            split=options.split,
            pinned=options.revision,
        )
    return Manifest(Path(options.data), columns, root=root, finish=finish)


def _metrics(names: Sequence[str], options: Options) -> list[Metric]:
    profile = options.profile or PROFILES.get(options.language, "")
    found = [as_metric(registry.metric.get(name)) for name in names]
    if options.rubric:
        found.append(_judged(options.rubric, found))
    if votes := options.votes:
        found = [metric.voted(votes) if metric.voted else metric for metric in found]
    if not profile:
        return found
    return [metric.under(profile) if metric.under else metric for metric in found]


def _judged(path: str, others: Sequence[Metric]) -> Metric:
    from auricle.metrics.judge import judged, load

    found = judged(load(Path(path)))
    if found.name in {other.name for other in others}:
        raise SpecError(f"{path} is called {found.name}, as a metric of this task is already.")
    return found


def _listed(value: str | Sequence[str]) -> list[str]:
    if isinstance(value, str):
        return [each.strip() for each in value.split(",")] if value else []
    return list(value)


def _stem(data: str) -> str:
    return PurePath(data.removeprefix(PREFIX)).stem or "data"


def _with_one_transcript(sample: Sample) -> Sample:
    if isinstance(sample.target, (list, bool)):
        raise SampleError(f"one transcript is due, this is {sample.target!r}")
    return replace(sample, target=str(sample.target))


# --- multiple choice --------------------------------------------------------------

MARK = r"(?:^|(?<=[\s(（?？:：。,，;；]))\(?([A-Z])[.)）、:：]"
OPTION = re.compile(rf"{MARK}\s*(.+?)(?=\s*[(（]?{MARK.replace('([A-Z])', '[A-Z]')}|\s*$)", re.S)


def _with_options(sample: Sample) -> Sample:
    """Options of its own column, or those the question itself lists; and a target among them."""
    question = str(sample.inputs["question"])
    given = sample.inputs.get("choices")
    choices = [str(each) for each in given] if isinstance(given, list) else listed_options(question)
    if len(choices) > len(LETTERS):
        raise SampleError(f"{len(choices)} options are more than there are letters")
    choices = [without_label(choice, at) for at, choice in enumerate(choices)]
    if choices and option_index(sample.target, choices) is None:
        raise SampleError(f"the answer {sample.target!r} is none of the {len(choices)} options")
    if not choices and option_index(sample.target, ()) is None:
        raise SampleError(f"no choices, and the answer {sample.target!r} is not a letter")
    shown = "" if _all_in(choices, question) else "\n" + lettered(choices)
    return replace(sample, inputs={**sample.inputs, "choices": choices, "options": shown})


def lettered(choices: Sequence[str]) -> str:
    return "\n".join(f"{LETTERS[at]}. {choice}" for at, choice in enumerate(choices))


def listed_options(question: str) -> list[str]:
    """Options a question lists as A., B., C. in that order; nothing if it lists none."""
    found = OPTION.findall(question)
    in_order = "".join(letter for letter, _ in found) == LETTERS[: len(found)]
    return [text.strip() for _, text in found] if len(found) > 1 and in_order else []


def _all_in(choices: Sequence[str], question: str) -> bool:
    return all(choice in question for choice in choices)


# --- classification -----------------------------------------------------------------


class DistinctLabels(Sequence[str]):
    """The labels that occur in a manifest, read when first needed."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = replace(manifest, finish=lambda sample: sample)

    @cached_property
    def _labels(self) -> list[str]:
        found = {str(each.target) for each in self._manifest if isinstance(each, Sample)}
        if len(found) > MOST_LABELS:
            raise SpecError(f"{len(found)} different labels: is the label column free text?")
        return sorted(found)

    def __getitem__(self, at: Any) -> Any:
        return self._labels[at]

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)


def _with_labels(sample: Sample) -> Sample:
    if isinstance(sample.target, list):
        raise SampleError("one label is due, this is a list")
    choices = sample.inputs.get("choices", [])
    shown = ", ".join(str(each) for each in choices) if isinstance(choices, list) else ""
    return replace(sample, target=str(sample.target), inputs={**sample.inputs, "options": shown})
