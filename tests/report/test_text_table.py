"""Tables of text that fit the terminal."""

import sys
from collections.abc import Iterator

import pytest

from auricle.cli import main
from auricle.cli.output import echo
from auricle.core.terminal import SCREEN, Screen
from auricle.report.text_table import format_table

HEADER = ("model", "metric", "profile", "group", "value", "95 % interval", "method", "n", "coverage", "notes")
ROWS = [
    (
        f"an-audio-model-{size}",
        "wer ↓",
        "whisper-en+spelled",
        f"speaker={name}",
        f"{value:.2f} %",
        "15.34 % … 33.42 %",
        "gamma, 16 sentences",
        "1480",
        "100 %",
        notes,
    )
    for size, name, value, notes in (
        ("large-v3-turbo-with-a-long-name", "a", 23.11, "S 89 D 14 I 10, 3 failed (bounds 20.1 % … 29.9 %), 2 empty"),
        ("small", "bob", 8.5, ""),
    )
]


@pytest.fixture(params=[80, 100, 140])
def screen(request: pytest.FixtureRequest) -> Iterator[Screen]:
    """A terminal of this width."""
    screen = Screen(request.param)
    token = SCREEN.set(screen)
    yield screen
    SCREEN.reset(token)


def test_a_table_fits_and_names_what_is_left_out(screen: Screen) -> None:
    lines = format_table(HEADER, ROWS)
    assert max(map(len, lines)) <= screen.width
    text = "\n".join(lines)
    for at, title in enumerate(HEADER[1:], 1):
        shown = [word in text for row in ROWS for word in row[at].split()]
        assert any(shown) if title not in screen.left_out else title not in text
        assert all(shown) or title in screen.left_out


def test_the_first_columns_left_out_explain_others(screen: Screen) -> None:
    format_table(HEADER, ROWS)
    assert set(screen.left_out) <= {"method", "profile", "coverage", "n"}
    assert next(iter(screen.left_out), "method") == "method"


def test_columns_without_space_follow_in_further_tables(screen: Screen) -> None:
    header = ("model", *(f"task {number}" for number in range(12)))
    rows = [(name, *(f"{number}.00 % (0.10 – 99.90 %)" for number in range(12))) for name in ("a", "b")]
    lines = format_table(header, rows, numeric=header[1:])
    assert max(map(len, lines)) <= screen.width
    assert sum(line.startswith("model") for line in lines) > 1
    assert all(cell in "\n".join(lines) for row in rows for cell in row)
    assert not screen.left_out


def test_a_further_table_has_the_names_of_its_rows_and_no_empty_rows(screen: Screen) -> None:
    header = ("family", "model", *(f"level {number}" for number in range(9)), "95 % interval")
    levels, interval = [f"{number} kbit/s" for number in range(9)], "≥" * (screen.width - 20)
    rows = [("noise", "", *levels, ""), ("", "a", *levels, f"{interval}A"), ("", "b", *levels, f"{interval}B")]
    lines = format_table(header, rows)
    *_, rule, first, second = lines
    assert max(map(len, lines)) <= screen.width
    assert set(rule) == {"─", " "}
    assert (first.split()[:2], second.split()[:2]) == (["noise", "a"], ["noise", "b"])


def test_a_narrow_table_stays_as_it_is(screen: Screen) -> None:
    header, rows = HEADER[:2], [row[:2] for row in ROWS]
    lines = format_table(header, rows)
    SCREEN.set(None)
    assert format_table(header, rows) == lines


def test_files_and_pipes_get_all_columns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert Screen.find() is None
    (header, *_) = format_table(HEADER, ROWS)
    assert header.split("  ")[-1] == "notes"


@pytest.mark.parametrize(("words", "is_cut"), [((), True), (("--wide",), False)])
def test_a_command_names_what_is_left_out_once(
    words: tuple[str, ...], is_cut: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(arguments: list[str], **_settings: object) -> None:
        assert arguments == ["show", "run"]
        for _ in ("one table", "another"):
            echo("\n".join(format_table(HEADER, ROWS)))

    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "argv", ["auricle", "show", *words, "run"])
    monkeypatch.setattr("auricle.cli.cli", command)
    try:
        main()
    finally:
        SCREEN.set(None)
    shown, messages = capsys.readouterr()
    assert (max(map(len, shown.splitlines())) <= 80) is is_cut
    assert messages.count("--wide") == is_cut
