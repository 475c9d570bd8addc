"""The kind of task `lid`: which language is spoken?"""

from dataclasses import dataclass, replace
from typing import Any, Literal

from auricle import Sample, SampleError, SpecError, Task
from auricle.core.arguments import takes_options
from auricle.data.manifest import ColumnMapping
from auricle.engine.inferencers import FirstSupported, Measure
from auricle.engine.kinds import MEDIA_TEMPLATE, TaskKind
from auricle.engine.task_options import GenerationOptions

from auricle_lid.languages import LANGUAGE_SETS, NAMES, find_name

COLUMNS = ColumnMapping(
    target_columns=("language", "label", "answer"),
    question_columns=("text",),
    default_question="Which language is spoken?",
)
PROMPT = f"{MEDIA_TEMPLATE}{{question}}\nAnswer with one of: {{options}}."
METRICS = ("accuracy", "related_language", "macro_f1")


@dataclass(frozen=True)
class LanguageOptions(GenerationOptions):
    """The options of `--as lid`."""

    language_set: Literal["all", "germanic", "romance", "slavic"] = "all"
    """The languages that an answer is chosen from."""


@takes_options(LanguageOptions)
def lid(**arguments: Any) -> Task:
    """Build a task of language identification."""
    options = LanguageOptions.from_arguments("lid", arguments)
    sets = {"all": NAMES, **LANGUAGE_SETS}
    if options.language_set not in sets:
        raise SpecError(f"Invalid language_set {options.language_set!r}: expected one of {', '.join(sets)}.")
    names = sorted(sets[options.language_set].values())

    def add_choices(sample: Sample) -> Sample:
        language = find_name(str(sample.target))
        if language not in names:
            raise SampleError(f"{sample.target!r} is not one of the languages {', '.join(names)}")
        return replace(sample, target=language, inputs={**sample.inputs, "choices": names, "options": ", ".join(names)})

    task = TaskKind("lid", COLUMNS, PROMPT, METRICS, add_choices).task_from_manifest(options)
    return task if options.inferencer else replace(task, inferencer=FirstSupported((Measure(), task.inferencer)))
