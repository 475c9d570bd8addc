from auricle.interop.cmi.result_tables import Result, build_detail, build_summary
from auricle.tasks.benchmarks.cmi import Evaluation


def result(preferred: str, month: str) -> Result:
    source = f"Music Arena ['{month}']"
    row = {"predicted_preference": "model_a", "source": source, "audio-path": f"audio_files/{month}/x-a.mp3"}
    return Result(row, "MusicArena", {"preference": preferred})


def test_the_summary_counts_correct_choices() -> None:
    results = [result("a", "01-2025JULAUG"), result("b", "01-2025JULAUG")]
    (row,) = build_summary(results, Evaluation())
    assert (row["dataset"], row["n"], row["ACC"]) == ("MusicArena", 2, 0.5)


def test_the_detail_can_leave_out_months() -> None:
    results = [result("a", "01-2025JULAUG")]
    groups = {row["group_key"] for row in build_detail(results, Evaluation(musicarena_by_month=False))}
    assert "month" not in groups
