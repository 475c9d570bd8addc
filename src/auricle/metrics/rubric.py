"""How a judge is asked, and how its reply is read: data from a YAML file, checked on loading.

A reply is read strictly: a marked last line, or one JSON object. What does not fit is
unreadable; nothing is guessed from words that merely occur in it.
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
from auricle.core.yaml_files import read_yaml

RUBRICS_DIR = Path(__file__).parent / "rubrics"
TEMPLATE_FIELDS = ("question", "reference", "answer", "choices", "baseline")
TEMPLATE_FIELD = re.compile(r"\{(\w+)(\??)\}")
DEFAULT_MARKS = {"yes-no": "Verdict: {}", "scale": "Score: {}", "pairwise": "Winner: {}"}
DEFAULT_KEYS = {"yes-no": "verdict", "scale": "score", "pairwise": "winner"}
VERDICT_VALUES: Mapping[str, Mapping[str, float]] = {
    "yes-no": {"yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0},
    "pairwise": {"a": 1.0, "tie": 0.5, "b": 0.0},
}
ALLOWED_VALUES = {
    "kind": tuple(DEFAULT_MARKS),
    "output": ("line", "json"),
    "aggregate": ("mean", "majority"),
    "empty": ("judged", "worst"),
}
VOTING_TEMPERATURE = 0.5  # at 0 three votes would be one vote, said three times
REASONING = re.compile(r"\A.*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
FENCED_BLOCK = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)
EMPHASIS_MARKS = str.maketrans("", "", "*`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """One way to judge an answer: what the judge is told, and what its reply must look like."""

    name: str
    kind: str
    template: str
    version: int = 1
    about: str = ""
    low: int = 0
    high: int = 0
    output: str = "line"
    mark: str = ""
    """The reply's last line, with `{}` where the verdict stands."""
    key: str = ""
    """The name of the verdict in a JSON reply."""
    votes: int = 1
    aggregate: str = "mean"
    temperature: float = 0.0
    max_tokens: int = 512
    empty: str = "judged"
    """An empty answer is judged like any other, or is the worst there is without asking."""

    @property
    def digest(self) -> str:
        """Four hex digits of everything that decides a verdict."""
        content = {name: value for name, value in asdict(self).items() if name != "about"}
        told = orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
        return blake2b(told, digest_size=2).hexdigest()

    def with_votes(self, votes: int) -> Rubric:
        """The same rubric with another number of votes."""
        heat = self.temperature or VOTING_TEMPERATURE if votes > 1 else self.temperature
        return _validate(replace(self, votes=votes, temperature=heat), self.name)

    def fill_template(self, values: Mapping[str, str | None]) -> str:
        """The template with its fields filled once; what stands in a value stays as it is."""

        def value(field: re.Match[str]) -> str:
            found = values[field[1]]
            if found is None and not field[2]:
                raise Unreadable(f"the rubric wants {{{field[1]}}}, and the sample has none")
            return found or ""

        return TEMPLATE_FIELD.sub(value, self.template)

    def parse_reply(self, reply: str) -> float:
        """The verdict a reply states: 0 or 1, a point on the scale, or loss, tie, win."""
        said = unicodedata.normalize("NFKC", REASONING.sub("", reply)).strip()
        if not said:
            raise Unreadable("the judge said nothing")
        return self.parse_verdict(self._parse_json(said) if self.output == "json" else self._parse_line(said))

    def parse_verdict(self, verdict: str) -> float:
        """A verdict's word as a number."""
        if self.kind != "scale":
            known = VERDICT_VALUES[self.kind]
            if verdict.casefold() not in known:
                raise Unreadable(f"the judge's verdict is none of {', '.join(known)}: {verdict[:80]!r}")
            return known[verdict.casefold()]
        number = re.sub(rf"\s*/\s*{self.high}$", "", verdict)
        whole = re.fullmatch(r"-?\d{1,9}(\.0+)?", number)
        if not whole or not self.low <= float(number) <= self.high:
            wanted = f"whole number from {self.low} to {self.high}"
            raise Unreadable(f"the judge's score is no {wanted}: {verdict[:80]!r}")
        return float(number)

    def _parse_line(self, reply: str) -> str:
        last = reply.splitlines()[-1].translate(EMPHASIS_MARKS).strip(" \t_#>").rstrip(".。")
        before, after = (re.escape(part.strip()) for part in self.mark.split("{}"))
        found = re.fullmatch(rf"{before}\s*(\S.*?)\s*{after}", last, re.IGNORECASE)
        if not found:
            wanted = self.mark.format("…")
            raise Unreadable(f"the judge's last line is not {wanted!r}: {last[:80]!r}")
        return found[1]

    def _parse_json(self, reply: str) -> str:
        blocks = FENCED_BLOCK.findall(reply)
        if len(blocks) > 1:
            raise Unreadable(f"the judge gave {len(blocks)} blocks where one was due")
        try:
            value = orjson.loads(blocks[0] if blocks else reply)
        except orjson.JSONDecodeError as error:
            raise Unreadable(f"the judge's reply is not JSON: {reply[:80]!r}") from error
        if not isinstance(value, dict) or self.key not in value:
            raise Unreadable(f"the judge's JSON has no {self.key!r}: {reply[:80]!r}")
        found = value[self.key]
        if isinstance(found, (dict, list)) or found is None:
            raise Unreadable(f"the judge's {self.key!r} is no verdict: {str(found)[:80]!r}")
        if isinstance(found, bool) and self.kind != "yes-no":
            raise Unreadable(f"the judge's {self.key!r} is no verdict: {found!r}")
        return str(found).strip()


def load_builtin_rubric(name: str) -> Rubric:
    """A rubric that comes with the package."""
    return load_rubric(RUBRICS_DIR / f"{name}.yaml")


def load_rubric(path: Path) -> Rubric:
    """A rubric from a YAML file, or what is wrong with it."""
    return build_rubric(read_yaml(path), str(path))


FIELD_TYPES: Mapping[str, Any] = {"str": str, "int": int, "float": (int, float)}


def build_rubric(values: Mapping[str, Any], source: str = "rubric") -> Rubric:
    """A rubric from named values, every one of them checked."""
    known = {each.name: str(each.type) for each in fields(Rubric)}
    for name, value in values.items():
        if name not in known:
            raise SpecError(f"{source}: a rubric has no {name!r}; it has {', '.join(known)}.")
        if not isinstance(value, FIELD_TYPES[known[name]]) or isinstance(value, bool):
            raise SpecError(f"{source}: {name} should be {_describe_type(known[name])}, not {value!r}.")
        if name in ALLOWED_VALUES and value not in ALLOWED_VALUES[name]:
            raise SpecError(f"{source}: {name} is {' or '.join(ALLOWED_VALUES[name])}, not {value!r}.")
    if missing := [name for name in ("name", "kind", "template") if not values.get(name)]:
        raise SpecError(f"{source}: the rubric says no {', '.join(missing)}.")
    kind = values["kind"]
    return _validate(Rubric(**{"mark": DEFAULT_MARKS[kind], "key": DEFAULT_KEYS[kind], **values}), source)


def _describe_type(kind: str) -> str:
    return {"str": "text", "int": "a whole number", "float": "a number"}[kind]


def _validate(rubric: Rubric, source: str) -> Rubric:
    """Refuse what could never be judged by."""
    for wrong in _find_problems(rubric):
        raise SpecError(f"{source}: {wrong}.")
    return rubric


def _find_problems(rubric: Rubric) -> list[str]:
    named = [name for name, _ in TEMPLATE_FIELD.findall(rubric.template)]
    unknown = [f"{{{name}}}" for name in named if name not in TEMPLATE_FIELDS]
    wanted = ("answer", "baseline") if rubric.kind == "pairwise" else ("answer",)
    missing = [f"{{{name}}}" for name in wanted if name not in named]
    checks = {
        f"the template has {', '.join(unknown)}; its fields are {', '.join(TEMPLATE_FIELDS)}": unknown,
        f"the template never shows the judge {', '.join(missing)}": missing,
        f"the name {rubric.name!r} should be letters, digits, dots and dashes": (
            not re.fullmatch(r"[\w.-]+", rubric.name)
        ),
        f"a scale needs low below high, not {rubric.low} and {rubric.high}": (
            rubric.kind == "scale" and rubric.low >= rubric.high
        ),
        f"mark {rubric.mark!r} should hold one {{}}, where the verdict stands": (rubric.mark.count("{}") != 1),
        f"votes and max_tokens count from 1, not {rubric.votes} and {rubric.max_tokens}": (
            min(rubric.votes, rubric.max_tokens) < 1
        ),
        f"{rubric.votes} votes at temperature 0 are one vote; give a temperature": (
            rubric.votes > 1 and rubric.temperature <= 0
        ),
    }
    return [message for message, wrong in checks.items() if wrong]
