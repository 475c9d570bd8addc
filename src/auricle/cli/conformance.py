"""`auricle conformance`: check a realtime server against its protocol."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import print_result
from auricle.core.errors import ExitStatus, SampleError, SpecError

if TYPE_CHECKING:
    from auricle.testing.protocol_conformance.report import ConformanceReport

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
