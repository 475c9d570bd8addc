"""Rubrics: the prompt for a judge and the format of its reply, read from YAML files.

Replies are parsed strictly: a marked last line, or one JSON object. Any other reply is unreadable; no verdict is
guessed from words that merely occur in it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import SpecError, Unreadable
from auricle.core.truncation import THOUGHT_TAGS
from auricle.core.yaml_files import read_yaml
from auricle.metrics.prompt_escaping import TEMPLATE_FIELD, fill_fields, fill_fields_escaping_tags

RUBRICS_DIR = Path(__file__).parent / "rubrics"
TEMPLATE_FIELDS = ("question", "reference", "answer", "choices", "baseline")
DEFAULT_MARKS = {"yes-no": "Verdict: {}", "scale": "Score: {}", "pairwise": "Winner: {}"}
DEFAULT_KEYS = {"yes-no": "verdict", "scale": "score", "pairwise": "winner"}
VERDICT_VALUES: Mapping[str, Mapping[str, float]] = {
    "yes-no": {"yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0, "correct": 1.0, "incorrect": 0.0},
    "pairwise": {"a": 1.0, "tie": 0.5, "b": 0.0},
}
ALLOWED_VALUES = {
    "kind": tuple(DEFAULT_MARKS),
    "output": ("line", "json"),
    "aggregate": ("mean", "majority"),
    "empty": ("judged", "worst"),
    "escape": ("all", "tags"),
}
VOTING_TEMPERATURE = 0.5
"""Temperature for several votes, if the rubric sets none; at 0 all votes would be equal."""
REASONING = re.compile(rf"\A.*</(?:{THOUGHT_TAGS})>", re.DOTALL | re.IGNORECASE)
FENCED_BLOCK = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)
EMPHASIS_MARKS = str.maketrans("", "", "*`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """The prompt template for a judge and the format of its reply."""

    name: str
    kind: str
    template: str
    version: int = 1
    about: str = ""
    low: int = 0
    high: int = 0
    factor: float = 1.0
    """Number that every point of a scale is multiplied by: 20 turns 1 to 5 into 20 to 100."""
    output: str = "line"
    mark: str = ""
    """Last line of the reply, with `{}` in place of the verdict."""
    key: str = ""
    """Key of the verdict in a JSON reply."""
    votes: int = 1
    aggregate: str = "mean"
    temperature: float = 0.0
    max_tokens: int = 512
    empty: str = "judged"
    """`judged`: send empty answers to the judge. `worst`: give them the worst score without a request."""
    escape: str = "all"
    """`all`: escape whatever in a value could be read as markup or as a verdict. `tags`: only tags of the template,
    for rubrics of other frameworks."""

    @property
    def digest(self) -> str:
        """Four hex digits that identify everything that can change a verdict."""
        content = {name: value for name, value in asdict(self).items() if name != "about"}
        return blake2b(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), digest_size=2).hexdigest()

    def with_votes(self, votes: int) -> Rubric:
        temperature = self.temperature or VOTING_TEMPERATURE if votes > 1 else self.temperature
        return _validate(replace(self, votes=votes, temperature=temperature), self.name)

    def fill_template(self, values: Mapping[str, str | None]) -> str:
        """Fill in the template fields; braces inside a value are not replaced, and markup in it is escaped."""
        if self.escape == "tags":
            return fill_fields_escaping_tags(self.template, values)
        mark = self.mark if self.output == "line" else f'"{self.key}": {{}}'
        return fill_fields(self.template, values, mark, is_pair=self.kind == "pairwise")

    def parse_reply(self, reply: str) -> float:
        """Return the verdict of a reply: 0 or 1, a point on the scale, or 0, 0.5, 1 for loss, tie, win."""
        return self.parse_verdict(self.find_verdict(reply))

    def find_verdict(self, reply: str) -> str:
        """Return the text of the verdict in a reply."""
        text = unicodedata.normalize("NFKC", REASONING.sub("", reply)).strip()
        if not text:
            raise Unreadable("the judge's reply is empty")
        return self._parse_json(text) if self.output == "json" else self._parse_line(text)

    def parse_verdict(self, verdict: str) -> float:
        if self.kind != "scale":
            value_by_word = VERDICT_VALUES[self.kind]
            if verdict.casefold() not in value_by_word:
                raise Unreadable(f"the judge's verdict is not one of {', '.join(value_by_word)}: {verdict[:80]!r}")
            return value_by_word[verdict.casefold()]
        number = re.sub(rf"\s*/\s*{self.high}$", "", verdict)
        is_whole = re.fullmatch(r"-?\d{1,9}(\.0+)?", number)
        if not is_whole or not self.low <= float(number) <= self.high:
            expected = f"a whole number from {self.low} to {self.high}"
            raise Unreadable(f"the judge's score is not {expected}: {verdict[:80]!r}")
        return float(number)

    def _parse_line(self, reply: str) -> str:
        last = reply.splitlines()[-1].translate(EMPHASIS_MARKS).strip(" \t_#>").rstrip(".。")
        before, after = (re.escape(part.strip()) for part in self.mark.split("{}"))
        match = re.fullmatch(rf"{before}\s*(\S.*?)\s*{after}", last, re.IGNORECASE)
        if not match:
            raise Unreadable(f"the judge's last line is not {self.mark.format('…')!r}: {last[:80]!r}")
        return match[1]

    def _parse_json(self, reply: str) -> str:
        blocks = FENCED_BLOCK.findall(reply)
        if len(blocks) > 1:
            raise Unreadable(f"the judge's reply has {len(blocks)} code blocks instead of one")
        try:
            document = orjson.loads(next(iter(blocks), reply))
        except orjson.JSONDecodeError as error:
            raise Unreadable(f"the judge's reply is not JSON: {reply[:80]!r}") from error
        if not isinstance(document, dict) or self.key not in document:
            raise Unreadable(f"the judge's JSON has no {self.key!r}: {reply[:80]!r}")
        verdict = document[self.key]
        is_misplaced_bool = isinstance(verdict, bool) and self.kind != "yes-no"
        if isinstance(verdict, (dict, list)) or verdict is None or is_misplaced_bool:
            raise Unreadable(f"the judge's {self.key!r} is not a verdict: {str(verdict)[:80]!r}")
        return str(verdict).strip()


def load_rubric(path: Path) -> Rubric:
    """Load and check a rubric from a YAML file."""
    return build_rubric(read_yaml(path), str(path))


FIELD_TYPES: Mapping[str, tuple[Any, str]] = {
    "str": (str, "text"),
    "int": (int, "a whole number"),
    "float": ((int, float), "a number"),
}
"""The Python type of a field and its name in messages, by its annotation."""


def build_rubric(values: Mapping[str, Any], source: str = "rubric") -> Rubric:
    """Build a rubric from named values and check each of them."""
    type_by_name = {field.name: str(field.type) for field in fields(Rubric)}
    for name, value in values.items():
        if name not in type_by_name:
            raise SpecError(f"{source}: unknown field {name!r}. A rubric has the fields {', '.join(type_by_name)}.")
        expected_type, description = FIELD_TYPES[type_by_name[name]]
        if not isinstance(value, expected_type) or isinstance(value, bool):
            raise SpecError(f"{source}: {name} should be {description}, not {value!r}.")
        if name in ALLOWED_VALUES and value not in ALLOWED_VALUES[name]:
            raise SpecError(f"{source}: {name} should be {' or '.join(ALLOWED_VALUES[name])}, not {value!r}.")
    if missing := [name for name in ("name", "kind", "template") if not values.get(name)]:
        raise SpecError(f"{source}: missing {', '.join(missing)}.")
    kind = values["kind"]
    return _validate(Rubric(**{"mark": DEFAULT_MARKS[kind], "key": DEFAULT_KEYS[kind], **values}), source)


def _validate(rubric: Rubric, source: str) -> Rubric:
    for problem in _find_problems(rubric):
        raise SpecError(f"{source}: {problem}.")
    return rubric


def _find_problems(rubric: Rubric) -> list[str]:
    used = [name for name, _ in TEMPLATE_FIELD.findall(rubric.template)]
    unknown = [f"{{{name}}}" for name in used if name not in TEMPLATE_FIELDS]
    required = ("answer", "baseline") if rubric.kind == "pairwise" else ("answer",)
    missing = [f"{{{name}}}" for name in required if name not in used]
    checks = {
        f"unknown template field {', '.join(unknown)}; the fields are {', '.join(TEMPLATE_FIELDS)}": unknown,
        f"the template has no {', '.join(missing)}": missing,
        f"the name {rubric.name!r} may only have letters, digits, dots and dashes": (
            not re.fullmatch(r"[\w.-]+", rubric.name)
        ),
        f"a scale needs low below high, not {rubric.low} and {rubric.high}": (
            rubric.kind == "scale" and rubric.low >= rubric.high
        ),
        f"factor should be above 0 and is for scales only, not {rubric.factor:g}": (
            rubric.factor <= 0 or (rubric.kind != "scale" and rubric.factor != 1)
        ),
        f"mark {rubric.mark!r} should have exactly one {{}}, in place of the verdict": (rubric.mark.count("{}") != 1),
        f"votes and max_tokens should be at least 1, not {rubric.votes} and {rubric.max_tokens}": (
            min(rubric.votes, rubric.max_tokens) < 1
        ),
        f"{rubric.votes} votes at temperature 0 would all be equal; set a temperature": (
            rubric.votes > 1 and rubric.temperature <= 0
        ),
    }
    return [message for message, is_wrong in checks.items() if is_wrong]
