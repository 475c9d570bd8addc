"""Results that print as a short table."""

from auricle.core.result_table import ResultTable


def test_a_long_result_states_how_many_rows_are_not_shown() -> None:
    class Long(ResultTable):
        def list_rows(self) -> list[dict[str, object]]:
            return [{"value": n / 100, "unit": "share", "name": "<b>"} for n in range(100)]

    assert len(repr(Long()).splitlines()) <= 20
    assert "… and 85 more rows" in repr(Long())
    assert "14.00 %" in repr(Long())
    assert "<b>" not in Long()._repr_html_()
