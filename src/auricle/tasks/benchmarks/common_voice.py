"""Common Voice in any of its languages, and CoVoST 2, which translates its sentences."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from auricle.core.errors import DataError
from auricle.tasks.benchmarks.base import (
    Benchmark,
    Hub,
    Item,
    Items,
    Part,
    below,
    item,
    missing,
    table,
)

HUB_SPLITS = {"test": "test", "dev": "validation"}
BY_CHARACTER = ("zh", "yue", "ja", "th", "lo")


# --- Common Voice -----------------------------------------------------------------------------


def _read(root: Path, part: Part) -> Items:
    """A language's folder holds a TSV for each split, and `clips`."""
    language, name = part["language"], f"{part['split']}.tsv"
    folder = _language_folder(root, language, name)
    for row in table(folder / name, needs=("client_id", "path", "sentence")):
        if row.get("locale", language) not in (language, ""):
            raise DataError(
                f"{folder / name} is in {row['locale']}, not in {language}: "
                f"say so with -T language={row['locale']}."
            )
        yield _utterance(row, folder / "clips" / _clip(row["path"]))


def _language_folder(root: Path, language: str, name: str) -> Path:
    """Where a language lies: below a release, beside others, or in the folder that was given."""
    releases = sorted(each.parent for each in root.glob(f"cv-corpus-*/{language}/{name}"))
    for folder in (root / language, *reversed(releases), root):
        alone = folder == root and (root.name == language or not (root / language).exists())
        if (folder / name).exists() and (folder != root or alone):
            return folder
    there = sorted({each.parent.name for each in root.glob(f"**/{name}")})
    told = f" Languages there: {', '.join(there)}." if there else ""
    raise missing(root, f"{language}/{name}", told)


def _clip(path: str) -> str:
    """Older releases leave out the suffix."""
    return path if PurePath(path).suffix else f"{path}.mp3"


def _utterance(row: Mapping[str, Any], sound: object) -> Item:
    return item(
        PurePath(row["path"]).stem,
        sound,
        row["sentence"],
        speaker=row["client_id"],
        gender=row.get("gender") or "",
        age=row.get("age") or "",
        accent=row.get("accents") or row.get("accent") or "",
    )


def _settle(part: Part) -> dict[str, Any]:
    code = part["language"].partition("-")[0]
    return {"metrics": ("cer",)} if code in BY_CHARACTER else {}


COMMON_VOICE = Benchmark(
    name="common-voice",
    title="Common Voice",
    kind="asr",
    language="en",
    any_language=True,
    licence="CC0 1.0",
    source="commonvoice.mozilla.org/datasets",
    splits={"test": None, "dev": None},
    layout="cv-corpus-VERSION/en/test.tsv and cv-corpus-VERSION/en/clips/NAME.mp3",
    read=_read,
    hub=Hub(
        "fixie-ai/common_voice_17_0",
        "34f78a43893414e7b6e271ba94c1d5e05f18b239",
        at=lambda part: (part["language"], HUB_SPLITS[part["split"]]),
        item=lambda row: _utterance(row, row["audio"]),
    ),
    settle=_settle,
    asking={"cluster": "speaker"},
)


# --- CoVoST 2 ---------------------------------------------------------------------------------

INTO = "de tr fa sv-SE mn zh-CN cy ca sl et id ar ta lv ja"
FROM = "fr de es ca it ru zh-CN pt fa et mn nl tr ar sv-SE lv sl ta ja id cy"
PAIRS = (*(f"en_{each}" for each in INTO.split()), *(f"{each}_en" for each in FROM.split()))


def _read_translations(root: Path, part: Part) -> Items:
    """The TSV of one direction, split by the authors' script or whole, and Common Voice's clips."""
    pair = part["pair"]
    spoken, _, written = pair.partition("_")
    split, stem, tops = part["split"], f"covost_v2.{pair}", ("", f"{spoken}/")
    path = below(root, *(f"{top}{stem}{end}" for end in (f".{split}.tsv", ".tsv") for top in tops))
    clips = _clips(root, path.parent, spoken)
    for row in table(path, needs=("path", "translation"), escape="\\"):
        if row.get("split", split) == split:
            known = {"spoken": spoken, "written": written}
            yield _translated(row, clips / _clip(row["path"]), known)


def _clips(root: Path, beside: Path, spoken: str) -> Path:
    releases = sorted(root.glob(f"cv-corpus-*/{spoken}/clips"))
    for folder in (beside / "clips", root / "clips", root / spoken / "clips", *releases):
        if folder.is_dir():
            return folder
    raise missing(root, f"clips of Common Voice ({spoken}/clips)")


def _translated(row: Mapping[str, Any], sound: object, known: Mapping[str, Any]) -> Item:
    return item(
        PurePath(row.get("path") or row.get("id") or row["file"]).stem,
        sound,
        row["translation"],
        speaker=row.get("client_id", ""),
        sentence=row.get("sentence", ""),
        **known,
    )


def _settle_translation(part: Part) -> dict[str, Any]:
    """Chinese and Japanese are compared by character, as they were when this was published."""
    language = part["pair"].partition("_")[2].partition("-")[0]
    bleu = "bleu_char" if language in ("zh", "ja") else "bleu"
    return {"language": language, "metrics": (bleu, "chrf")}


COVOST_2 = Benchmark(
    name="covost2",
    title="CoVoST 2",
    kind="translate",
    licence="CC0 1.0",
    source="github.com/facebookresearch/covost",
    splits={"test": None, "dev": None},
    options={"pair": PAIRS},
    counts={
        f"{split}/{pair}": 15531
        for pair in PAIRS
        if pair.startswith("en_")
        for split in ("test", "dev")
    },
    layout="covost_v2.en_de.test.tsv (or covost_v2.en_de.tsv) and Common Voice 4's en/clips",
    read=_read_translations,
    hub=Hub(
        "fixie-ai/covost2",
        "17c8c81e331e7a6929118121771a58c7ef7331d8",
        at=lambda part: (part["pair"], HUB_SPLITS[part["split"]]),
        item=lambda row: _translated(row, row["audio"], {}),
        files="{config}/{split}-*.parquet",
    ),
    settle=_settle_translation,
    asking={"cluster": "speaker"},
)
