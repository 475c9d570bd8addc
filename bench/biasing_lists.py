"""Compare B-WER and U-WER with the published results of the LibriSpeech biasing lists.

    python bench/biasing_lists.py FOLDER

FOLDER is `is21_deep_bias` of the repository facebookresearch/fbai-speech, with `ref`, `hyp` and `results`. All results
are compared, also those for longer lists: the words of a list that a reference has do not depend on its length.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path

from auricle.tasks.asr.words.biasing import BiasedCounts, count_biased_errors
from auricle.tasks.asr.words.word_lists import PhraseFinder

LIST_COLUMN = 3
"""Column of a reference file with the whole list; column 2 has only the words that the reference has."""
Errors = tuple[int, int, int, int]
"""Words, substitutions, insertions and deletions."""


def read_columns(path: Path) -> dict[str, list[str]]:
    """Return the columns of a tab-separated file by the first one."""
    rows = (line.rstrip("\n").split("\t") for line in path.read_text("utf-8").splitlines())
    return {row[0]: row[1:] for row in rows}


def compute_errors(references: dict[str, list[str]], hypotheses: dict[str, list[str]]) -> dict[str, Errors]:
    """Count the errors of all words, of the listed ones and of the others."""
    totals: Counter[str] = Counter()
    for name, (text, *lists) in references.items():
        finder = PhraseFinder({(word,): "" for word in json.loads(lists[LIST_COLUMN - 2])})
        hypothesis = " ".join(hypotheses[name]).split()
        totals.update(count_biased_errors(text.split(), hypothesis, finder)._asdict())
    counts = BiasedCounts(*(totals[field] for field in BiasedCounts._fields))
    listed = (counts.b_length, counts.b_substitutions, counts.b_insertions, counts.b_deletions)
    others = (counts.u_length, counts.u_substitutions, counts.u_insertions, counts.u_deletions)
    together = tuple(map(sum, zip(listed, others, strict=True)))
    return {"WER": together, "U-WER": others, "B-WER": listed}  # type: ignore[dict-item]


def read_published(path: Path) -> dict[str, tuple[float, Errors]]:
    """Read the rates in per cent, and the counts, of a result file."""
    line = re.compile(r"(\S+): error_rate=(\S+), ref_words=(\d+), subs=(\d+), ins=(\d+), dels=(\d+)")
    return {
        match[1]: (float(match[2]), (int(match[3]), int(match[4]), int(match[5]), int(match[6])))
        for match in line.finditer(path.read_text("utf-8"))
    }


def compare(folder: Path) -> int:
    """Print ours against published for every result file; return how many numbers differ."""
    differing = 0
    for path in sorted((folder / "results").glob("*.result")):
        name = path.name.removesuffix(".result")
        references = read_columns(folder / "ref" / f"{name.split('.')[0]}.biasing_100.tsv")
        ours = compute_errors(references, read_columns(folder / "hyp" / name))
        for rate, (published, counts) in read_published(path).items():
            length, *errors = ours[rate]
            value = 100 * sum(errors) / length
            is_equal = value == published and ours[rate] == counts
            differing += not is_equal
            print(f"{name:48} {rate:6} {value:.12f}  published {published:.12f}  {'equal' if is_equal else 'DIFFERS'}")
    return differing


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    sys.exit(bool(compare(parser.parse_args().folder)))
