"""`auricle listen-test`: let people rate or compare sounds without knowing where they come from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import print_result

if TYPE_CHECKING:
    from auricle.studies.people.description import ListeningTest, RatingScale

KINDS = ("mos", "cmos", "mushra", "abx", "ab")
DESIGNS = ("latin-square", "all")


@click.group()
def listen_test() -> None:
    """Let people rate or compare sounds without knowing where they come from."""


@listen_test.command(cls=opt.GroupedCommand)
@click.argument("runs", nargs=-1, required=True)
@opt.option_group(
    "Test",
    opt.choice(
        "--kind",
        "What listeners do. mos: rate each sound. cmos: rate B against A. mushra: rate all systems on one page against "
        "a reference. abx: recognise X. ab: choose the better one.",
        KINDS,
        required=True,
    ),
    opt.count("--listeners N", "Number of listeners.", default=12),
    opt.count("--items N", "Most items, drawn at random. [default: all that every system has]"),
    opt.text(
        "--reference SYSTEM",
        "System that is the hidden reference, or `input` for the recordings that the runs received. Required for "
        "mushra. [default: none]",
    ),
    opt.repeated(
        "--anchor anchors HZ",
        "Cut-off frequency of a low-pass anchor that is made from the reference; repeat for several, 0 for none. "
        "[default: 3500 and 7000 for mushra]",
    ),
    opt.choice(
        "--design",
        "What a listener hears. latin-square: every item once, from one of the systems. all: every item of every "
        "system. [default: latin-square]",
        DESIGNS,
    ),
    opt.count("--repeat-checks N", "Trials of each listener that are repeated.", 0, default=2),
    opt.count("--traps N", "Obviously bad sounds for each listener. [default: one in 12 trials; none for mushra]", 0),
)
@opt.option_group(
    "Page",
    opt.text("--title", "Title of the page. It must not name the systems.", default="Listening test"),
    opt.text("--question", "What listeners are asked. [default: a question that suits the kind]"),
    opt.text("--scale LOW:HIGH[:STEP]", "Ratings of mos, cmos and mushra. [default: 1:5, -3:3 and 0:100]"),
    opt.text("--level DB", "Active speech level of all sounds, relative to full scale.", type=float, default=-26.0),
)
@opt.option_group(
    "Output",
    opt.path("-o --out FOLDER", "Folder of the test.", required=True),
    opt.count("--seed N", "Random seed of orders and names.", 0, default=0),
    opt.json_option,
)
def create(runs: tuple[str, ...], out: Path, as_json: bool, **options: Any) -> None:
    """Create a listening test from RUNS.

    RUNS are runs with spoken answers, runs whose input recordings are to be heard, or data files with the columns
    system, item and audio. NAME=PATH sets the name of a system. Items are matched by their ids.
    """
    from auricle.core.errors import SpecError
    from auricle.studies.people.creation import SCALES, CreationOptions, create_test

    kind, scale = options["kind"], options.pop("scale")
    if scale and kind in ("abx", "ab"):
        raise SpecError(f"--scale does not apply to --kind {kind}, whose answers are A and B.")
    anchors = options.pop("anchors")
    given_values = {name: value for name, value in options.items() if value is not None}
    if anchors:
        given_values["anchors"] = tuple(cutoff for cutoff in map(_parse_frequency, anchors) if cutoff)
    if scale:
        given_values["scale"] = _parse_scale(scale, SCALES[kind])
    test = create_test(out, runs, CreationOptions(**given_values))
    print_result(
        as_json,
        {
            "kind": test.kind,
            "systems": [{"name": system.name, "role": system.role} for system in test.systems],
            "items": len(test.items),
            "listeners": len(test.listeners),
            "trials": len(test.listeners[0].trials),
            "design": test.design,
            "level_dbfs": test.loudness.level_dbfs,
            "notes": list(test.notes),
        },
        _describe_test(test, out),
    )


def _parse_frequency(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if value < 0:
        raise click.BadParameter(f"{text!r} is not a frequency in Hz.", param_hint="--anchor")
    return value


def _parse_scale(text: str, default: RatingScale) -> RatingScale:
    """Parse LOW:HIGH or LOW:HIGH:STEP; the words of the usual scale are kept if they fit."""
    from dataclasses import replace

    try:
        low, high, *steps = map(float, text.split(":"))
        step = steps[0] if steps else default.step
    except ValueError:
        low = high = step = 0.0
    if not low < high or step <= 0 or text.count(":") > 2:
        raise click.BadParameter(f"{text!r} is not a scale such as 1:5 or 0:10:0.5.", param_hint="--scale")
    is_default = (low, high, step) == (default.low, default.high, default.step)
    return default if is_default else replace(default, low=low, high=high, step=step, labels=())


def _describe_test(test: ListeningTest, out: Path) -> list[str]:
    names = ", ".join(
        system.name if system.role == "system" else f"{system.name} ({system.role.partition('-')[0]})"
        for system in test.systems
    )
    trials = test.listeners[0].trials
    checks = sum(bool(trial.check) for trial in trials)
    sounds = {file for trial in trials for file in trial.sounds}
    minutes = sum(test.sound_by_file[file].seconds for file in sounds) / 60
    return [
        f"{test.kind.upper()} test of {names}.",
        f"{len(test.items)} items, {len(test.listeners)} listeners, {len(trials)} trials each, of which {checks} are "
        f"checks; {minutes:.1f} minutes of sound.",
        f"Loudness: {test.loudness.method}, {test.loudness.level_dbfs:g} dB relative to full scale.",
        *(f"Note: {note}" for note in test.notes),
        f"\nTest: {out}\nNext: auricle listen-test serve {out}",
    ]


@listen_test.command()
@click.argument("folder", type=opt.any_path)
@opt.text("--port", "Port to listen on; 0 chooses a free port.", type=click.IntRange(0, 65_535), default=8502)
@opt.text("--host", "Address to listen on. With another address, other machines can connect.", default="127.0.0.1")
@opt.text("--public-url URL", "Address in the printed links, if the server is behind a proxy. [default: the host]")
@opt.text("--places-per-address N", "How many people may enrol from one address.", type=click.IntRange(1), default=4)
def serve(folder: Path, port: int, host: str, public_url: str | None, places_per_address: int) -> None:
    """Serve the test in FOLDER to listeners until Ctrl-C, and print their links.

    Answers are stored one by one in FOLDER/ratings.jsonl, and scored whenever a listener finishes.
    """
    from auricle.studies.people.page.server import ListenOptions
    from auricle.studies.people.page.server import serve as serve_test

    serve_test(ListenOptions(folder, port, host, public_url or "", places_per_address), _score_in_background)


def _score_in_background(folder: Path) -> Path:
    from auricle.studies.people.run import score_test  # imported late, so that links are printed at once

    return score_test(folder)[0]


@listen_test.command()
@click.argument("folder", type=opt.any_path)
@opt.path("-o --out DIR", "Run directory. [default: run in FOLDER]")
@opt.json_option
def score(folder: Path, out: Path | None, as_json: bool) -> None:
    """Write the answers to the test in FOLDER as a run, and print its numbers.

    The run works with `auricle show`, `compare`, `samples` and `ui`.
    """
    from auricle.studies.people.run import score_test
    from auricle.studies.people.text import format_results

    path, metrics = score_test(folder, out)
    print_result(as_json, metrics, format_results(metrics, path))


@listen_test.command()
@click.argument("folder", type=opt.any_path)
@click.argument("runs", nargs=-1, required=True)
@opt.json_option
def correlate(folder: Path, runs: tuple[str, ...], as_json: bool) -> None:
    """Correlate what people answered to the test in FOLDER with the metrics of RUNS.

    RUNS are scored runs of the systems, each as PATH or SYSTEM=PATH. The correlations are also added to the report of
    the test.
    """
    from auricle.studies.people.correlation import correlate_test, find_report
    from auricle.studies.people.text import format_correlations

    result = correlate_test(folder, runs)
    print_result(as_json, result, [*format_correlations(result), f"\nReport: {find_report(folder).resolve()}"])
