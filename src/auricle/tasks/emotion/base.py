"""What the emotion corpora share: facts, samples, and how they become a task."""

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
from auricle.tasks.folder_scan import Clip, ScanResult, describe_contents, describe_count_mismatch
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
"""For classifiers and for models of dimensions; what does not suit a model is told in one line."""
QUESTION = "Which emotion does the speaker express?"
COMMON_OPTIONS = ("name", "metrics", "prompt", "question", "system", "max_tokens", "rubric", "votes",
          "synonyms")  # fmt: skip
"""Options that every corpus takes, as `classify` does."""


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """What is published of a corpus."""

    name: str
    title: str
    labels: tuple[str, ...]
    """Its own words for emotions, in its own order."""
    language: str
    licence: str
    source: str
    example: str
    """A recording as it lies in the folder, for messages."""
    options: tuple[str, ...] = ()
    """What `-T` takes beyond `root` and what every corpus takes."""
    version: int = 1


@dataclass(frozen=True, kw_only=True)
class Recordings:
    """Samples of a corpus's folder, which is looked through when first needed."""

    corpus: Corpus
    root: Path
    scan_folder: Callable[[Path], ScanResult]
    expected: Mapping[str, int]
    """How many of each label are published; a total alone stands under the empty label."""
    part: str = ""
    """What of the corpus was asked for, such as `speech`."""
    labels: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        """In a fixed order that mixes speakers and emotions, so that the first few are fair."""
        found = self.scan
        yield from map(self._sample, sorted(found.clips, key=lambda clip: _digest(clip.id)))
        yield from found.rejected

    def __len__(self) -> int:
        return len(self.scan.clips) + len(self.scan.rejected)

    def validate(self) -> None:
        """Refuse a folder that holds nothing of what was asked for."""
        len(self)

    def notes(self) -> list[str]:
        """What is odd about this copy of the corpus, in sentences."""
        found = self.scan
        source = self.corpus.source
        return [*found.notes, *describe_count_mismatch(self.title, found.clips, self.expected, source)]

    @property
    def title(self) -> str:
        return f"{self.corpus.title} {self.part}".strip()

    @property
    def revision(self) -> str:
        """Which recordings, with which labels; the sounds themselves are known by their content."""
        whole = "\n".join(sorted(f"{clip.id}\t{clip.label}" for clip in self.scan.clips))
        return f"{self.title.replace(' ', '.').lower()}@{_digest(whole)[:8]}"

    @cached_property
    def scan(self) -> ScanResult:
        if not self.root.is_dir():
            what = "is a file" if self.root.exists() else "is not there"
            raise DataError(f"{self.root} {what}: give {self.corpus.title}'s folder, -T root=DIR.")
        found = self.scan_folder(self.root)
        if not found.clips:
            raise DataError(self._nothing_found_message(found))
        return found

    def _nothing_found_message(self, scan: ScanResult) -> str:
        others = f" {scan.excluded_count:,} other recordings of it are there." if scan.excluded_count else ""
        missing = [f" {each.origin}: {each.reason}." for each in scan.rejected[:1]]
        return (
            f"No {self.title} recordings in {self.root} or the folders below it; files such as "
            f"{self.corpus.example} were looked for.{others}{''.join(missing)} {describe_contents(self.root)}"
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
    """Recordings, asked about as `classify` asks, by a classifier's scores or in words."""
    corpus = recordings.corpus
    if unknown := [name for name in arguments if name not in COMMON_OPTIONS]:
        takes = ", ".join(("root", *corpus.options, *COMMON_OPTIONS))
        raise SpecError(f"{corpus.name} takes no option {', '.join(unknown)}; it takes {takes}.")
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
    """The prompt with what is the same for all samples filled in: a classifier gets sound only."""
    prompt = options.prompt or LABEL_PROMPT
    prompt = prompt.replace("{question}", options.question or QUESTION)
    return prompt.replace("{options}", ", ".join(labels))


def resolve_folder(corpus: Corpus, root: object) -> Path:
    """Where a corpus lies, or how to say so."""
    if not root:
        raise SpecError(
            f"{corpus.name} needs its folder: `auricle run {corpus.name} -T root=DIR -m MODEL`. "
            f"{corpus.title} comes from {corpus.source}."
        )
    return Path(str(root)).expanduser()


def check_choice(corpus: Corpus, option: str, value: object, choices: Sequence[str]) -> str:
    """A value among those an option knows, or a refusal that lists them."""
    if str(value).lower() not in choices:
        raise SpecError(f"{corpus.name}: {option} is one of {', '.join(choices)}, not {value!r}.")
    return str(value).lower()


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()
