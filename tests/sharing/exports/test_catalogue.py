from auricle.sharing.exports.catalogue import PUBLISHERS


def test_every_listed_format_can_be_loaded() -> None:
    assert sorted(PUBLISHERS) == ["eee", "hf-eval-results", "inspect", "lm-eval", "model-card"]
    assert all(callable(PUBLISHERS.get(name)) for name in PUBLISHERS)
