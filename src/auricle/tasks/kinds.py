"""The kinds of task any manifest can be: transcribe, choose, answer, be judged, classify."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Rejected, Sample
from auricle.data.huggingface import PREFIX, HuggingFace
from auricle.data.manifest import Fields, Manifest
from auricle.metrics.base import Metric, as_metric
from auricle.metrics.catalogue import METRICS
from auricle.metrics.labels import option_index
from auricle.metrics.multi_answer import over_each
from auricle.prompts.few_shot import Shots
from auricle.prompts.few_shot_options import pool_named
from auricle.tasks.base import Task
from auricle.tasks.inferencers import Choose, Either, Measure
from auricle.tasks.languages import name_of
from auricle.tasks.options import Options, listed, span_of
from auricle.tasks.recipes import Samples, Way, shown, shown_always, way, with_shots
from auricle.text import profile_for, without_labels

MEDIA = "{video?}{image?}{audio?}"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_LABELS = 1000
LABEL_PROMPT = f"{MEDIA}{{question}}\nAnswer with one of: {{options}}."
LABEL_METRICS = ("accuracy", "uar", "macro_f1", "weighted_f1")

PROFILES = {"en": "whisper-en", "zh": "zh", "yue": "zh"}
UNSPACED = {"ja", "th", "lo", "km", "my"}  # languages whose writing has no words to count
PROFILES |= dict.fromkeys(UNSPACED, "chars")
TRANSCRIPT_METRICS: dict[str, tuple[str, ...]] = {"zh": ("mer", "cer"), "yue": ("mer", "cer")}
TRANSCRIPT_METRICS |= dict.fromkeys(UNSPACED, ("cer",))

Finish = Callable[[Sample], Sample]


def first_target(sample: Sample) -> str:
    """How a right answer is written: the target, or the first of several."""
    target = sample.target
    return str(target[0] if isinstance(target, (list, tuple)) and target else target)


@dataclass(frozen=True)
class Kind:
    """What a kind of task does where its options say nothing."""

    name: str
    columns: Fields
    prompt: str
    metrics: tuple[str, ...]
    finish: Finish = lambda sample: sample
    use: str = "respond"
    answer: Callable[[Sample], str] = first_target
    """How an example's right answer is written."""

    def task(self, options: Options) -> Task:
        """Samples of a manifest, asked one by one."""
        asked = way(options, self.prompt, self.metrics, self.use)
        samples = samples_of(options, self.columns, self.finished(asked))
        return self.over(options, asked, replace(samples, shows=shown_always(asked.shows)))

    def over(self, options: Options, asked: Way, samples: Samples) -> Task:
        """What all kinds share: how samples are asked about and what is counted."""
        if options.shots:
            shots = self._shots(options, asked, samples)
            asked, samples = with_shots(asked, shots), shots.over(samples)
        return Task(
            samples,
            asked.inferencer,
            _metrics(listed(options.metrics) or asked.metrics, asked.answers, options),
            name=options.name or f"{self.name}-{_stem(options.data)}",
            language=options.language,
            licence=options.licence,
            source=options.data,
            cluster=options.cluster,
            by=tuple(listed(options.by)),
            about={"kind": self.name},
        )

    def finished(self, asked: Way) -> Finish:
        """What is done to every row: the kind's own, and inputs of what the prompt shows."""
        promoted = shown(asked.shows)
        return lambda sample: promoted(self.finish(sample))

    def _shots(self, options: Options, asked: Way, samples: Samples) -> Shots:
        if pool := pool_named(options.shots):
            options = replace(options, data=pool, rows="")
            samples = samples_of(options, self.columns, self.finished(asked))
            samples = replace(samples, shows=shown_always(asked.shows))
        counted = asked.prompt.shown if asked.prompt else None
        return Shots.from_options(options.shots, samples, self._written(asked), counted)

    def _written(self, asked: Way) -> Callable[[Sample], str]:
        """An example is answered as a sample is: options scored by their text are shown as text."""
        if isinstance(asked.inferencer, Choose) and "{choice}" in asked.inferencer.option:
            return chosen_text
        return self.answer


def asr(**given: Any) -> Task:
    """Write down what is said."""
    options = Options.of("asr", given)
    columns = Fields(
        target=("text", "transcript", "transcription", "sentence", "answer", "target"),
        default_question="Please transcribe the spoken content into written text.",
        media_needed=True,
    )
    wanted = TRANSCRIPT_METRICS.get(options.language, ("wer", "cer"))
    kind = Kind("asr", columns, f"{MEDIA}{{question}}", wanted, with_one_transcript)
    return kind.task(options)


def translate(**given: Any) -> Task:
    """Write down in another language what is said; `language` is that language."""
    options = Options.of("translate", given)
    columns = Fields(
        target=("translation", "answer", "answers", "target"),
        default_question=f"Please translate the speech into {name_of(options.language or 'en')}.",
        media_needed=True,
    )
    kind = Kind("translate", columns, f"{MEDIA}{{question}}", ("bleu", "chrf"))
    return kind.task(options)


def qa(**given: Any) -> Task:
    """Answer a question, spoken or written, that has a reference answer."""
    columns = Fields(
        target=("answer", "answers", "target", "label"),
        question=("question", "text", "prompt", "instruction"),
    )
    kind = Kind("qa", columns, f"{MEDIA}{{question}}", ("exact_match", "contains"))
    return kind.task(Options.of("qa", given))


def open_ended(**given: Any) -> Task:
    """Answer where no reference decides; the answers are kept to be judged."""
    columns = Fields(
        target=("answer", "answers", "target", "label"),
        question=("question", "text", "prompt", "instruction"),
        target_needed=False,
    )
    kind = Kind("open", columns, f"{MEDIA}{{question}}", ("empty",))
    return kind.task(Options.of("open", given))


def mcq(**given: Any) -> Task:
    """Choose one of several options: in words, or by how likely a model finds each."""
    columns = Fields(
        target=("answer", "target", "label"),
        question=("question", "text", "prompt", "instruction"),
        default_question="Choose the right option.",
    )
    prompt = f"{MEDIA}{{question}}{{options}}\nAnswer with the letter of the right option."
    wanted = ("option_accuracy",)
    kind = Kind("mcq", columns, prompt, wanted, with_options, answer=chosen_letter)
    return kind.task(Options.of("mcq", given))


def perplexity(**given: Any) -> Task:
    """How well a language model foretells texts."""
    columns = Fields(
        target=("target", "answer", "label"),
        question=("text", "content", "sentence", "question", "page"),
        target_needed=False,
    )
    options = Options.of("perplexity", {"inferencer": {"text": "{question}"}, **given})
    kind = Kind("perplexity", columns, "", (), use="continue")
    return kind.task(options)


def classify(**given: Any) -> Task:
    """Name the one label that fits: by a classifier's scores, or in words."""
    options = Options.of("classify", given)
    columns = Fields(
        target=("label", "answer", "target", "emotion", "category"),
        question=("question", "prompt", "instruction"),
        default_question="Which label fits this recording best?",
    )
    kind = Kind("classify", columns, LABEL_PROMPT, LABEL_METRICS, _with_labels)
    asked = way(options, kind.prompt, kind.metrics)
    manifest = samples_of(options, columns, kind.finished(asked))
    labels = listed(options.labels) or DistinctLabels(manifest)
    return labelled("classify", options, replace(manifest, choices=labels))


def labelled(
    name: str,
    options: Options,
    samples: Iterable[Sample | Rejected],
    prompt: str = LABEL_PROMPT,
    wanted: Sequence[str] = LABEL_METRICS,
) -> Task:
    """One label a sample, wherever samples come from: for a classifier, or a model that writes."""
    kind = Kind(name, Fields(target=()), prompt, tuple(wanted))
    task = kind.over(options, way(options, prompt, kind.metrics), samples)
    if options.inferencer:
        return task
    return replace(task, inferencer=Either((Measure(), task.inferencer)))


def samples_of(options: Options, columns: Fields, finish: Finish) -> Manifest:
    if options.question:
        columns = replace(columns, default_question=options.question)
    if options.target:
        columns = replace(columns, target=(options.target,))
    span = span_of(options.rows)
    root = Path(options.root) if options.root else None
    if options.reader:
        found: Manifest = options.reader(fields=columns, finish=finish, span=span)
        return found
    if options.data.startswith(PREFIX):
        return HuggingFace(
            Path(options.data),
            columns,
            root=root,
            finish=finish,
            span=span,
            config=options.config,
            split=options.split,
            pinned=options.revision,
        )
    return Manifest(Path(options.data), columns, root=root, finish=finish, span=span)


def _metrics(names: Sequence[str], answers: str | Sequence[str], options: Options) -> list[Metric]:
    profile = profile_for(options.profile, options.language) or PROFILES.get(options.language, "")
    found = [_metric(name, at) for at, name in enumerate(names)]
    if options.rubric:
        found.append(_judged(options.rubric, found))
    if votes := options.votes:
        found = [metric.voted(votes) if metric.voted else metric for metric in found]
    if not options.synonyms:
        found = [metric.strict() if metric.strict else metric for metric in found]
    if profile:
        found = [metric.under(profile) if metric.under else metric for metric in found]
    return over_each(found, listed(answers)) if answers else found


def _metric(name: str, at: int) -> Metric:
    try:
        return as_metric(METRICS.get(name))
    except SpecError as error:
        error.where = error.where or ("metrics", at)
        raise


def _judged(path: str, others: Sequence[Metric]) -> Metric:
    from auricle.metrics.judge import judged, load

    found = judged(load(Path(path)))
    if found.name in {other.name for other in others}:
        raise SpecError(f"{path} is called {found.name}, as a metric of this task is already.")
    return found


def _stem(data: str) -> str:
    return PurePath(data.removeprefix(PREFIX)).stem or "data"


def with_one_transcript(sample: Sample) -> Sample:
    """What is said, as text; a list of it is refused."""
    if isinstance(sample.target, (list, bool)):
        raise SampleError(f"one transcript is due, this is {sample.target!r}")
    return replace(sample, target=str(sample.target))


# --- multiple choice --------------------------------------------------------------

MARK = r"(?:^|(?<=[\s(（?？:：。,，;；]))\(?([A-Z])[.)）、:：]"
OPTION = re.compile(rf"{MARK}\s*(.+?)(?=\s*[(（]?{MARK.replace('([A-Z])', '[A-Z]')}|\s*$)", re.S)


def with_options(sample: Sample) -> Sample:
    """Options of its own column, or those the question itself lists; and a target among them."""
    question = str(sample.inputs["question"])
    given = sample.inputs.get("choices")
    choices = [str(each) for each in given] if isinstance(given, list) else listed_options(question)
    if len(choices) > len(LETTERS):
        raise SampleError(f"{len(choices)} options are more than there are letters")
    choices = without_labels(choices)
    if choices and option_index(sample.target, choices) is None:
        raise SampleError(f"the answer {sample.target!r} is none of the {len(choices)} options")
    if not choices and option_index(sample.target, ()) is None:
        raise SampleError(f"no choices, and the answer {sample.target!r} is not a letter")
    shown = "" if _all_in(choices, question) else "\n" + lettered(choices)
    return replace(sample, inputs={**sample.inputs, "choices": choices, "options": shown})


def chosen_text(sample: Sample) -> str:
    """The right option as it is written."""
    choices, at = _chosen(sample)
    return choices[at] if choices else first_target(sample)


def chosen_letter(sample: Sample) -> str:
    """The right option's letter."""
    return LETTERS[_chosen(sample)[1]]


def _chosen(sample: Sample) -> tuple[list[str], int]:
    given = sample.inputs.get("choices", ())
    choices = [str(each) for each in given] if isinstance(given, (list, tuple)) else []
    at = option_index(sample.target, choices)
    if at is None:
        raise SampleError(f"the answer {sample.target!r} is none of the options")
    return choices, at


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
