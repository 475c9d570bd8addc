from pathlib import Path

import yaml

from auricle.sharing.exports.yaml_output import write_yaml


def test_dates_stay_text_and_the_order_of_keys_is_kept(tmp_path: Path) -> None:
    document = {"value": 1.5, "date": "2026-01-02T03:04:05+00:00", "name": "é"}
    text = write_yaml(tmp_path / "new" / "a.yaml", document).read_text(encoding="utf-8")
    assert yaml.safe_load(text) == document
    assert text.splitlines()[-1] == "name: é"
