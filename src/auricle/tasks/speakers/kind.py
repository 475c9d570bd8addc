"""The task kind `verify`: do two recordings have the same speaker?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeAlias, get_args

from auricle.core.arguments import takes_options
from auricle.core.errors import DataError, SampleError, SpecError
from auricle.core.types import Input, Json, Sample
from auricle.data.file_formats import parse_json_cell
from auricle.data.manifest import ColumnMapping, Manifest, resolve_path
from auricle.engine.inferencers import Measure
from auricle.engine.kinds import build_task, load_manifest
from auricle.engine.task import Task
from auricle.engine.task_options import TaskOptions, check_option, parse_row_range, split_list
from auricle.media import Audio
from auricle.metrics.base import Metric, resolve_metrics
from auricle.tasks.speakers.detection import OperatingPoint
from auricle.tasks.speakers.metrics import SPEAKER_FIELDS, make_act_dcf, make_dcf_loss, make_min_dcf
from auricle.tasks.speakers.trial_lists import DIFFERENT, SAME, TrialList, is_trial_list, parse_label, read_table

SpeakerRule: TypeAlias = Literal["auto", "columns", "path", "prefix", "none"]
SPEAKER_RULES = get_args(SpeakerRule)
A_COLUMNS = (
    *("audio_a", "a", "audio1", "audio_1", "enrol", "enroll", "enrolment", "enrollment", "reference"),
    *("path_a", "path1", "wav_a", "wav1", "file_a", "file1", "utt_a", "utt1", "modelid", "model", "audio"),
)
B_COLUMNS = (
    *("audio_b", "b", "audio2", "audio_2", "test", "trial", "probe"),
    *("path_b", "path2", "wav_b", "wav2", "file_b", "file2", "utt_b", "utt2", "segmentid", "segment"),
)
LABEL_COLUMNS = ("label", "target", "same_speaker", "same", "is_target", "targettype", "match", "answer")
SPEAKER_COLUMNS = (
    ("speaker_a", "speaker1", "speaker_1", "spk_a", "spk1", "enrol_speaker", "enroll_speaker"),
    ("speaker_b", "speaker2", "speaker_2", "spk_b", "spk2", "test_speaker"),
)
FIELDS = ColumnMapping(
    target_columns=(),
    question_columns=("question",),
    requires_target=False,
    default_question=" ",  # rows need no text; their recordings are checked here
    id_columns=("id", "index", "trial_id", "key"),
)
DEFAULT_METRICS = ("eer", "min_dcf", "min_dcf_05", "min_cllr")
LLR_METRICS = ("act_dcf", "dcf_loss", "cllr", "cllr_loss")
"""Metrics of scores that are log-likelihood ratios."""
PEEKED_ROWS = 1000
"""Rows on which a rule for speakers is tested."""


@dataclass(frozen=True, kw_only=True)
class VerifyOptions:
    """The `-T` options of speaker verification."""

    speakers: SpeakerRule = "auto"
    """Where speakers come from: columns, the first folder of a path (`path`), the text before the first `-` or `_` of a
    name (`prefix`), or nowhere (`none`). By default columns, or else folders if they agree with the labels."""
    wav_scp: str = ""
    """File with the recording of each name, as in Kaldi."""
    utt2spk: str = ""
    """File with the speaker of each name, as in Kaldi."""
    enrolment: str = ""
    """File with the recordings of each model: `model recording recording …`."""
    llr: bool = False
    """Whether scores are log-likelihood ratios (natural logarithms), so that their calibration is measured, too."""
    p_target: float = 0.01
    """Prior probability of a target in `min_dcf`, `act_dcf` and `dcf_loss`."""
    c_miss: float = 1.0
    """Cost of a miss."""
    c_fa: float = 1.0
    """Cost of a false alarm."""

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any]) -> tuple[VerifyOptions, dict[str, Any]]:
        """Split arguments into these options and the remaining arguments."""
        names = {option.name for option in fields(cls)}
        options = cls(**{name: value for name, value in arguments.items() if name in names})
        options._check()
        return options, {name: value for name, value in arguments.items() if name not in names}

    def _check(self) -> None:
        check_option("speakers", self.speakers, self.speakers in SPEAKER_RULES, f"one of {', '.join(SPEAKER_RULES)}")
        check_option("llr", self.llr, isinstance(self.llr, bool), "true or false")
        for name in ("wav_scp", "utt2spk", "enrolment"):
            check_option(name, getattr(self, name), isinstance(getattr(self, name), str), "the path of a file")
        check_option(
            "p_target", self.p_target, _is_number(self.p_target) and 0 < self.p_target < 1, "a number between 0 and 1"
        )
        for name in ("c_miss", "c_fa"):
            value = getattr(self, name)
            check_option(name, value, _is_number(value) and value > 0, "a number above 0")

    def build_metrics(self, names: Sequence[str]) -> list[Metric]:
        """Return metrics by name; those of the default operating point have that of the options."""
        points = (OperatingPoint(float(self.p_target), float(self.c_miss), float(self.c_fa)),)
        own = {metric.name: metric for metric in (make_min_dcf(points), make_act_dcf(points), make_dcf_loss(points))}
        chosen = names or (*DEFAULT_METRICS, *(LLR_METRICS if self.llr else ()))
        metrics = [metric for name in chosen for metric in ([own[name]] if name in own else resolve_metrics(name))]
        if self.enrolment:
            metrics = [metric.replace(variant=f"{metric.variant}.several-enrolments") for metric in metrics]
        return metrics


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@takes_options(VerifyOptions, TaskOptions)
def verify(**arguments: Any) -> Task:
    """Build a task of trials, each with two recordings that have the same speaker or not."""
    verify_options, rest = VerifyOptions.from_arguments(arguments)
    options = TaskOptions.from_arguments("verify", rest)
    builder = TrialBuilder.of(options, verify_options)
    manifest = _load_trials(options, builder)
    speakers = SpeakerReader(verify_options, builder, manifest)
    manifest = replace(manifest, transform=speakers.build_sample, check=speakers.notes)
    metrics = verify_options.build_metrics(split_list(options.metrics))
    task = build_task("verify", options, manifest, Measure(), metrics)
    return replace(task, cluster=options.cluster, extra_context={"kind": "verify"})


def _load_trials(options: TaskOptions, builder: TrialBuilder) -> Manifest:
    path = Path(options.data)
    if not options.reader and "://" not in options.data and is_trial_list(path) and not path.is_dir():
        root = Path(options.root) if options.root else None
        row_range = parse_row_range(options.rows)
        return TrialList(path, FIELDS, root=root, transform=builder.build_sample, row_range=row_range)
    return load_manifest(options, FIELDS, builder.build_sample)


# --- trials ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class TrialBuilder:
    """Builds trials from rows.

    Args:
        base: Folder that paths are relative to.
        recordings: Recordings of names, from `wav.scp`.
        enrolments: Recordings of models.
    """

    base: Path
    recordings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    enrolments: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, options: TaskOptions, verify_options: VerifyOptions) -> TrialBuilder:
        base = Path(options.root) if options.root else Path(options.data).parent
        recordings = read_table(Path(verify_options.wav_scp)) if verify_options.wav_scp else {}
        if piped := next((name for name, command in recordings.items() if command[-1] == "|"), None):
            raise DataError(
                f"{verify_options.wav_scp}: {piped} is a command, which is not executed. Write paths of files instead."
            )
        enrolments = read_table(Path(verify_options.enrolment)) if verify_options.enrolment else {}
        return cls(base, recordings, enrolments)

    def build_sample(self, sample: Sample) -> Sample:
        """Name the recordings, the label and the other columns of a row."""
        values: dict[str, Any] = {**sample.meta}
        if "audio" in sample.inputs:
            values["audio"] = sample.inputs["audio"]
        sides = {side: _pop_first(values, names) for side, names in (("a", A_COLUMNS), ("b", B_COLUMNS))}
        label = _pop_first(values, LABEL_COLUMNS)
        if label is None:
            raise SampleError(f"no label: expected one of the columns {', '.join(LABEL_COLUMNS)}")
        target = parse_label(label)
        if target is None:
            raise SampleError(f"invalid label {label!r}: expected 1, target or same, or 0, nontarget or different")
        inputs: dict[str, Input] = {}
        for (side, value), names in zip(sides.items(), (A_COLUMNS, B_COLUMNS), strict=True):
            if value is None:
                raise SampleError(f"no recording {side}: expected one of the columns {', '.join(names[:9])}, …")
            inputs |= {f"{side}_{index}" if index > 1 else side: audio for index, audio in self._open(side, value)}
            if isinstance(value, str):
                values.setdefault(f"name_{side}", value)
        values.pop("audio", None)
        return replace(sample, inputs=inputs, target=target, meta=values)

    def _open(self, side: str, value: Any) -> Iterator[tuple[int, Audio]]:
        """Yield the recordings of a side with their position from 1."""
        if isinstance(value, str) and value.startswith("["):
            value = parse_json_cell(value)
        if side == "a" and isinstance(value, str) and self.enrolments:
            if value not in self.enrolments:
                raise SampleError(f"the model {value!r} has no recordings in the enrolment file")
            value = list(self.enrolments[value])
        items = value if isinstance(value, (list, tuple)) else [value]
        if not items:
            raise SampleError(f"no recording {side}: the list is empty")
        for index, item in enumerate(items, 1):
            yield index, self._open_recording(item)

    def _open_recording(self, value: Any) -> Audio:
        if isinstance(value, str) and self.recordings:
            if value not in self.recordings:
                raise SampleError(f"{value!r} is not in the wav.scp file")
            value = self.recordings[value][0]
        return Audio.of(resolve_path(value, self.base))


def _pop_first(values: dict[str, Any], names: Sequence[str]) -> Any:
    """Remove and return the first of these columns that has a value; names are compared without case."""
    columns = {name.casefold(): name for name in values}
    for name in names:
        column = columns.get(name)
        if column is not None and values[column] is not None and str(values[column]).strip():
            return values.pop(column)
    return None


# --- speakers --------------------------------------------------------------------------------


def speaker_of_path(name: str) -> str:
    """Return the first folder of a relative path, such as `id10270` of `id10270/x6uYqmx31kE/00001.wav`."""
    path = PurePosixPath(name.replace("\\", "/"))
    return "" if path.is_absolute() or len(path.parts) < 2 or path.parts[0] in (".", "..") else path.parts[0]


def speaker_of_prefix(name: str) -> str:
    """Return the text before the first `-` or `_` of a name, such as `id10270` of `id10270-x6u-1`."""
    stem = PurePosixPath(name.replace("\\", "/")).name
    places = [place for mark in "-_" if (place := stem.find(mark)) > 0]
    return stem[: min(places)] if places else ""


RULES: Mapping[str, Callable[[str], str]] = {"path": speaker_of_path, "prefix": speaker_of_prefix}
RULE_NAMES = {"path": "the first folder of each path", "prefix": "the text before the first - or _ of each name"}
UNKNOWN_SPEAKERS_NOTE = (
    "The speakers of the trials are unknown, so that intervals treat trials as independent and are too narrow. Add the "
    "columns speaker_a and speaker_b, or set -T utt2spk=FILE, -T speakers=path or -T speakers=prefix."
)
ONE_CLASS_NOTE = "All trials have the label {}: rates of errors are undefined without trials of both classes."


class SpeakerReader:
    """Adds the speakers of both sides to trials.

    Args:
        options: The rule, and the file with speakers.
        trials: Builds trials without speakers.
        manifest: The rows, on which the automatic rule is tested.
    """

    def __init__(self, options: VerifyOptions, trials: TrialBuilder, manifest: Manifest) -> None:
        self._rule = options.speakers
        self._trials = trials
        self._manifest = manifest
        self._speakers = read_table(Path(options.utt2spk)) if options.utt2spk else {}

    def build_sample(self, sample: Sample) -> Sample:
        """Build a trial with its speakers; reject it if its label contradicts them."""
        sample = self._trials.build_sample(sample)
        meta = dict(sample.meta)
        stated = [_pop_first(meta, names) for names in SPEAKER_COLUMNS]
        names = [str(meta.pop(f"name_{side}", "")) for side in "ab"]
        speakers = self._find(stated, names, sample)
        meta |= {field: speaker for field, speaker in zip(SPEAKER_FIELDS, speakers, strict=True) if speaker}
        return replace(sample, meta=meta)

    def _find(self, stated: Sequence[Json], names: Sequence[str], sample: Sample) -> list[str]:
        """Return the speakers of both sides; empty if they are unknown.

        Raises:
            SampleError: if stated speakers contradict the label: the row is wrong.
            SpecError: if those that were to be derived from names do: the rule is wrong.
        """
        label = str(sample.target)
        if self._rule == "none":
            return ["", ""]
        if self._speakers:
            speakers = [self._speakers.get(name, [""])[0] for name in names]
        elif self._rule in ("auto", "columns") and any(speaker is not None for speaker in stated):
            speakers = ["" if speaker is None else str(speaker) for speaker in stated]
        else:
            rule = self.rule
            derived = [RULES[rule](name) if rule else "" for name in names]
            if not all(derived) or _agrees(derived, label):
                return derived
            if self._rule != rule:  # a rule that was not asked for may not cost a row
                return ["", ""]
            raise SpecError(
                f"{sample.origin}: with speakers={rule}, the speakers of {names[0]} and {names[1]} are {derived[0]!r} "
                f"and {derived[1]!r}, but the label is {label}. Correct the label, or name the speakers with "
                "-T utt2spk=FILE or in columns speaker_a and speaker_b, or leave them out with -T speakers=none."
            )
        if all(speakers) and not _agrees(speakers, label):
            raise SampleError(f"the label is {label}, but the speakers are {speakers[0]!r} and {speakers[1]!r}")
        return speakers

    @cached_property
    def rule(self) -> str:
        """The rule by which speakers are derived from names; empty if there is none."""
        if self._rule in RULES:
            return self._rule
        return "path" if self._rule == "auto" and self._fits(speaker_of_path) else ""

    def _fits(self, rule: Callable[[str], str]) -> bool:
        """Return whether a rule agrees with all labels of the first rows."""
        rows = replace(self._manifest, transform=self._trials.build_sample, row_range=(0, PEEKED_ROWS))
        samples = [sample for sample in islice(rows, PEEKED_ROWS) if isinstance(sample, Sample)]
        derived = [([rule(str(sample.meta.get(f"name_{side}", ""))) for side in "ab"], sample) for sample in samples]
        return bool(samples) and all(all(names) and _agrees(names, str(sample.target)) for names, sample in derived)

    def notes(self) -> list[str]:
        """Return where speakers come from, or what it means that there are none."""
        rows = replace(self._manifest, transform=self.build_sample)
        samples = (sample for sample in rows if isinstance(sample, Sample))
        first = next(samples, None)
        if first is None:
            return []
        notes = self._describe_speakers(first)
        if all(sample.target == first.target for sample in samples):
            notes.append(ONE_CLASS_NOTE.format(first.target))
        return notes

    def _describe_speakers(self, first: Sample) -> list[str]:
        if SPEAKER_FIELDS[0] not in first.meta:
            return [UNKNOWN_SPEAKERS_NOTE]
        if self._speakers or not self.rule:
            return []
        return [f"Speakers are {RULE_NAMES[self.rule]}, for example {first.meta[SPEAKER_FIELDS[0]]!r}."]


def _agrees(speakers: Sequence[str], label: str) -> bool:
    return label == (SAME if speakers[0] == speakers[1] else DIFFERENT)
