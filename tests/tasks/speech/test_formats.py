"""Lists of seed-tts-eval."""

from pathlib import Path

from auricle.core.types import RejectedRow
from auricle.data.file_formats import Row, read_rows


def test_lines_of_seed_tts_eval_have_four_or_five_cells(tmp_path: Path) -> None:
    path = tmp_path / "meta.lst"
    path.write_text("\ufeffa|Hi.|p/a.wav|Good morning.\n\nb|Hi.|p/b.wav|Yes.|w/b.wav\nc|d\n", encoding="utf-8")
    first, second, broken = read_rows(path)
    assert isinstance(first, Row)
    assert isinstance(second, Row)
    assert first.values == {"id": "a", "prompt_text": "Hi.", "prompt_audio": "p/a.wav", "text": "Good morning."}
    assert second.values["reference"] == "w/b.wav"
    assert isinstance(broken, RejectedRow)
    assert broken.reason == "expected id|prompt text|prompt audio|text, or also |reference, but got 2 cells"
