"""Common Voice, and CoVoST 2, which translates its sentences."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from auricle.core.errors import DataError
from auricle.tasks.benchmarks import base

BY_CHARACTER = ("zh", "yue", "ja", "th", "lo")


# --- Common Voice -----------------------------------------------------------------------------


def _read(root: Path, part: base.BenchmarkPart) -> base.Items:
    """Read a language's folder, with a TSV file per split and `clips`."""
    language, name = part["language"], f"{part['split']}.tsv"
    folder = _language_folder(root, language, name)
    for row in base.read_table(folder / name, required=("client_id", "path", "sentence")):
        if row.get("locale", language) not in (language, ""):
            raise DataError(
                f"{folder / name} is in {row['locale']!r}, not {language!r}. Set -T language={row['locale']}."
            )
        yield _make_utterance(row, folder / "clips" / _clip_file_name(row["path"]))


def _language_folder(root: Path, language: str, name: str) -> Path:
    """Find the folder of a language: below the root, in a release, or the root itself."""
    releases = sorted(path.parent for path in root.glob(f"cv-corpus-*/{language}/{name}"))
    for folder in (root / language, *reversed(releases), root):
        alone = folder == root and (root.name == language or not (root / language).exists())
        if (folder / name).exists() and (folder != root or alone):
            return folder
    languages = sorted({path.parent.name for path in root.glob(f"**/{name}")})
    hint = f" Languages in it: {', '.join(languages)}." if languages else ""
    raise base.not_found_error(root, f"{language}/{name}", hint)


def _clip_file_name(path: str) -> str:
    """Add the suffix that older releases leave out."""
    return path if PurePath(path).suffix else f"{path}.mp3"


def _make_utterance(row: Mapping[str, Any], audio: object) -> base.Item:
    return base.make_item(
        PurePath(row["path"]).stem,
        audio,
        row["sentence"],
        speaker=row["client_id"],
        gender=row.get("gender") or "",
        age=row.get("age") or "",
        accent=row.get("accents") or row.get("accent") or "",
    )


def _part_options(part: base.BenchmarkPart) -> dict[str, Any]:
    code = part["language"].partition("-")[0]
    return {"metrics": ("cer",)} if code in BY_CHARACTER else {}


COMMON_VOICE = base.Benchmark(
    **base.about("common-voice", "Common Voice", "asr", language="en", licence="CC0 1.0"),
    any_language=True,
    source="commonvoice.mozilla.org/datasets",
    citation="Ardila et al., LREC 2020",
    splits={"test": None, "dev": None},
    layout="cv-corpus-VERSION/en/test.tsv and cv-corpus-VERSION/en/clips/NAME.mp3",
    read=_read,
    hub=base.HubDataset(
        "fixie-ai/common_voice_17_0",
        "34f78a43893414e7b6e271ba94c1d5e05f18b239",
        locate=base.locate_language,
        convert_row=lambda row: _make_utterance(row, row["audio"]),
    ),
    part_options=_part_options,
    task_options={"cluster": "speaker"},
)


# --- CoVoST 2 ---------------------------------------------------------------------------------

TARGET_LANGUAGES = "de tr fa sv-SE mn zh-CN cy ca sl et id ar ta lv ja"
SOURCE_LANGUAGES = "fr de es ca it ru zh-CN pt fa et mn nl tr ar sv-SE lv sl ta ja id cy"
PAIRS = (*(f"en_{code}" for code in TARGET_LANGUAGES.split()), *(f"{code}_en" for code in SOURCE_LANGUAGES.split()))


def _read_translations(root: Path, part: base.BenchmarkPart) -> base.Items:
    """Read the TSV file of one direction, whole or split by the authors' script, and Common Voice's clips."""
    pair = part["pair"]
    spoken, _, written = pair.partition("_")
    split, stem, tops = part["split"], f"covost_v2.{pair}", ("", f"{spoken}/")
    path = base.find_below(root, *(f"{top}{stem}{end}" for end in (f".{split}.tsv", ".tsv") for top in tops))
    clips = _find_clips_folder(root, path.parent, spoken)
    for row in base.read_table(path, required=("path", "translation"), escape="\\"):
        if row.get("split", split) == split:
            meta = {"spoken": spoken, "written": written}
            yield _make_translation(row, clips / _clip_file_name(row["path"]), meta)


def _find_clips_folder(root: Path, table_folder: Path, spoken: str) -> Path:
    releases = sorted(root.glob(f"cv-corpus-*/{spoken}/clips"))
    for folder in (table_folder / "clips", root / "clips", root / spoken / "clips", *releases):
        if folder.is_dir():
            return folder
    raise base.not_found_error(root, f"Common Voice clips ({spoken}/clips)")


def _make_translation(row: Mapping[str, Any], audio: object, meta: Mapping[str, Any]) -> base.Item:
    return base.make_item(
        PurePath(row.get("path") or row.get("id") or row["file"]).stem,
        audio,
        row["translation"],
        speaker=row.get("client_id", ""),
        sentence=row.get("sentence", ""),
        **meta,
    )


def _translation_options(part: base.BenchmarkPart) -> dict[str, Any]:
    """Score Chinese and Japanese by character, as in the publication."""
    language = part["pair"].partition("_")[2].partition("-")[0]
    bleu = "bleu_char" if language in ("zh", "ja") else "bleu"
    return {"language": language, "metrics": (bleu, "chrf")}


COVOST_2 = base.Benchmark(
    **base.about("covost2", "CoVoST 2", "translate", licence="CC0 1.0"),
    source="github.com/facebookresearch/covost",
    citation="Wang et al., Interspeech 2021",
    splits={"test": None, "dev": None},
    options={"pair": PAIRS},
    counts={f"{split}/{pair}": 15531 for pair in PAIRS if pair.startswith("en_") for split in ("test", "dev")},
    layout="covost_v2.en_de.test.tsv (or covost_v2.en_de.tsv) and Common Voice 4's en/clips",
    read=_read_translations,
    hub=base.HubDataset(
        "fixie-ai/covost2",
        "17c8c81e331e7a6929118121771a58c7ef7331d8",
        locate=lambda part: (part["pair"], base.hub_split(part)),
        convert_row=lambda row: _make_translation(row, row["audio"], {}),
        files="{config}/{split}-*.parquet",
    ),
    part_options=_translation_options,
    task_options={"cluster": "speaker"},
)
