"""FLEURS: the same Wikipedia sentences read in 102 languages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from auricle.tasks.benchmarks import base

CODES = (
    "en_us cmn_hans_cn af_za am_et ar_eg as_in ast_es az_az be_by bg_bg bn_in bs_ba ca_es ceb_ph "
    "ckb_iq cs_cz cy_gb da_dk de_de el_gr es_419 et_ee fa_ir ff_sn fi_fi fil_ph fr_fr ga_ie gl_es "
    "gu_in ha_ng he_il hi_in hr_hr hu_hu hy_am id_id ig_ng is_is it_it ja_jp jv_id ka_ge kam_ke "
    "kea_cv kk_kz km_kh kn_in ko_kr ky_kg lb_lu lg_ug ln_cd lo_la lt_lt luo_ke lv_lv mi_nz mk_mk "
    "ml_in mn_mn mr_in ms_my mt_mt my_mm nb_no ne_np nl_nl nso_za ny_mw oc_fr om_et or_in pa_in "
    "pl_pl ps_af pt_br ro_ro ru_ru sd_in sk_sk sl_si sn_zw so_so sr_rs sv_se sw_ke ta_in te_in "
    "tg_tj th_th tr_tr uk_ua umb_ao ur_pk uz_uz vi_vn wo_sn xh_za yo_ng yue_hant_hk zu_za"
)
LANGUAGES: Mapping[str, str] = {
    code: {"cmn": "zh"}.get(code.partition("_")[0], code.partition("_")[0]) for code in CODES.split()
}
COLUMNS = ("id", "file", "raw", "text", "letters", "samples", "gender")
GENDERS = ("male", "female")
"""Meaning of the numbers 0 and 1 on Hugging Face; other numbers mean unknown."""
BY_CHARACTER = ("zh", "yue", "ja", "th", "lo", "km", "my")
"""Languages written without spaces, scored by character."""


def _read(root: Path, part: base.BenchmarkPart) -> base.Items:
    """Read a TSV file without a header, beside folders of WAV files."""
    language, split = part["language"], part["split"]
    table = base.find_below(root, f"data/{language}/{split}.tsv", f"{language}/{split}.tsv", f"{split}.tsv")
    audio_folder = base.find_below(table.parent, f"audio/{split}", split)
    for row in base.read_table(table, COLUMNS):
        yield base.make_item(
            PurePath(row["file"]).stem,
            audio_folder / row["file"],
            row["text"],
            sentence=row["id"],
            gender=row["gender"].lower(),
            raw_text=row["raw"],
        )


def _convert_row(row: Mapping[str, Any]) -> base.Item:
    gender = row.get("gender")
    return base.make_item(
        PurePath(row["audio"].get("path") or row["path"]).stem,
        row["audio"],
        row["transcription"],
        sentence=str(row["id"]),
        gender=GENDERS[gender] if gender in (0, 1) else "",
        raw_text=row.get("raw_transcription", ""),
    )


FLEURS = base.Benchmark(
    **base.about("fleurs", "FLEURS", "asr", language="en_us", licence="CC BY 4.0"),
    languages=LANGUAGES,
    source="huggingface.co/datasets/google/fleurs",
    citation="Conneau et al., SLT 2022",
    splits={"test": None, "dev": None},
    counts={"test/en_us": 647, "test/cmn_hans_cn": 945},
    layout="en_us/test.tsv and en_us/audio/test/NUMBER.wav, for any of its languages",
    read=_read,
    hub=base.HubDataset("google/fleurs", "refs/convert/parquet", base.locate_language, _convert_row),
    part_options=lambda part: {"metrics": ("cer",)} if LANGUAGES[part["language"]] in BY_CHARACTER else {},
    task_options={"cluster": "sentence"},
)
