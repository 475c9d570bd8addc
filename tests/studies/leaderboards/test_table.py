"""Many runs as one table: like below like, the best in bold, and ways to take it away."""

import csv
import io
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle import Spec, evaluate
from auricle.core.signature import Signature
from auricle.runs.metrics import Metrics, ModelFacts, Number, TaskFacts, Throughput, Usage
from auricle.studies.leaderboards.table import Rank, _escape_markdown, build_leaderboard


def number(
    metric: str = "wer", value: float = 0.1, signature: str = "", scored: int = 9, total: int = 10, failed: int = 1
) -> Number:
    return Number(
        metric=metric,
        title=metric.upper(),
        details={},
        value=value,
        low=value - 0.01,
        high=value + 0.01,
        scored=scored,
        total=total,
        failed=failed,
        unit="share",
        higher_is_better=False,
        signature=Signature.parse(signature or f"asr:1|data@1|Respond#1|{metric}:1.basic|m|auricle 1"),
    )


def document(name: str = "m", *numbers: Number, **fields: Any) -> Metrics:
    return Metrics(
        **{
            "task": TaskFacts("asr"),
            "model": ModelFacts(name),
            "numbers": numbers or (number(),),
            "complete": True,
            "created": "2026-01-01",
            "speed": Throughput(wall_seconds=1.0, samples=9, throughput=50.0, rtfx=12.5),
            **fields,
        }
    )


def signed(signature: str) -> Number:
    return number(signature=signature)


def test_runs_of_one_task_share_a_column_best_first() -> None:
    made = build_leaderboard([("a", document("worse", number(value=0.3))), ("b", document("better"))])
    assert [row.model for row in made.rows] == ["better", "worse"]
    (column,) = made.columns
    assert made.best(column) == 0.1


@pytest.mark.parametrize(
    "other",
    [
        "asr:2|data@1|Respond#1|wer:1.basic|m|auricle 1",
        "asr:1|data@2|Respond#1|wer:1.basic|m|auricle 1",
        "asr:1|data@1|Respond#2|wer:1.basic|m|auricle 1",
        "asr:1|data@1|Respond#1|wer:1.english|m|auricle 1",
    ],
)
def test_what_cannot_be_compared_has_columns_of_its_own(other: str) -> None:
    made = build_leaderboard([("a", document("m")), ("b", document("n", signed(other)))])
    assert len(made.columns) == 2


def test_runs_asked_in_other_ways_can_share_a_column() -> None:
    other = signed("asr:1|data@1|Measure#9|wer:1.basic|m|auricle 1")
    runs = [("a", document("m")), ("b", document("n", other))]
    assert len(build_leaderboard(runs, split_by_prompt=False).columns) == 1


def test_the_newest_of_equal_runs_stands_for_them() -> None:
    older = document("m", number(value=0.5), created="2025")
    made = build_leaderboard([("new", document("m")), ("old", older)])
    assert [cell.run for row in made.rows for cell in row.cells.values()] == ["new"]
    assert made.replaced_count == 1


def test_models_with_other_arguments_are_other_rows() -> None:
    small = document("m", model=ModelFacts("m", {"size": "small"}))
    made = build_leaderboard([("a", document("m")), ("b", small)])
    assert {row.title for row in made.rows} == {"m", "m (size=small)"}


def test_by_default_only_the_first_metric_of_a_task_is_shown() -> None:
    runs = [("a", document("m", number("wer"), number("cer")))]
    assert len(build_leaderboard(runs).columns) == 1
    assert len(build_leaderboard(runs, all_metrics=True).columns) == 2


def test_an_unfinished_run_is_never_the_best() -> None:
    runs = [("a", document("m", complete=False)), ("b", document("n", number(value=0.4)))]
    made = build_leaderboard(runs)
    assert made.best(made.columns[0]) == 0.4
    assert "10.00 % (9.00 – 11.00 %, 90.0 % covered, unfinished)" in made.to_markdown()


def test_complete_runs_are_ranked_and_equal_values_share_a_rank() -> None:
    values = {"a": 0.1, "b": 0.2, "c": 0.2, "d": 0.3}
    runs = [(name, document(name, number(value=value))) for name, value in values.items()]
    made = build_leaderboard([*runs, ("e", document("e", number(value=0.0), complete=False))])
    ranks = {row.model: cell.rank for row in made.rows for cell in row.cells.values()}
    assert {name: rank.text if rank else None for name, rank in ranks.items()} == {
        "a": "1 of 4",
        "b": "=2 of 4",
        "c": "=2 of 4",
        "d": "4 of 4",
        "e": None,
    }
    assert [result["rank"] for result in made.list_results()] == [1, 2, 2, 4, None]  # ranked results come first


@pytest.mark.parametrize(
    ("optimum", "best", "ranks"),
    [("", -0.2, {"early": 1, "exact": 2, "late": 3}), ("zero", 0.01, {"exact": 1, "late": 2, "early": 3})],
)
def test_a_metric_that_is_best_at_zero_is_ranked_by_its_distance(optimum: str, best: float, ranks: Any) -> None:
    values = {"early": -0.2, "exact": 0.01, "late": 0.1}
    runs = [
        (name, document(name, replace(number("start_bias", value), optimum=optimum))) for name, value in values.items()
    ]
    made = build_leaderboard(runs)
    assert made.best(made.columns[0]) == best
    assert {row.model: cell.rank.place for row in made.rows for cell in row.cells.values() if cell.rank} == ranks
    assert [row.model for row in made.rows] == list(ranks)


def test_a_metric_without_a_direction_has_no_best_and_no_ranks() -> None:
    runs = [
        (name, document(name, replace(number(value=value), optimum="none"))) for name, value in (("a", 0.1), ("b", 0.2))
    ]
    made = build_leaderboard(runs)
    assert made.best(made.columns[0]) is None
    assert not [cell for row in made.rows for cell in row.cells.values() if cell.rank]
    assert "↓" not in made.to_markdown()
    assert "**" not in made.to_markdown()


@pytest.mark.parametrize(
    ("rank", "shown"),
    [
        (Rank(2, True, 5), "place =2 of 5"),
        (Rank(2, False, 5, 1, 3), "rank 1 – 3 of 5"),
        (Rank(1, False, 5, 1, 1), "rank 1 of 5"),
    ],
)
def test_a_rank_is_shown_as_a_range_if_the_data_was_drawn_again(rank: Rank, shown: str) -> None:
    assert rank.summary == shown


def test_only_runs_with_the_same_coverage_are_ranked_together() -> None:
    runs = [
        ("full", document("full", number(value=0.3, scored=10, total=10, failed=0))),
        ("other", document("other", number(value=0.4, scored=10, total=10, failed=0))),
        ("failed", document("failed", number(value=0.1, scored=9, total=10, failed=1))),
        ("limited", document("limited", number(value=0.2, scored=5, total=5, failed=0))),
    ]
    made = build_leaderboard(runs)
    ranks = {row.model: cell.rank and cell.rank.text for row in made.rows for cell in row.cells.values()}
    assert ranks == {"full": "1 of 2", "other": "2 of 2", "failed": None, "limited": None}
    assert made.best(made.columns[0]) == 0.3
    assert "**30.00 %**" in made.to_markdown()


def test_runs_that_all_fail_on_as_many_samples_are_ranked() -> None:
    numbers = {"a": number(value=0.1, failed=1), "b": number(value=0.2, failed=1)}
    made = build_leaderboard([(name, document(name, value)) for name, value in numbers.items()])
    assert [cell.rank and cell.rank.place for cell in made.list_cells(made.columns[0])] == [1, 2]


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(cost=2.5, currency="USD", samples_without_cost=0), 2.5),
        (Usage(cost=2.5, currency="USD", samples_without_cost=1), None),
        (Usage(cost=2.5, currency="USD", samples_without_cost=0, cached=1), None),
        (Usage(), None),
    ],
)
def test_costs_are_those_of_all_samples_or_unknown(usage: Usage, cost: float | None) -> None:
    (result,) = build_leaderboard([("a", document("m", usage=usage))]).list_results()
    assert (result["cost"], result["currency"]) == (cost, "USD" if cost else None)


def test_numbers_without_a_signature_are_left_out() -> None:
    assert build_leaderboard([("a", document("m", signed("not a signature")))]).columns == ()


def test_a_spreadsheet_has_a_line_a_number() -> None:
    (row,) = csv.DictReader(io.StringIO(build_leaderboard([("a/b", document("=HYPERLINK(1)"))]).to_csv()))
    assert (row["value"], row["coverage"], row["throughput"], row["rtfx"]) == ("0.1", "0.9", "50.0", "12.5")
    assert (row["run"], row["signature"][:5]) == ("a/b", "asr:1")
    assert row["model"] == "'=HYPERLINK(1)"


def test_markdown_shows_names_to_the_letter_and_the_best_in_bold() -> None:
    output = build_leaderboard([("a", document("a|b <i>*c*")), ("b", document("n", number(value=0.4)))])
    lines = output.to_markdown().splitlines()
    assert lines[0] == "| Model | asr WER ↓ | Throughput | Speed of one request |"
    assert lines[1] == "| --- | ---: | ---: | ---: |"
    assert lines[2].startswith(r"| a\|b \<i\>\*c\* | **10.00 %** (9.00 – 11.00 %, 90.0 % covered)")
    assert "**40.00" not in lines[3]


def test_latex_escapes_what_it_would_obey() -> None:
    output = build_leaderboard([("a", document("a_b & 100% $x$ \\input{y}"))]).to_latex()
    assert r"a\_b \& 100\% \$x\$ \textbackslash{}input\{y\}" in output
    assert r"\textbf{10.00 \%} (9.00 -- 11.00 \%, 90.0 \% covered)" in output
    assert output.startswith("\\begin{tabular}{lrrr}\n\\toprule\n")
    assert "asr WER $\\downarrow$ & Throughput & Speed of one request" in output


def test_nothing_makes_an_empty_table() -> None:
    made = build_leaderboard([])
    assert made.rows == ()
    assert made.to_csv().count("\n") == 1


def test_the_command_prints_a_table(auricle: Any, manifest: Any) -> None:
    data = manifest([{"id": "1", "question": "yes", "answer": "yes"}])
    assert auricle("run", data, "--as", "qa", "-m", "echo", "-o", "run").returncode == 0
    output = auricle("leaderboard", "run")
    assert output.returncode == 0, output.stderr
    assert output.stdout.startswith("| Model | qa-mine Exact match ↑ | Throughput | Speed of one request |\n")
    assert "| echo | **100.00 %†** (" in output.stdout


@pytest.mark.parametrize(
    ("other", "titles"),
    [
        ("asr:1|data@1|Respond#1|wer:1.none:1|m|a", ["asr WER ↓ (basic)", "asr WER ↓ (none)"]),
        ("asr:1|data@2|Respond#1|wer:1.basic:1|m|a", ["asr WER ↓ (data@1)", "asr WER ↓ (data@2)"]),
        ("asr:1|data@1|Respond#2|wer:1.basic:1|m|a", ["asr WER ↓ (Respond#1)", "asr WER ↓ (Respond#2)"]),
        ("asr:1|data@1|Respond#1|wer:2.basic:1|m|a", ["asr WER ↓ (wer:1.basic:1)", "asr WER ↓ (wer:2.basic:1)"]),
        ("asr:1|data@1|Respond#1|wer:1.basic:1|n|a", ["asr WER ↓"]),
    ],
)
def test_titles_of_columns_state_what_differs_between_them(other: str, titles: list[str]) -> None:
    first = signed("asr:1|data@1|Respond#1|wer:1.basic:1|m|a")
    board = build_leaderboard([("a", document("m", first)), ("b", document("n", signed(other)))])
    assert [board.column_titles()[column] for column in board.columns] == titles
    assert all(title in board.to_latex().replace("$\\downarrow$", "↓").replace("\\#", "#") for title in titles)


def test_titles_of_columns_are_all_different() -> None:
    signatures = [
        f"asr:1|{data}|Respond#1|wer:{version}.{profile}:1|m|a"
        for data in ("", "data@1")
        for version in (1, 2)
        for profile in ("basic", "none")
    ]
    board = build_leaderboard((f"run {at}", document("m", signed(text))) for at, text in enumerate(signatures))
    assert len({*board.column_titles().values()}) == len(signatures)


def test_numbers_of_one_signature_share_a_column_though_their_titles_differ() -> None:
    renamed = replace(number(value=0.2), title="Word error rate")
    assert len(build_leaderboard([("a", document("m")), ("b", document("n", renamed))]).columns) == 1


def test_two_metrics_of_one_signature_have_their_names_in_the_titles() -> None:
    other = replace(number(value=0.2), metric="wer@basic")
    board = build_leaderboard([("a", document("m", number(), other))], all_metrics=True)
    assert [*board.column_titles().values()] == ["asr WER ↓ (wer)", "asr WER ↓ (wer@basic)"]


def test_columns_have_the_same_order_in_every_process() -> None:
    numbers = [replace(number(), metric=f"wer@{name}") for name in "edcba"]
    board = build_leaderboard([("a", document("m", *numbers))], all_metrics=True)
    assert [column.name for column in board.columns] == [f"wer@{name}" for name in "abcde"]


def test_numbers_that_are_not_finite_are_shown_as_missing_and_not_ranked() -> None:
    values = (0.1, math.nan, math.inf)
    made = build_leaderboard((str(value), document(str(value), number(value=value))) for value in values)
    assert {row.model: row.cells[made.columns[0]].text for row in made.rows} == {
        "0.1": "10.00 %",
        "nan": "–",
        "inf": "–",
    }
    assert [result["rank"] for result in made.list_results()] == [1, None, None]


def test_a_data_file_and_its_task_file_share_a_column(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("question,answer\na,a\nb,c\n")
    (tmp_path / "named.yaml").write_text("kind: qa\ndata: mine.csv\n")
    specs = [
        Spec(task=str(tmp_path / "mine.csv"), kind="qa", model="echo"),
        Spec(task=str(tmp_path / "named.yaml"), model="echo", model_args={"reply": "a"}),
    ]
    runs = [(str(n), evaluate(spec, tmp_path / str(n)).metrics) for n, spec in enumerate(specs)]
    board = build_leaderboard([(name, metrics) for name, metrics in runs if metrics])
    assert len(board.columns) == 1
    assert len(board.rows) == 2
    other = [(name, replace(metrics, task=replace(metrics.task, source=""))) for name, metrics in runs if metrics]
    assert len(build_leaderboard(other).columns) == 2  # nothing is known of their rows


def test_underscores_within_words_are_not_escaped_in_markdown() -> None:
    assert _escape_markdown("macro_f1 _x_ a|b") == r"macro_f1 \_x\_ a\|b"
