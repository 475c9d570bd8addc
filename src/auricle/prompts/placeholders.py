"""Text with `{name}` fields, filled once: a value is never looked at for fields of its own.

`{name?}` may be absent, `{{name}}` is the text `{name}`, and all other braces stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import cast

from auricle.core.errors import SampleError
from auricle.core.types import Input, Part

FIELD_PATTERN = re.compile(r"\{\{(\w+\??)\}\}|\{(\w+)(\??)\}")

TemplateSegment = tuple[str, bool] | str
"""A field's name and whether it may be absent, or a text."""


@lru_cache(maxsize=1024)
def parse_template(template: str) -> tuple[TemplateSegment, ...]:
    """A template's texts and fields, in order."""
    found: list[TemplateSegment] = []
    end = 0
    for match in FIELD_PATTERN.finditer(template):
        found.append(template[end : match.start()])
        escaped, name, mark = match.groups()
        found.append(f"{{{escaped}}}" if escaped else (name, bool(mark)))
        end = match.end()
    found.append(template[end:])
    return tuple(piece for piece in found if piece)


def field_names(template: str) -> dict[str, bool]:
    """The fields of a template, and whether each may be absent."""
    found: dict[str, bool] = {}
    for piece in parse_template(template):
        if not isinstance(piece, str):
            found[piece[0]] = piece[1] and found.get(piece[0], True)
    return found


def render(template: str, inputs: Mapping[str, Input]) -> tuple[Part, ...]:
    """The template with its fields filled; media stay parts of their own."""
    parts: list[Part] = []
    for piece in parse_template(template):
        if isinstance(piece, str):
            parts.append(piece)
        elif piece[0] in inputs:
            parts.extend(as_parts(inputs[piece[0]]))
        elif not piece[1]:
            raise SampleError(f"the prompt wants {{{piece[0]}}}; the sample has {', '.join(inputs) or 'nothing'}")
    return merge_texts(parts)


def merge_texts(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Neighbouring texts as one, so that a model sees a prompt and not its seams."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif part != "":
            found.append(part)
    return tuple(found)


def as_parts(value: Input) -> list[Part]:
    return list(value) if isinstance(value, (list, tuple)) else [cast(Part, value)]
