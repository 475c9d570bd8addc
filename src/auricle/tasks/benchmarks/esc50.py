"""ESC-50: fifty classes of environmental sounds in five folds."""

from __future__ import annotations

from pathlib import Path

from auricle.tasks.benchmarks import base
from auricle.tasks.benchmarks.label_folders import format_label
from auricle.tasks.benchmarks.tables import Values, convert_table

LABELS = (
    "dog", "rooster", "pig", "cow", "frog", "cat", "hen", "insects", "sheep", "crow",
    "rain", "sea_waves", "crackling_fire", "crickets", "chirping_birds", "water_drops", "wind",
    "pouring_water", "toilet_flush", "thunderstorm",
    "crying_baby", "sneezing", "clapping", "breathing", "coughing", "footsteps", "laughing",
    "brushing_teeth", "snoring", "drinking_sipping",
    "door_wood_knock", "mouse_click", "keyboard_typing", "door_wood_creaks", "can_opening",
    "washing_machine", "vacuum_cleaner", "clock_alarm", "clock_tick", "glass_breaking",
    "helicopter", "chainsaw", "siren", "car_horn", "engine", "train", "church_bells",
    "airplane", "fireworks", "hand_saw",
)  # fmt: skip
"""In the order of their numbers; every ten form one group."""
GROUPS = ("animals", "nature", "human", "interior", "exterior")


def _read(root: Path, part: base.BenchmarkPart) -> base.Items:
    folder = base.find_below(root, "ESC-50-master", "ESC-50", "")
    table = base.find_below(folder, "meta/esc50.csv")

    def convert(row: Values) -> base.Item | None:
        if part["split"] not in ("all", f"fold{row['fold']}"):
            return None
        return _convert_row({**row, "audio": folder / "audio" / row["filename"]})

    return convert_table(table, convert)


def _convert_row(row: Values) -> base.Item:
    label = row["category"]
    group = GROUPS[LABELS.index(label) // 10] if label in LABELS else ""
    name = Path(row["filename"]).stem
    return base.make_item(name, row["audio"], format_label(label), fold=str(row["fold"]), group=group)


ESC50 = base.Benchmark(
    **base.about("esc50", "ESC-50", "classify", licence="CC BY-NC 3.0"),
    source="github.com/karolpiczak/ESC-50",
    splits={"all": 2000, **{f"fold{number}": 400 for number in range(1, 6)}},
    layout="meta/esc50.csv and audio/1-100032-A-0.wav",
    read=_read,
    hub=base.HubDataset(
        "ashraq/esc50",
        "4005892498c64d7a9f4c09886414b065cb6bb61a",
        locate=lambda _part: (None, "train"),
        convert_row=_convert_row,
        row_filter=lambda part: {} if part["split"] == "all" else {"fold": int(part["split"][-1])},
    ),
    task_options={
        "labels": [format_label(label) for label in LABELS],
        "question": "Which environmental sound is this?",
        "by": ["group", "fold"],
    },
)
