"""Fill `{name}` placeholders in text. Values are inserted as they are, without filling placeholders in them.

`{name?}` may be missing, `{{name}}` is the text `{name}`, and all other braces stay unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import cast

from auricle.core.errors import SampleError
from auricle.core.types import Input, Part

FIELD_PATTERN = re.compile(r"\{\{(\w+\??)\}\}|\{(\w+)(\??)\}")

TemplateSegment = tuple[str, bool] | str  # the name of a field and whether it is optional, or a text


@lru_cache(maxsize=1024)
def parse_template(template: str) -> tuple[TemplateSegment, ...]:
    """Split a template into texts and fields, in order."""
    segments: list[TemplateSegment] = []
    end = 0
    for match in FIELD_PATTERN.finditer(template):
        segments.append(template[end : match.start()])
        escaped, name, mark = match.groups()
        segments.append(f"{{{escaped}}}" if escaped else (name, bool(mark)))
        end = match.end()
    segments.append(template[end:])
    return tuple(segment for segment in segments if segment)


def field_names(template: str) -> dict[str, bool]:
    """Return the fields of a template, and whether each is optional."""
    optional_by_name: dict[str, bool] = {}
    for segment in parse_template(template):
        if not isinstance(segment, str):
            optional_by_name[segment[0]] = segment[1] and optional_by_name.get(segment[0], True)
    return optional_by_name


def render(template: str, inputs: Mapping[str, Input]) -> tuple[Part, ...]:
    """Fill the fields of a template; media stay separate parts."""
    parts: list[Part] = []
    for segment in parse_template(template):
        if isinstance(segment, str):
            parts.append(segment)
        elif segment[0] in inputs:
            parts.extend(as_parts(inputs[segment[0]]))
        elif not segment[1]:
            raise SampleError(
                f"the prompt needs {{{segment[0]}}}, but the sample has only {', '.join(inputs) or 'no inputs'}"
            )
    return merge_texts(parts)


def merge_texts(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Join neighbouring texts into one part."""
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return tuple(merged)


def as_parts(value: Input) -> list[Part]:
    return list(value) if isinstance(value, (list, tuple)) else [cast(Part, value)]
