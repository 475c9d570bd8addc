"""The Python API, which the command line and the app also use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, Unpack

from auricle.core.audio_limit import limit_audio
from auricle.core.errors import AllRequestsFailed, SpecError
from auricle.core.files import make_folder
from auricle.core.home_folder import keep_home_folder
from auricle.core.user_code import limit_calls
from auricle.engine.factory import Evaluation, build_run_spec, check_settings, deploy_model, resolve_model
from auricle.engine.factory import build_task as build_task
from auricle.engine.factory import construct_model as construct_model
from auricle.engine.factory import display_name as display_name
from auricle.engine.factory import model_name as model_name
from auricle.engine.inference import collect_answers
from auricle.engine.judge import check_judges_are_used, judge_run, read_judges, resolve_judge_model, write_judges
from auricle.engine.kept_model import KeptModel
from auricle.engine.loaded_model import LoadedModel as LoadedModel
from auricle.engine.observer import Observer
from auricle.engine.preview import preview as preview
from auricle.engine.settings import Settings
from auricle.engine.spec import JudgeSpec, Spec, list_judges
from auricle.engine.task import Task
from auricle.metrics.capabilities import Judged, Restricted
from auricle.models import abilities
from auricle.models.catalogue import MODELS
from auricle.runs.labels import HumanLabels
from auricle.runs.metrics import Metrics, ScoringArguments, read_scoring
from auricle.runs.number_table import Numbers
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.result import RunResult
from auricle.runs.run_directory import Run, contains_run, lock_run
from auricle.runs.shards.locations import refuse_sharded_run
from auricle.runs.suites import contains_suite, read_current_suite_metrics, read_suite_run, write_suite_run
from auricle.runs.verdicts import Judge, merge_judges

if TYPE_CHECKING:
    import pandas as pd

    from auricle.report.shown_comparison import ShownComparison
    from auricle.runs.shards.status import ShardStatus
    from auricle.scoring.compare import CompareKeywords
    from auricle.scoring.gate import Gate, GateKeywords

T = TypeVar("T")
JudgeSource: TypeAlias = JudgeSpec | dict[str, Any] | str


def evaluate(
    spec: Spec | Evaluation,
    out: str | Path,
    *,
    settings: Settings | None = None,
    observer: Observer | None = None,
    infer_only: bool = False,
    kept_model: KeptModel | None = None,
) -> RunResult:
    """Run a spec, or resume an earlier run of it, and score the answers.

    Args:
        spec: What to evaluate.
        out: Run directory.
        settings: How to execute the run.
        observer: Follows the progress of the run and of its judge.
        infer_only: Store answers without scoring them.
        kept_model: Keeps the model loaded for further runs of it. By default it is closed at the end.

    Returns:
        The metrics over all samples, the counts of outcomes, and how a command should exit. Without metrics if
        `infer_only`.

    Examples:
        >>> result = evaluate(Spec(task="demo", model="echo"), "runs/demo")  # doctest: +SKIP
        >>> result["wer"].value  # doctest: +SKIP
        1.0
    """
    settings = settings or Settings()
    if settings.shards is not None:
        return evaluate_shards(spec, out, settings=settings, observer=observer)
    refuse_sharded_run(out)
    evaluation = _prepare(spec)
    spec, task = evaluation.spec, evaluation.task
    settings = replace(settings, limit=spec.limit or settings.limit)
    check_settings(evaluation.model_class, spec, settings)
    observer = observer or Observer()
    run_spec = build_run_spec(spec, task, evaluation.inferencer)
    limits = limit_audio(settings.max_audio), limit_calls(settings.timeout, observer.on_message)
    with limits[0], limits[1], Run.open(Path(out), run_spec) as run:
        with keep_home_folder(), nullcontext(kept_model) if kept_model else KeptModel() as models:
            outcomes, stop_reason = collect_answers(evaluation, run, settings, observer, models)
        result = RunResult(
            path=run.location,
            outcomes=outcomes,
            complete=run.read_progress().complete,
            moved_lines=run.moved_lines,
            stop_reason=stop_reason or observer.stop_reason,
        )
        if infer_only:
            return result
        judges = spec.judges if result.complete else ()
        metrics, judge_stop_reason = _judge_and_publish(run, task, judges, settings, observer)
        result = replace(result, stop_reason=result.stop_reason or judge_stop_reason)
    return _add_metrics(replace(result, judge_requested=bool(judges)), task, spec, metrics)


def _prepare(spec: Spec | Evaluation) -> Evaluation:
    """Build the task of a spec, and check its judges and its data."""
    evaluation = spec if isinstance(spec, Evaluation) else Evaluation.prepare(spec)
    judges = evaluation.spec.judges
    for judge in judges:
        resolve_judge_model(judge)
    check_judges_are_used([evaluation.task], judges, evaluation.task.name)
    if validate := getattr(evaluation.task.samples, "validate", None):
        validate()
    return evaluation


def evaluate_shards(
    spec: Spec | Evaluation,
    out: str | Path,
    *,
    shards: int | Literal["auto"] | None = None,
    workers: int | None = None,
    settings: Settings | None = None,
    observer: Observer | None = None,
) -> RunResult:
    """Run a spec in shards, with any number of workers, or continue such a run.

    Args:
        spec: What to evaluate.
        out: Run directory, or the URL of a bucket with a prefix (`s3://…`, `gs://…`, `az://…`).
        shards: About how many shards to divide the data into; `auto` for about 1,000 rows each. Default: that of
            `settings`, or `auto`.
        workers: Number of workers: processes of this machine, or actors or jobs with a backend. Default: that of
            `settings`, or this process alone.
        settings: How to execute the run.
        observer: Follows the progress of the run: `on_shards` is called instead of `on_result`, and `on_message` if,
            for example, a worker has crashed.

    Returns:
        The metrics over all samples. Without metrics if shards are left, or if another worker merges them.

    Examples:
        >>> spec = Spec(task="asr", task_args={"data": "large.jsonl"}, model="echo")
        >>> evaluate_shards(spec, "runs/large", workers=4)["wer"].value  # doctest: +SKIP
        1.0
    """
    from auricle.report.merging import merge_once
    from auricle.scoring.shards.sharded_run import run_workers

    settings = settings or Settings()
    settings = replace(
        settings,
        shards=settings.shards or "auto" if shards is None else shards,
        workers=settings.workers if workers is None else workers,
    )
    evaluation = _prepare(spec)
    task = evaluation.task
    observer = observer or Observer()
    outcome = run_workers(evaluation, out, settings, observer)
    status = outcome.status
    result = RunResult(
        path=outcome.folder,
        outcomes=OutcomeCounts(total=status.rows, answered=status.answered, failed=status.failed),
        complete=status.complete or bool(settings.shard and not outcome.stopped and not outcome.stop_reason),
        stop_reason=outcome.stop_reason,
    )
    metrics = merge_once(outcome, task, evaluation.spec, observer.on_message) if status.complete else None
    if metrics is None:
        return result
    return _add_metrics(replace(result, outcomes=metrics.outcomes), task, evaluation.spec, metrics)


def merge_shards(
    runs: str | Path | Sequence[str | Path], out: str | Path | None = None
) -> tuple[Path, Metrics, ShardStatus]:
    """Compute the numbers of a sharded run from the shards that are completed.

    Args:
        runs: Folder or URL of a sharded run; or several, each with some shards of the same data (`--shard i/n`).
        out: Where to collect the shards of several runs. Default: in the first of them.

    Returns:
        The merged run directory, its metrics, and how much of the run they cover.

    Examples:
        >>> merge_shards(["runs/part-0", "runs/part-1"], "runs/all")  # doctest: +SKIP
    """
    from auricle.report.merging import merge_completed

    return merge_completed([runs] if isinstance(runs, (str, Path)) else list(runs), out)


def evaluate_suite(
    suite: str | Path,
    model: Any,
    out: str | Path,
    *,
    model_args: Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    observer: Observer | None = None,
) -> Metrics:
    """Run the tasks of a suite, or resume them, and combine their numbers.

    Args:
        suite: YAML file of the suite, `file.py:NAME`, or the name of an entry point.
        model: Name of a model, or a function, a class or an object.
        out: Folder of the suite; each task is a run in a folder in it.
        model_args: Arguments of the model.
        settings: How to execute the runs.
        observer: Follows the progress of each run.

    Returns:
        The combined numbers, broken down by part and by language.

    Examples:
        >>> evaluate_suite("suite.yaml", "echo", "runs/suite")["wer"].value  # doctest: +SKIP
        0.07
    """
    from auricle.engine.config import RunConfig

    name = model if isinstance(model, str) else MODELS.add_object(model)
    config = RunConfig.from_fields(
        {"task": str(suite), "model": name, "model_args": model_args or {}}, "evaluate_suite"
    )
    (group,) = config.plan()[0].groups
    if not (suite_run := group.describe_run(Path(out))):
        raise SpecError(f"{suite} is not a suite. Use `evaluate` for a single task.")
    make_folder(Path(out))
    write_suite_run(Path(out), suite_run)
    with KeptModel() as kept_model:
        for evaluation, folder in group.list_folders(Path(out)):
            result = evaluate(evaluation, folder, settings=settings, observer=observer, kept_model=kept_model)
            if not result.complete:
                break
    return load_metrics(out)


def score(
    out: str | Path,
    profile: str | Sequence[str] | None = None,
    *,
    task_args: Mapping[str, Any] | None = None,
    judge: JudgeSource | Sequence[JudgeSource] = (),
    settings: Settings | None = None,
    observer: Observer | None = None,
) -> RunResult:
    """Score a run again from its journal.

    A model is loaded only if `judge` is given and verdicts of it are missing. Recognisers and models that rate spoken
    answers are judges with a `role`: `score(run, judge={"model": "moonshine", "role": "recogniser"})`.

    Args:
        out: Run directory.
        profile: Text normaliser that replaces the one of the run, or several to score with each. Under the second
            and further ones, `wer` is named `wer@basic`.
        task_args: Task arguments that change how answers are scored, such as `metrics` or `rubric`.
        judge: Judge model, by name or with arguments, or several.
        settings: How to execute the judge.
        observer: Follows the progress of the judge.

    Returns:
        The metrics over all samples, and how a command should exit.

    Raises:
        NothingToJudge: if there is a judge but no metric that uses one.

    Examples:
        >>> _ = evaluate(Spec(task="demo", model="echo", limit=2), "runs/echo")
        >>> [number.metric for number in score("runs/echo", profile=["basic", "none"])]
        ['wer', 'cer', 'wer@none', 'cer@none']
    """
    run = Run.load(Path(out))
    judge_specs = _parse_judges(judge)
    judges = merge_judges(read_judges(run), (judge_spec.to_judge() for judge_spec in judge_specs))
    spec = Spec.from_run(run).with_scoring(task_args or {}, profile).with_judges(judges)
    scoring = ScoringArguments(
        spec.profiles if profile else (),
        {name: spec.task_args[name] for name in task_args or {} if name in spec.task_args},
    )
    task = build_task(spec)
    settings, observer = settings or Settings(), observer or Observer()
    result = RunResult(path=run.path, outcomes=OutcomeCounts())  # failed samples are not failures of scoring
    if not judge_specs:
        with limit_calls(settings.timeout, observer.on_message):
            return _add_metrics(result, task, spec, _publish(run, task, judges, scoring))
    for judge_spec in judge_specs:
        if not judge_spec.role.is_judge:
            resolve_judge_model(judge_spec)
    check_judges_are_used([task], judge_specs, out)
    with lock_run(run.path), limit_calls(settings.timeout, observer.on_message):
        metrics, stop_reason = _judge_and_publish(run, task, judge_specs, settings, observer, scoring)
    return _add_metrics(replace(result, judge_requested=True, stop_reason=stop_reason), task, spec, metrics)


def _parse_judges(judge: JudgeSource | Sequence[JudgeSource]) -> tuple[JudgeSpec, ...]:
    return tuple(JudgeSpec.parse(entry).resolved() for entry in list_judges(judge))


def add_labels(out: str | Path, labels_path: str | Path) -> int:
    """Store verdicts of people in a run, in place of earlier ones; judges are compared with and corrected by them.

    Args:
        out: Run directory.
        labels_path: Data file with the columns `id` and `label`, for a random part of the samples.

    Returns:
        How many of the labels are about samples of the run.

    Raises:
        SpecError: if none is.
    """
    run, labels = Run.load(Path(out)), HumanLabels.read_file(Path(labels_path))
    matching = {record.sample.id for record in run.records()} & labels.labels.keys()
    if not matching:
        example = next(iter(labels.labels))
        raise SpecError(
            f"None of the {len(labels.labels)} ids in {labels_path}, such as {example!r}, is a sample of {run.path}."
        )
    labels.save(run.path)
    return len(matching)


def _add_metrics(result: RunResult, task: Task, spec: Spec, metrics: Metrics) -> RunResult:
    """Return the result with its metrics, and with those that could not be computed."""
    unscored = find_unscored(task, metrics, requested="metrics" in spec.task_args)
    return replace(result, metrics=metrics, unscored=unscored, missing_headline=task.find_missing_headline(metrics))


def find_unscored(task: Task, metrics: Metrics, *, requested: bool) -> tuple[str, ...]:
    """Return the metrics of a task that have no value, except those that apply to no sample.

    Args:
        task: The task.
        metrics: The numbers of a run.
        requested: Whether the metrics were chosen by the user. Otherwise those that do not suit the model's outputs
            are expected to have no value, as long as others have one.
    """
    scored = {number.metric for number in metrics.overall}
    failed = {*metrics.not_computed, *metrics.unreadable}
    unscored = {
        metric.name
        for metric in task.metrics
        if metric.name not in scored and (not isinstance(metric, Restricted) or metric.name in failed)
    }
    if scored and not requested:
        unscored -= {*metrics.unsuited}
    return tuple(sorted(unscored))


def _judge_and_publish(
    run: Run,
    task: Task,
    judge_specs: Sequence[JudgeSpec],
    settings: Settings,
    observer: Observer,
    scoring: ScoringArguments | None = None,
) -> tuple[Metrics, str]:
    """Request missing verdicts and write the results, even if a judge is unreachable.

    Returns:
        The metrics, and why judging was stopped, if it was: by the server of a judge, or by the observer.
    """
    if not judge_specs:
        return _publish(run, task, read_judges(run), scoring), ""
    judges = merge_judges(read_judges(run), (judge.to_judge() for judge in judge_specs))
    if any(isinstance(metric, Judged) for metric in task.metrics):
        write_judges(run.verdicts_path, judges)
    stop_reason = ""
    try:
        for judge in judge_specs:
            # The cache belongs to the evaluated model, not to the judge.
            stop_reason = stop_reason or judge_run(run, task.metrics, judge, replace(settings, cache=None), observer)
    except AllRequestsFailed:
        _publish(run, task, judges, scoring)
        raise
    return _publish(run, task, judges, scoring), stop_reason


def _publish(run: Run, task: Task, judges: Sequence[Judge], scoring: ScoringArguments | None) -> Metrics:
    from auricle.report.run_files import score_and_write  # commands that do not score start faster without it

    return score_and_write(run, task, model_name(run), judges, scoring)


def summary(out: str | Path, by: str | None = None) -> Numbers:
    """Return the numbers of a run.

    Args:
        out: Run directory.
        by: Only the numbers over all samples and those grouped by this metadata field. Default: all numbers.

    Examples:
        >>> summary("runs/demo")[0].metric  # doctest: +SKIP
        'accuracy'
    """
    return Numbers(number for number in load_metrics(out).numbers if by is None or number.field in ("", by))


def numbers(runs: str | Path | Sequence[str | Path]) -> pd.DataFrame:
    """Return the numbers of one or more runs as a data frame.

    Args:
        runs: Run directory, or several.

    Returns:
        One row per run, metric and group: run, task, model, the fields of `Number`, and its coverage.

    Examples:
        >>> numbers("runs/demo/moonshine")[["metric", "group", "value"]]  # doctest: +SKIP
    """
    from auricle.report.frames import build_numbers_frame

    return build_numbers_frame({path: load_metrics(path) for path in _to_paths(runs)})


def samples(runs: str | Path | Sequence[str | Path]) -> pd.DataFrame:
    """Return the samples of one or more runs as a data frame.

    Args:
        runs: Run directory, or several.

    Returns:
        One row per run and sample: run, id, target, text, outcome, error, seconds, wait_seconds, audio_seconds, the
        sample's metadata as `meta.NAME`, its number under each metric, and statistics; see `docs/api.md`.

    Examples:
        >>> samples("runs/demo/moonshine").groupby("meta.speaker")["wer"].mean()  # doctest: +SKIP
    """
    from auricle.report.frames import build_samples_frame

    return build_samples_frame({path: load_metrics(path) for path in _to_paths(runs)})


def _to_paths(runs: str | Path | Sequence[str | Path]) -> list[Path]:
    return [Path(runs)] if isinstance(runs, (str, Path)) else [Path(run) for run in runs]


def load_metrics(out: str | Path) -> Metrics:
    """Return the metrics of a run, or the combined ones of a suite; they are computed if missing or outdated."""
    if contains_suite(Path(out)):
        return read_current_suite_metrics(Path(out)) or _combine_suite(Path(out))
    run = Run.load(Path(out))
    published = run.read_metrics()
    if published is not None:
        return published
    scoring = read_scoring(run.path)
    scored = score(out, scoring.profiles, task_args=scoring.task_args).metrics
    assert scored is not None
    return scored


def _combine_suite(path: Path) -> Metrics:
    from auricle.report.suite_files import combine_and_write

    folders = {part.name: path / part.folder for part in read_suite_run(path).parts}
    return combine_and_write(
        path, {name: load_metrics(folder) if contains_run(folder) else None for name, folder in folders.items()}
    )


def compare(
    a: str | Path, b: str | Path, metrics: Sequence[str] = (), by: str | None = None, **options: Unpack[CompareKeywords]
) -> ShownComparison:
    """Compare two runs, sample by sample, or two groups of different samples.

    Args:
        a: Directory of the baseline run, or of a suite.
        b: Directory of the candidate run, or of a suite.
        metrics: Names of the metrics to compare. Default: all that both runs have.
        by: Metadata field to break the comparison down by.
        options: `cluster`, a metadata field whose values are independent, such as `speaker`, or `none` if all samples
            are; by default the field that both runs were scored by. `unpaired`, whether to compare the runs as
            independent groups of samples, as is done if they have none in common; or two groups such as
            `source=human,generated`, the first of A and the second of B, which may be the same run. `names`, what the
            samples of A and B are, such as `("human", "generated")`. `max_flips`, the number of changed samples to
            keep in each direction, per metric; 5 by default. `estimate_designs`, as in `CompareOptions`.

    Returns:
        Differences with intervals, and the samples that changed if the samples are paired.

    Examples:
        >>> runs = [evaluate(Spec(task="demo", model="echo", limit=4), f"runs/{name}").path for name in "ab"]
        >>> [(row.metric, row.n, row.difference) for row in compare(*runs, metrics=["wer"]).rows]
        [('wer', 4, 0.0)]
    """
    from auricle.report.shown_comparison import ShownComparison
    from auricle.scoring.compare import CompareOptions, Split, compare_runs

    paths = Path(a), Path(b)
    if any(map(contains_suite, paths)):
        if by or options.get("unpaired"):
            raise SpecError("Suites are compared by part and language, in pairs, without --by, --unpaired, --between.")
        return _compare_suites(paths, metrics, options.get("cluster"))
    results = load_metrics(paths[0]), load_metrics(paths[1])
    unpaired = options.get("unpaired", False)
    compare_options = CompareOptions(
        by=by or "",
        cluster=options.get("cluster"),
        unpaired=Split.parse(unpaired) if isinstance(unpaired, str) else unpaired,
        max_flips=options.get("max_flips", 5),
        estimate_designs=options.get("estimate_designs", False),
    )
    comparison = ShownComparison.of(compare_runs(paths, results, metrics, compare_options))
    names = options.get("names")
    return comparison.with_names(*names) if names else comparison


def gate(
    baseline: str | Path,
    candidate: str | Path,
    metrics: Sequence[str] = (),
    margins: Sequence[str] = (),
    **options: Unpack[GateKeywords],
) -> Gate:
    """Decide whether a candidate run may replace a baseline.

    Args:
        baseline: Directory of the baseline run.
        candidate: Directory of the candidate run.
        metrics: Metrics to decide on. Default: the first that both runs have.
        margins: Losses that are tolerated, such as `0.5`, `wer=0.5pp` or `accuracy=2%`.
        options: See `GateKeywords`.

    Returns:
        A verdict per metric and one on the candidate: better, not worse, worse or undecided.

    Examples:
        >>> runs = [evaluate(Spec(task="demo", model="echo", limit=8), f"runs/{name}").path for name in "ab"]
        >>> gate(*runs, metrics=["wer"], margins=["wer=0.5pp"]).verdict.value
        'undecided'
    """
    from auricle.scoring.gate import MIN_COVERAGE, Margin, choose_metrics, decide

    metrics = metrics or choose_metrics(load_metrics(baseline), load_metrics(candidate))
    parsed = [Margin.parse(text) for text in margins]
    keywords: CompareKeywords = {"cluster": options.get("cluster"), "max_flips": 0, "estimate_designs": True}
    comparison = compare(baseline, candidate, metrics, options.get("by"), **keywords)
    return decide(comparison, parsed, options.get("min_coverage", MIN_COVERAGE), options.get("min_pairs", 0))


def _compare_suites(paths: tuple[Path, Path], metrics: Sequence[str], cluster: str | None) -> ShownComparison:
    from auricle.report.shown_comparison import ShownComparison
    from auricle.scoring.compare.suites import compare_suites, find_common_parts

    common = find_common_parts(paths)
    parts = {name: (both, (load_metrics(both[0]), load_metrics(both[1]))) for name, both in common.items()}
    results = load_metrics(paths[0]), load_metrics(paths[1])
    return ShownComparison.of(compare_suites(paths, results, parts, metrics, cluster))


def load_model(model: Any, /, **arguments: Any) -> LoadedModel:
    """Load a model to call it directly.

    Args:
        model: Name of a model, `package.module:Class` or `file.py:Class`, or a function, a class or an object.
        arguments: Arguments of the model.

    Examples:
        >>> with load_model("echo") as model:
        ...     model.ask(text="hello").text
        'hello'
    """
    spec = Spec(task="ask", model=model, model_args=arguments)
    model_class = resolve_model(spec)
    return LoadedModel(deploy_model(model_class, spec, Settings()), list(abilities(model_class)))
