"""`auricle fake-server` and `auricle conformance`: a server for tests, and checks of realtime servers."""

from __future__ import annotations

import asyncio
import errno
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_result
from auricle.core.errors import ExitStatus, SampleError, SpecError

if TYPE_CHECKING:
    from auricle.testing.protocol_conformance.report import ConformanceReport
if TYPE_CHECKING:
    from auricle.core.types import RejectedRow, Sample
    from auricle.testing.fake_server.realtime.script import RealtimeScript
    from auricle.testing.fake_server.script import Script
    from auricle.testing.fake_server.server import FakeServer


AUDIO_OPTIONS = ("audio_pace", "audio_chunk_seconds", "audio_gaps")
"""Options that apply to requests and to realtime sessions."""
REALTIME_OPTIONS = (
    *("realtime", "realtime_script", "dialect", "binary_frames", "push_to_talk", "stop_after", "answer_after"),
    *("lead_silence", "spoken_answers", "answer_seconds", "transcripts", "transcript_after", "word_delay", "talk_at"),
    *("yield_after", "ignore_below", "resume_after", "session_faults", "fault_at", "refuse", "max_sessions"),
    *("session_seconds", "fault_sessions"),
)


def parse_seconds_or_never(value: str) -> float | str:
    """Parse the value of --yield-after."""
    if value == "never":
        return value
    try:
        return float(value)
    except ValueError as error:
        raise click.BadParameter("expected a number of seconds or 'never'.") from error


@click.command(name="fake-server", cls=opt.GroupedCommand)
@opt.option_group(
    "Server",
    opt.text("--port", "Port to listen on; 0 chooses a free port.", type=click.IntRange(0, 65_535), default=8000),
    opt.text("--key", "The only valid API key; others get status 401. [default: any key, or none]"),
    opt.repeated(
        "--model models NAME", "An available model; others get status 404. Repeat for several. [default: any name]"
    ),
    opt.count("--seed N", "Random seed for faults and jitter.", type=int, default=0),
    opt.flag("--record-times", "Record when requests arrive and replies leave, and report it at /stats."),
    opt.path("--certificate FILE", "PEM file with a certificate and its key, to serve over TLS. [default: no TLS]"),
)
@opt.option_group(
    "Replies",
    opt.text("--reply TEXT", "Fixed reply. [default: depends on the request]"),
    opt.text(
        "--answers TASK",
        "Answer the recordings of this task with their targets: a data file (with --as), a task file or a name. "
        "[default: demo]",
    ),
    *opt.task_options,
    opt.number(
        "--wrong FRACTION", "Fraction of words to get wrong in these answers.", type=click.FloatRange(0, 1), default=0.0
    ),
    opt.count("--reasoning N", "Reasoning tokens sent before the reply.", minimum=0, default=0),
    opt.flag("--no-usage", "Omit token counts."),
    opt.flag("--no-logprobs", "Omit log-probabilities."),
)
@opt.option_group(
    "Timing",
    opt.number("--latency SECONDS", "Seconds before a reply starts.", type=float, default=0.0),
    opt.number("--jitter SECONDS", "Maximum random seconds added to the latency.", type=float, default=0.0),
    opt.number("--pace N", "Tokens per second of a stream. [default: all at once]", type=float),
    opt.count("--tokens-per-event N", "Tokens in each event of a stream.", default=1),
    opt.flag("--role-first", "Start each stream at once with an event that contains only the role."),
    opt.number(
        "--keep-alive SECONDS",
        "Send a keep-alive event after this many seconds of silence in a stream. [default: never]",
        above=True,
    ),
    opt.number(
        "--usage-delay SECONDS", "Seconds between the last token of a stream and its token counts.", default=0.0
    ),
    opt.number(
        "--audio-chunk-seconds SECONDS",
        "Seconds of audio in each event of a spoken reply. [default: all audio in one event, in realtime sessions 0.2]",
        above=True,
    ),
    opt.number(
        "--audio-pace N", "Seconds of audio sent per second; 0 sends all at once. [default: 0, in realtime sessions 1]"
    ),
    opt.number(
        "--audio-gap audio_gaps SECONDS",
        "Delay of an audio chunk in seconds; repeat to cycle through several delays. [default: none]",
        multiple=True,
    ),
    opt.number("--accept-delay SECONDS", "Seconds before the first request on a new connection is read.", default=0.0),
    opt.number("--stall-at SECONDS", "Pause all work this many seconds after the first request. [default: never]"),
    opt.number("--stall-seconds SECONDS", "Length of the pause in seconds.", default=0.0),
)
@opt.option_group(
    "Limits and faults",
    opt.count("--slots N", "Requests served at a time; further requests wait. [default: unlimited]"),
    opt.count("--capacity N", "Requests accepted at a time; further requests get status 429. [default: unlimited]"),
    opt.number("--retry-after SECONDS", "Seconds in the Retry-After header of status 429.", type=float, default=1.0),
    opt.repeated(
        "--fault faults KIND=FRACTION",
        "Fraction of attempts that fail in this way, such as 429=0.1; repeat for several. [default: none]",
    ),
    opt.count(
        "--fault-attempts N",
        "Maximum number of times one request fails before it is answered. [default: unlimited]",
        minimum=0,
    ),
)
@opt.option_group(
    "Realtime sessions",
    opt.flag("--realtime", "Serve realtime sessions over WebSocket, too."),
    opt.path(
        "--realtime-script FILE",
        "YAML file with what the server does in each turn; implies --realtime. [default: options only]",
    ),
    opt.text(
        "--dialect NAME",
        "Protocol of /v1/realtime: openai, openai-beta or vllm. [default: auto, by what the client sends]",
    ),
    opt.flag("--binary-frames", "Send Gemini's messages in binary frames."),
    opt.flag("--push-to-talk", "Let only the client end turns."),
    opt.number("--stop-after SECONDS", "Silence that ends a turn. [default: as the client asks, else 0.5]"),
    opt.number("--answer-after SECONDS", "Seconds between the end of a turn and the answer's audio. [default: 0.3]"),
    opt.number("--lead-silence SECONDS", "Silence at the start of the answer's audio. [default: 0]"),
    opt.repeated("--answer spoken_answers TEXT", "Answer to a turn; repeat for further turns. [default: a sentence]"),
    opt.number("--answer-seconds SECONDS", "Length of spoken answers. [default: 0.35 per word]", above=True),
    opt.repeated("--transcript transcripts TEXT", "Words of the caller in a turn; repeat for further turns."),
    opt.number("--transcript-after SECONDS", "Seconds between the end of a turn and its transcript. [default: 0]"),
    opt.number("--word-delay SECONDS", "Delay of partial transcripts after each word. [default: no partials]"),
    opt.number("--talk-at SECONDS", "Position in a turn at which the server talks over the caller. [default: never]"),
    opt.text(
        "--yield-after SECONDS|never",
        "Seconds that the caller speaks over an answer before it stops. [default: 0.2]",
        type=parse_seconds_or_never,
    ),
    opt.number("--ignore-below SECONDS", "Ignore shorter sounds over an answer, such as 'mm-hm'. [default: 0]"),
    opt.number("--resume-after SECONDS", "Seconds after which an interrupted answer continues. [default: never]"),
    opt.repeated(
        "--session-fault session_faults KIND",
        "What goes wrong in answers: close, reset, eof, stall, late_audio, out_of_order, unknown_event, missing_ids, "
        "unknown_response, odd_bytes, invalid_json, binary or huge; repeat for several. [default: nothing]",
    ),
    opt.number("--fault-at SECONDS", "Seconds of an answer's audio before its faults. [default: 0.5]"),
    opt.text(
        "--refuse STATUS",
        "Refuse connections with status 401, 403, 404, 429, 500 or 503, or after the handshake with 'error'. "
        "[default: accept]",
    ),
    opt.count("--max-sessions N", "Sessions at a time; further ones are refused. [default: unlimited]"),
    opt.number("--session-seconds SECONDS", "Seconds after which sessions expire. [default: never]", above=True),
    opt.count("--fault-sessions N", "First sessions that have faults or are refused. [default: all]", minimum=0),
)
def fake_server(**options: Any) -> None:
    """Run a fake OpenAI- and Gemini-compatible server for tests.

    It needs no model. A recording of the task in --answers is answered with its target, in whatever format it is
    sent, and any other with a digest of it. A request without audio is answered with its last text.
    """
    serve(**options)


def serve(port: int, certificate: Path | None, **options: Any) -> None:
    """Serve until interrupted; an interrupt is the normal end."""
    from auricle.testing.fake_server.server import FakeServer

    server = FakeServer(build_script(**options), port=port, certificate=certificate)
    words = [options["answers"] or "demo", *(["--as", options["kind"]] if options["kind"] else [])]
    task = shlex.join([*words, *(word for argument in options["task_args"] for word in ("-T", argument))])
    with suppress(KeyboardInterrupt):
        try:
            asyncio.run(_serve_forever(server, task))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise SpecError(
                f"Port {port} is in use. Choose another with --port, or --port 0 for a free one."
            ) from error


def build_script(
    faults: Sequence[str],
    models: Sequence[str],
    answers: str | None,
    kind: str | None,
    task_args: Sequence[str],
    **options: Any,
) -> Script:
    """Return the script that the options describe."""
    from auricle.testing.fake_server.script import Script

    samples = _load_samples(answers or "demo", kind, task_args) if answers or kind or task_args else None
    session_options = {name: options.pop(name) for name in REALTIME_OPTIONS}
    shared_options = {name: options[name] for name in AUDIO_OPTIONS}
    realtime = build_realtime(**session_options, **shared_options)
    fault_shares = dict(map(_parse_fault, faults))
    return Script(faults=fault_shares, models=tuple(models), answers=samples, realtime=realtime, **options)


def build_realtime(
    realtime: bool,
    realtime_script: Path | None,
    spoken_answers: Sequence[str],
    transcripts: Sequence[str],
    session_faults: Sequence[str],
    **options: Any,
) -> RealtimeScript | None:
    """Return the script of realtime sessions; options override the file, but not its turns."""
    from auricle.testing.fake_server.realtime.script import build_realtime_script, load_realtime_script

    document = {
        name: value for name, value in options.items() if value is not None and value is not False and value != ()
    }
    if session_faults:
        document["faults"] = tuple(session_faults)
    pairs = zip_longest(spoken_answers, transcripts)
    names = ("answer", "transcript")
    turns = [{name: text for name, text in zip(names, pair, strict=True) if text is not None} for pair in pairs]
    if turns:
        document["turns"] = turns
    if realtime_script:
        return load_realtime_script(realtime_script, document)
    return build_realtime_script(document) if realtime else None


def _load_samples(task: str, kind: str | None, task_args: Sequence[str]) -> Iterable[Sample | RejectedRow]:
    """Return the samples of a task, after checking that its data can be read."""
    from auricle.api import build_task

    spec = opt.build_spec(task, None, {"kind": kind, "task_args": task_args, "model_args": ()})
    samples = build_task(spec.resolved()).samples
    if validate := getattr(samples, "validate", None):
        validate()
    return samples


def _parse_fault(text: str) -> tuple[str, float]:
    kind, _, fraction = text.partition("=")
    try:
        return kind, float(fraction)
    except ValueError as error:
        raise SpecError(f"--fault: {text!r} is not of the form KIND=FRACTION, such as 429=0.1.") from error


async def _serve_forever(server: FakeServer, task: str) -> None:
    await server.start()
    model = server.script.models[0] if server.script.models else "fake"
    echo(f"Listening at {server.url}; statistics at {server.url.removesuffix('/v1')}/stats.")
    echo(f"Try: auricle run {task} -m transcription -M base_url={server.url} -M model={model}")
    if server.script.realtime:
        echo(f"Realtime sessions: -m realtime or -m gemini-live, -M base_url={server.url} -M model={model}")
    echo("Press Ctrl-C to stop.")
    try:
        await asyncio.Event().wait()
    finally:
        await server.stop()


DIALECTS = ("openai", "openai-beta", "vllm", "gemini")
HEADER = ("check", "result", "explanation")


@click.command(cls=opt.GroupedCommand)
@click.argument("url")
@opt.option_group(
    "Server",
    opt.choice("--dialect", "Protocol to check.", DIALECTS, default="openai"),
    opt.text("--model-name", "Name of the model on the server.", default="default"),
    opt.text("--api-key-env", "Environment variable with the API key. [default: that of the protocol]"),
)
@opt.option_group(
    "Checks",
    opt.path("--audio", "Recording of a question, which the caller asks. [default: a bundled sentence]"),
    opt.number("--timeout", "Seconds to wait for a response.", above=True, default=20.0),
)
@opt.option_group("Output", opt.json_option)
def conformance(url: str, as_json: bool, **options: Any) -> None:
    """Check a realtime server against its protocol.

    URL is that of -M base_url, such as http://127.0.0.1:8000/v1. The server is checked in a few short calls, which take
    about a minute; a service may charge for them. Exits with 3 if something that the protocol requires is missing or
    wrong.
    """
    from auricle.testing.protocol_conformance.run import check_server

    try:
        report = check_server(url, **options)
    except SampleError as error:
        raise SpecError(f"The server cannot be checked: {error}") from error
    print_result(as_json, report.to_document(), _format(report))
    if not report.is_conformant:
        sys.exit(ExitStatus.FAILURES)


def _format(report: ConformanceReport) -> Iterator[str]:
    from auricle.report.text_table import format_table

    rows = [
        (check.name, check.outcome, f"{check.explanation}{' (optional)' if check.is_optional else ''}".strip())
        for check in report.checks
    ]
    yield from format_table(HEADER, rows)
    outcomes = [check.outcome for check in report.checks]
    counts = {outcome: outcomes.count(outcome) for outcome in dict.fromkeys(outcomes)}
    yield f"\n{', '.join(f'{count} {outcome}' for outcome, count in counts.items())}"
