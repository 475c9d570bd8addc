"""Errors of speech that mixes languages, by the script of the words.

Characters of scripts without spaces are single tokens and other scripts are split into words, as for the mixed error
rate. An error counts for the script of the word of the reference, an insertion for that of the inserted word.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from auricle.core.types import Sample
from auricle.metrics.base import Array, Details, RatioAggregator
from auricle.metrics.targets import reference_text
from auricle.metrics.texts import CountedText
from auricle.tasks.asr.words.alignment import align
from auricle.text.scripts import CJK_SCRIPT, count_scripts

LATIN_SCRIPT = "latin"
SCRIPTS = (CJK_SCRIPT, LATIN_SCRIPT, "other")
_KINDS = ("substitutions", "deletions", "insertions", "reference_length")
_SIZE = len(_KINDS)
_SWITCH = _SIZE * len(SCRIPTS)
"""Column of the errors next to a switch; then the tokens next to a switch, and the switches."""


@lru_cache(maxsize=65_536)
def find_script(token: str) -> str:
    """Return the script of a token: `cjk`, `latin`, or `other` for any other script, for numbers and for mixtures.

    >>> find_script("我"), find_script("coffee"), find_script("24")
    ('cjk', 'latin', 'other')
    """
    scripts = set(count_scripts(token))
    return scripts.pop() if len(scripts) == 1 and scripts <= {*SCRIPTS} else "other"


def count_script_errors(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[int, ...]:
    """Count the errors and tokens of each script, the errors on and tokens next to switches, and the switches.

    Next to a switch are the two tokens of the reference between which the script changes; words inserted between them
    are errors there. Tokens of no clear script are passed over.
    """
    scripts = [find_script(token) for token in reference]
    counts = [0] * (_SWITCH + 3)
    switches = _find_switches(scripts)
    near = {position for switch in switches for position in switch}
    gaps = {position for first, last in switches for position in range(first + 1, last + 1)}
    position = 0  # of the next token of the reference
    for pair in align(reference, hypothesis):
        if pair.reference is None:
            assert pair.hypothesis is not None
            counts[SCRIPTS.index(find_script(hypothesis[pair.hypothesis])) * _SIZE + 2] += 1
            counts[_SWITCH] += position in gaps
            continue
        column = SCRIPTS.index(scripts[pair.reference]) * _SIZE
        counts[column + 3] += 1
        is_deleted = pair.hypothesis is None
        is_error = is_deleted or reference[pair.reference] != hypothesis[pair.hypothesis or 0]
        counts[column + int(is_deleted)] += is_error
        counts[_SWITCH] += is_error and pair.reference in near
        position = pair.reference + 1
    counts[_SWITCH + 1 :] = len(near), len(switches)
    return tuple(counts)


def _find_switches(scripts: Sequence[str]) -> list[tuple[int, int]]:
    """Return the positions of every two neighbouring tokens of different scripts."""
    clear = [position for position, script in enumerate(scripts) if script != "other"]
    return [(first, second) for first, second in pairwise(clear) if scripts[first] != scripts[second]]


def _describe(totals: Array) -> Details:
    table = {
        script: {name: int(totals[place * _SIZE + column]) for column, name in enumerate(_KINDS)}
        for place, script in enumerate(SCRIPTS)
    }
    switches = {
        "switches": int(totals[_SWITCH + 2]),
        "errors": int(totals[_SWITCH]),
        "tokens": int(totals[_SWITCH + 1]),
    }
    return {"by_script": table, "at_switches": switches}


class ScriptMetric(CountedText):
    """A metric of mixed languages; all have the same statistic."""

    higher_is_better, unit = False, "share"
    convention = "pooled.mixed"

    def count(self, sample: Sample, text: str) -> tuple[int, ...]:
        return count_script_errors(self.split(reference_text(sample.target)), self.split(text))


mer_cjk = ScriptMetric(
    "mer_cjk", "mixed", aggregate=RatioAggregator((0, 1, 2), 3, _describe), title="MER, Chinese characters and kana"
)
mer_latin = ScriptMetric("mer_latin", "mixed", aggregate=RatioAggregator((4, 5, 6), 7), title="MER, Latin words")
switch_error_rate = ScriptMetric(
    "switch_error_rate", "mixed", aggregate=RatioAggregator((_SWITCH,), _SWITCH + 1), title="Errors at switches"
)
code_switching = (mer_cjk, mer_latin, switch_error_rate)
