"""Results as text for the terminal."""

from auricle.report.terminal import format_table, to_one_line


def test_columns_are_aligned_and_empty_ones_omitted() -> None:
    lines = list(format_table(["name", "note", "n"], [["a", "", "1"], ["long", "", "22"]]))
    assert not any("note" in line for line in lines)
    assert len({len(line.rstrip()) for line in lines[1:2]}) == 1
    assert lines[-1].split() == ["long", "22"]


def test_a_message_with_control_characters_stays_on_one_line() -> None:
    assert to_one_line("first\nsecond\x1b[2J\tthird") == "first second [2J third"
