"""The task kind `translate`: translations of speech or of texts."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from auricle.core.arguments import takes_options
from auricle.core.errors import SampleError
from auricle.core.types import Sample
from auricle.data.manifest import ColumnMapping
from auricle.engine.kinds import MEDIA, MEDIA_TEMPLATE, TaskKind, load_manifest
from auricle.engine.task import Task
from auricle.engine.task_options import GenerationOptions, language_name

SOURCE_COLUMNS = ("text", "source", "source_text", "sentence")
"""Columns of texts to translate."""


@takes_options(GenerationOptions)
def translate(**arguments: Any) -> Task:
    """Build a translation task of speech or of texts; `language` is the target language."""
    options = GenerationOptions.from_arguments("translate", arguments)
    target_name = language_name(options.language or "en")
    columns = ColumnMapping(
        target_columns=("translation", "answer", "answers", "target"),
        default_question=f"Please translate the speech into {target_name}.",
    )

    @cache
    def is_speech() -> bool:
        names = dict.fromkeys(load_manifest(options, columns, lambda sample: sample).list_columns())
        return not columns.assign_roles(names.keys())[0].keys().isdisjoint(MEDIA)

    def add_source_text(sample: Sample) -> Sample:
        """Ask for the translation of the text of a row in data without recordings."""
        if not sample.inputs.keys().isdisjoint(MEDIA):
            return sample
        text = next((str(sample.meta[name]) for name in SOURCE_COLUMNS if sample.meta.get(name)), "")
        if is_speech() or not text:
            raise SampleError("no audio" if is_speech() else f"no audio, and no text in {', '.join(SOURCE_COLUMNS)}")
        question = sample.inputs["question"]
        if question == columns.default_question:
            question = f"Please translate the text into {target_name}."
        return replace(sample, inputs={**sample.inputs, "question": f"{question}\n{text}"})

    kind = TaskKind(
        "translate",
        columns,
        f"{MEDIA_TEMPLATE}{{question}}",
        ("bleu", "chrf"),
        add_source_text,
        decides_language=True,
        language_column="target_language",  # `language` is often that of the speech
    )
    return kind.task_from_manifest(options)
