"""Classes and functions shared by the emotion corpora."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from auricle.audio import Audio, Video
from auricle.core.errors import DataError, SpecError
from auricle.core.types import RejectedRow, Sample
from auricle.tasks.base import Task
from auricle.tasks.emotion.contamination import find_contamination
from auricle.tasks.folder_scan import Clip, ScanResult, describe_contents, describe_count_mismatch, not_a_folder_error
from auricle.tasks.kinds import LABEL_METRICS, LABEL_PROMPT, build_label_task
from auricle.tasks.options import TaskOptions

DIMENSION_METRICS = tuple(
    f"{name}_{dimension}" for name in ("ccc", "pearson", "rmse") for dimension in ("arousal", "dominance", "valence")
)
EMOTION_METRICS: tuple[str, ...] = (
    *LABEL_METRICS,
    "accuracy_matched",
    "uar_all",
    "top2",
    "ece",
    "eta2",
    "eta2_arousal",
    "eta2_dominance",
    "eta2_valence",
    *DIMENSION_METRICS,
)
"""Metrics for classifiers and for models of emotional dimensions; those a model cannot produce are skipped."""
QUESTION = "Which emotion does the speaker express?"
COMMON_OPTIONS = ("name", "metrics", "prompt", "question", "system", "max_tokens", "rubric", "votes",
          "synonyms")  # fmt: skip
"""Options of every corpus, as in `classify`."""


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Published facts about a corpus."""

    name: str
    title: str
    labels: tuple[str, ...]
    """Its emotion labels, in its order."""
    language: str
    licence: str
    source: str
    example: str
    """Example of a file path, for error messages."""
    options: tuple[str, ...] = ()
    """Its `-T` options beyond `root` and the common ones."""
    version: int = 1


@dataclass(frozen=True, kw_only=True)
class Recordings:
    """Samples of a corpus folder, which is scanned when first needed."""

    corpus: Corpus
    root: Path
    scan_folder: Callable[[Path], ScanResult]
    expected: Mapping[str, int]
    """Published number of recordings per label; a total alone is stored under the empty label."""
    part: str = ""
    """The selected part of the corpus, such as `speech`."""
    labels: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        """Yield samples in a fixed order that mixes speakers and emotions, so that the first few are representative."""
        yield from map(self._sample, sorted(self.scan.clips, key=lambda clip: _digest(clip.id)))
        yield from self.scan.rejected

    def __len__(self) -> int:
        return len(self.scan.clips) + len(self.scan.rejected)

    def validate(self) -> None:
        """Raise an error if the folder has no recordings of the selected part."""
        len(self)

    def notes(self) -> list[str]:
        """Return notes about this copy of the corpus, such as missing recordings."""
        mismatch = describe_count_mismatch(self.title, self.scan.clips, self.expected, self.corpus.source)
        return [*self.scan.notes, *mismatch]

    @property
    def title(self) -> str:
        return f"{self.corpus.title} {self.part}".strip()

    @property
    def revision(self) -> str:
        """A hash of the ids and labels; audio is identified by its content elsewhere."""
        labels = "\n".join(sorted(f"{clip.id}\t{clip.label}" for clip in self.scan.clips))
        return f"{self.title.replace(' ', '.').lower()}@{_digest(labels)[:8]}"

    @cached_property
    def scan(self) -> ScanResult:
        if not self.root.is_dir():
            raise not_a_folder_error(self.root, self.corpus.title)
        result = self.scan_folder(self.root)
        if not result.clips:
            raise DataError(self._nothing_found_message(result))
        return result

    def _nothing_found_message(self, scan: ScanResult) -> str:
        others = f" Other recordings of the corpus: {scan.excluded_count:,}." if scan.excluded_count else ""
        rejected = [f" {row.origin}: {row.reason}." for row in scan.rejected[:1]]
        return (
            f"No {self.title} recordings in {self.root} or its subfolders. Expected files such as "
            f"{self.corpus.example}.{others}{''.join(rejected)} {describe_contents(self.root)}"
        )

    def _sample(self, clip: Clip) -> Sample:
        handle = Video.of(str(clip.path)) if clip.medium == "video" else Audio.of(str(clip.path))
        return Sample(
            id=clip.id,
            inputs={clip.medium: handle, "choices": list(self.labels or self.corpus.labels)},
            target=clip.label,
            meta=clip.meta,
            origin=clip.path.relative_to(self.root).as_posix(),
        )


def emotion_task(recordings: Recordings, arguments: Mapping[str, Any], language: str = "") -> Task:
    """Build a classification task from the recordings of a corpus.

    Args:
        recordings: The samples.
        arguments: Options of `COMMON_OPTIONS`.
        language: Language code, if it depends on the selected part.
    """
    corpus = recordings.corpus
    if unknown := [name for name in arguments if name not in COMMON_OPTIONS]:
        names = ", ".join(("root", *corpus.options, *COMMON_OPTIONS))
        raise SpecError(f"Unknown option of {corpus.name}: {', '.join(unknown)}. Options: {names}.")
    options = TaskOptions.from_arguments(
        corpus.name,
        {
            "name": recordings.title.lower().replace(" ", "-"),
            "licence": corpus.licence,
            "cluster": "speaker",
            **arguments,
            "data": corpus.source,
        },
    )
    options = replace(options, prompt=_fill_prompt(options, recordings.labels or corpus.labels))
    task = build_label_task(corpus.name, options, recordings, metrics=EMOTION_METRICS)
    return replace(
        task,
        version=corpus.version,
        language=language or corpus.language,
        find_contamination=partial(find_contamination, corpus.name),
    )


def _fill_prompt(options: TaskOptions, labels: Sequence[str]) -> str:
    """Fill in the question and labels, which are the same for all samples; classifiers receive only audio."""
    prompt = options.prompt or LABEL_PROMPT
    prompt = prompt.replace("{question}", options.question or QUESTION)
    return prompt.replace("{options}", ", ".join(labels))


def resolve_folder(corpus: Corpus, root: object) -> Path:
    """Return the folder of a corpus, or raise an error if none is set."""
    if not root:
        raise SpecError(
            f"{corpus.name} needs the folder of the corpus: `auricle run {corpus.name} -T root=DIR -m MODEL`. "
            f"Get {corpus.title} from {corpus.source}."
        )
    return Path(str(root)).expanduser()


def check_choice(corpus: Corpus, option: str, value: object, choices: Sequence[str]) -> str:
    """Return the value of an option in lower case, or raise an error if it is not one of the choices."""
    if str(value).lower() not in choices:
        raise SpecError(f"{corpus.name}: invalid {option} {value!r}: expected one of {', '.join(choices)}.")
    return str(value).lower()


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()
