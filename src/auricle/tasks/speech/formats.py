"""Read the lists of seed-tts-eval: texts to speak with the voices of recordings."""

from __future__ import annotations

from auricle.core.errors import SampleError
from auricle.data.data_files import DataFile, open_data_file
from auricle.data.file_formats import Row, Rows, convert_row

SEED_TTS_COLUMNS = ("id", "prompt_text", "prompt_audio", "text", "reference")


def read_seed_tts(path: DataFile) -> Rows:
    """Yield the lines of a file of seed-tts-eval: `id|prompt text|prompt audio|text`, and maybe `|reference`."""
    with open_data_file(path) as lines:
        for number, line in enumerate(lines, 1):
            origin = f"{path.name}:{number}"
            if not line.isspace():
                yield convert_row(origin, _parse_line, origin, line)


def _parse_line(origin: str, line: bytes) -> Row:
    cells = [cell.strip() for cell in line.decode("utf-8-sig").split("|")]
    if not len(SEED_TTS_COLUMNS) - 1 <= len(cells) <= len(SEED_TTS_COLUMNS):
        raise SampleError(f"expected id|prompt text|prompt audio|text, or also |reference, but got {len(cells)} cells")
    return Row(origin, {name: cell for name, cell in zip(SEED_TTS_COLUMNS, cells, strict=False) if cell})
