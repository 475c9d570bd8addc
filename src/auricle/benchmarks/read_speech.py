"""Read speech: LibriSpeech, FLEURS, Common Voice, CoVoST 2 (its translations), AISHELL-1 and AISHELL-2."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from auricle.benchmarks import base, sources
from auricle.core.errors import DataError


def _score_by_character(language: str) -> dict[str, Any]:
    """Return the options of a language: the usual metric for Chinese is the character error rate alone."""
    return {"metrics": ("cer",)} if language in ("zh", "yue") else {}


# --- LibriSpeech: English audiobooks, clean and other ------------------------------------------


def _read_librispeech(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read `SPEAKER-CHAPTER.trans.txt`, beside the FLAC files of each chapter."""
    split = part["split"]
    folder = root if root.name == split else sources.find_below(root, f"LibriSpeech/{split}", split)
    for transcript in sorted(folder.glob("*/*/*.trans.txt")):
        for line in sources.read_lines(transcript):
            name, _, text = line.partition(" ")
            speaker, chapter, _ = name.split("-")
            audio = transcript.with_name(f"{name}.flac")
            yield base.make_item(name, audio, text, speaker=speaker, chapter=chapter)


def _convert_librispeech_row(row: Mapping[str, Any]) -> sources.Item:
    speaker, chapter = str(row["speaker_id"]), str(row["chapter_id"])
    return base.make_item(row["id"], row["audio"], row["text"], speaker=speaker, chapter=chapter)


def _librispeech_config(part: sources.BenchmarkPart) -> tuple[str, str]:
    split, _, config = part["split"].partition("-")
    return config, {"dev": "validation"}.get(split, split)


LIBRISPEECH = base.Benchmark(
    **base.about("librispeech", "LibriSpeech", "asr", language="en", licence="CC BY 4.0"),
    source="openslr.org/12",
    citation="Panayotov et al., ICASSP 2015",
    splits={"test-clean": 2620, "test-other": 2939, "dev-clean": 2703, "dev-other": 2864},
    layout="LibriSpeech/test-clean/SPEAKER/CHAPTER/SPEAKER-CHAPTER.trans.txt",
    read=_read_librispeech,
    hub=base.HubDataset(
        "openslr/librispeech_asr",
        "71cacbfb7e2354c4226d01e70d77d5fca3d04ba1",
        locate=_librispeech_config,
        convert_row=_convert_librispeech_row,
        files="{config}/{split}/*.parquet",
    ),
    task_options={"cluster": "speaker"},
)


# --- FLEURS: the same Wikipedia sentences read in 102 languages --------------------------------

FLEURS_CODES = (
    "en_us cmn_hans_cn af_za am_et ar_eg as_in ast_es az_az be_by bg_bg bn_in bs_ba ca_es ceb_ph "
    "ckb_iq cs_cz cy_gb da_dk de_de el_gr es_419 et_ee fa_ir ff_sn fi_fi fil_ph fr_fr ga_ie gl_es "
    "gu_in ha_ng he_il hi_in hr_hr hu_hu hy_am id_id ig_ng is_is it_it ja_jp jv_id ka_ge kam_ke "
    "kea_cv kk_kz km_kh kn_in ko_kr ky_kg lb_lu lg_ug ln_cd lo_la lt_lt luo_ke lv_lv mi_nz mk_mk "
    "ml_in mn_mn mr_in ms_my mt_mt my_mm nb_no ne_np nl_nl nso_za ny_mw oc_fr om_et or_in pa_in "
    "pl_pl ps_af pt_br ro_ro ru_ru sd_in sk_sk sl_si sn_zw so_so sr_rs sv_se sw_ke ta_in te_in "
    "tg_tj th_th tr_tr uk_ua umb_ao ur_pk uz_uz vi_vn wo_sn xh_za yo_ng yue_hant_hk zu_za"
)
FLEURS_LANGUAGES: Mapping[str, str] = {
    code: {"cmn": "zh"}.get(code.partition("_")[0], code.partition("_")[0]) for code in FLEURS_CODES.split()
}
FLEURS_COLUMNS = ("id", "file", "raw", "text", "letters", "samples", "gender")
FLEURS_GENDERS = ("male", "female")
"""Meaning of the numbers 0 and 1 on Hugging Face; other numbers mean unknown."""


def _read_fleurs(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read a TSV file without a header, beside folders of WAV files."""
    language, split = part["language"], part["split"]
    table = sources.find_below(root, f"data/{language}/{split}.tsv", f"{language}/{split}.tsv", f"{split}.tsv")
    audio_folder = sources.find_below(table.parent, f"audio/{split}", split)
    for row in sources.read_table(table, FLEURS_COLUMNS):
        yield base.make_item(
            PurePath(row["file"]).stem,
            audio_folder / row["file"],
            row["text"],
            sentence=row["id"],
            gender=row["gender"].lower(),
            raw_text=row["raw"],
        )


def _convert_fleurs_row(row: Mapping[str, Any]) -> sources.Item:
    gender = row.get("gender")
    return base.make_item(
        PurePath(row["audio"].get("path") or row["path"]).stem,
        row["audio"],
        row["transcription"],
        sentence=str(row["id"]),
        gender=FLEURS_GENDERS[gender] if gender in (0, 1) else "",
        raw_text=row.get("raw_transcription", ""),
    )


FLEURS = base.Benchmark(
    **base.about("fleurs", "FLEURS", "asr", language="en_us", licence="CC BY 4.0"),
    languages=FLEURS_LANGUAGES,
    source="huggingface.co/datasets/google/fleurs",
    citation="Conneau et al., SLT 2022",
    splits={"test": None, "dev": None},
    counts={"test/en_us": 647, "test/cmn_hans_cn": 945},
    layout="en_us/test.tsv and en_us/audio/test/NUMBER.wav, for any of its languages",
    read=_read_fleurs,
    hub=base.HubDataset("google/fleurs", "refs/convert/parquet", base.locate_language, _convert_fleurs_row),
    part_options=lambda part: _score_by_character(FLEURS_LANGUAGES[part["language"]]),
    task_options={"cluster": "sentence"},
)


# --- Common Voice: read sentences in many languages -------------------------------------------


def _read_common_voice(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read a language's folder, with a TSV file per split and `clips`."""
    language, name = part["language"], f"{part['split']}.tsv"
    folder = _language_folder(root, language, name)
    for row in sources.read_table(folder / name, required=("client_id", "path", "sentence")):
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
    raise sources.not_found_error(root, f"{language}/{name}", hint)


def _clip_file_name(path: str) -> str:
    """Add the suffix that older releases leave out."""
    return path if PurePath(path).suffix else f"{path}.mp3"


def _make_utterance(row: Mapping[str, Any], audio: object) -> sources.Item:
    return base.make_item(
        PurePath(row["path"]).stem,
        audio,
        row["sentence"],
        speaker=row["client_id"],
        gender=row.get("gender") or "",
        age=row.get("age") or "",
        accent=row.get("accents") or row.get("accent") or "",
    )


COMMON_VOICE = base.Benchmark(
    **base.about("common-voice", "Common Voice", "asr", language="en", licence="CC0 1.0"),
    any_language=True,
    source="commonvoice.mozilla.org/datasets",
    citation="Ardila et al., LREC 2020",
    splits={"test": None, "dev": None},
    layout="cv-corpus-VERSION/en/test.tsv and cv-corpus-VERSION/en/clips/NAME.mp3",
    read=_read_common_voice,
    hub=base.HubDataset(
        "fixie-ai/common_voice_17_0",
        "34f78a43893414e7b6e271ba94c1d5e05f18b239",
        locate=base.locate_language,
        convert_row=lambda row: _make_utterance(row, row["audio"]),
    ),
    part_options=lambda part: _score_by_character(part["language"].partition("-")[0]),
    task_options={"cluster": "speaker"},
)


# --- CoVoST 2: translations of Common Voice ---------------------------------------------------

TARGET_LANGUAGES = "de tr fa sv-SE mn zh-CN cy ca sl et id ar ta lv ja"
SOURCE_LANGUAGES = "fr de es ca it ru zh-CN pt fa et mn nl tr ar sv-SE lv sl ta ja id cy"
PAIRS = (*(f"en_{code}" for code in TARGET_LANGUAGES.split()), *(f"{code}_en" for code in SOURCE_LANGUAGES.split()))


def _read_translations(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read the TSV file of one direction, whole or split by the authors' script, and Common Voice's clips."""
    pair = part["pair"]
    spoken, _, written = pair.partition("_")
    split, stem, tops = part["split"], f"covost_v2.{pair}", ("", f"{spoken}/")
    path = sources.find_below(root, *(f"{top}{stem}{end}" for end in (f".{split}.tsv", ".tsv") for top in tops))
    clips = _find_clips_folder(root, path.parent, spoken)
    for row in sources.read_table(path, required=("path", "translation"), escape="\\"):
        if row.get("split", split) == split:
            meta = {"spoken": spoken, "written": written}
            yield _make_translation(row, clips / _clip_file_name(row["path"]), meta)


def _find_clips_folder(root: Path, table_folder: Path, spoken: str) -> Path:
    releases = sorted(root.glob(f"cv-corpus-*/{spoken}/clips"))
    for folder in (table_folder / "clips", root / "clips", root / spoken / "clips", *releases):
        if folder.is_dir():
            return folder
    raise sources.not_found_error(root, f"Common Voice clips ({spoken}/clips)")


def _make_translation(row: Mapping[str, Any], audio: object, meta: Mapping[str, Any]) -> sources.Item:
    return base.make_item(
        PurePath(row.get("path") or row.get("id") or row["file"]).stem,
        audio,
        row["translation"],
        speaker=row.get("client_id", ""),
        sentence=row.get("sentence", ""),
        **meta,
    )


def _translation_options(part: sources.BenchmarkPart) -> dict[str, Any]:
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


# --- AISHELL-1 and AISHELL-2: read Mandarin ---------------------------------------------------

AISHELL_2_CHANNELS: Mapping[str, tuple[str, ...]] = {
    "ios": ("iOS", "IOS", "ios"),
    "android": ("Android", "android"),
    "mic": ("Mic", "MIC", "mic"),
}
"""Spellings of AISHELL-2's channel folders in its releases."""
SPEAKER_PATTERN = re.compile(r"S\d{4}")
"""The speaker in an utterance id of AISHELL-1: BAC009S0764W0121 is in the folder S0764."""
AISHELL_2_SPLITS = {"test": 5000, "dev": 2500}
AISHELL_OPTIONS = {"metrics": ("cer",), "cluster": "speaker"}


def _read_aishell(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read the transcript file shared by all splits; each split has a folder of WAV files per speaker."""
    corpus = sources.find_below(root, "data_aishell/transcript", "transcript").parent
    speakers = sources.find_below(corpus, f"wav/{part['split']}")
    present = {folder.name for folder in speakers.iterdir()}
    for line in sorted(sources.read_lines(corpus / "transcript" / "aishell_transcript_v0.8.txt")):
        name, *words = line.split()  # spaces separate words and are not part of the text
        if (speaker := SPEAKER_PATTERN.search(name)) and speaker[0] in present:
            yield base.make_item(name, speakers / speaker[0] / f"{name}.wav", "".join(words), speaker=speaker[0])


AISHELL = base.Benchmark(
    **base.about("aishell", "AISHELL-1", "asr", language="zh", licence="Apache 2.0"),
    source="openslr.org/33",
    citation="Bu et al., O-COCOSDA 2017",
    splits={"test": 7176, "dev": 14326},
    layout="data_aishell/transcript/aishell_transcript_v0.8.txt and data_aishell/wav/test/S0764/",
    read=_read_aishell,
    task_options=AISHELL_OPTIONS,
)


def _read_aishell_2(root: Path, part: sources.BenchmarkPart) -> sources.Items:
    """Read `wav.scp` and `trans.txt` in the folder of a channel and split, separated by spaces or tabs."""
    split, spellings = part["split"], AISHELL_2_CHANNELS[part["channel"]]
    tops = ("AISHELL-2/", "AISHELL-DEV-TEST-SET/", "")
    folder = sources.find_below(root, *(f"{top}{name}/{split}" for top in tops for name in spellings))
    entries = (line.split(maxsplit=1) for line in sources.read_lines(folder / "wav.scp"))
    paths = {entry[0]: entry[1] for entry in entries}
    for line in sources.read_lines(folder / "trans.txt"):
        name, text = (*line.split(maxsplit=1), "")[:2]
        if name in paths:
            yield base.make_item(name, folder / paths[name], text, speaker=Path(paths[name]).parent.name)


AISHELL_2 = base.Benchmark(
    **base.about("aishell-2", "AISHELL-2", "asr", language="zh", licence="for research and education; by application"),
    source="aishelltech.com/aishell_2",
    citation="Du et al., arXiv:1808.10583",
    splits=AISHELL_2_SPLITS,
    options={"channel": tuple(AISHELL_2_CHANNELS)},
    counts={f"{split}/{name}": count for name in AISHELL_2_CHANNELS for split, count in AISHELL_2_SPLITS.items()},
    layout="AISHELL-2/iOS/test/wav.scp and trans.txt",
    read=_read_aishell_2,
    task_options=AISHELL_OPTIONS,
)
