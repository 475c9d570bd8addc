"""`auricle preview`: requests without the target."""

from tests.support.cli_types import RunAuricle, WriteManifest


def test_preview_prints_the_prompt_and_its_settings(auricle: RunAuricle, manifest: WriteManifest) -> None:
    path = manifest([{"question": "Which?", "choices": ["cat", "dog"], "answer": "A", "id": "x"}])
    output = auricle("preview", path, "--as", "mcq").stdout
    assert "A. cat" in output
    assert "max_tokens=512" in output


def test_preview_does_not_print_the_target(auricle: RunAuricle, manifest: WriteManifest) -> None:
    path = manifest([{"audio": "a.wav", "text": "a secret transcript"}])
    assert "secret" not in auricle("preview", path, "--as", "asr").stdout


def test_number_limits_the_samples(auricle: RunAuricle, manifest: WriteManifest) -> None:
    path = manifest([{"question": f"question {index}", "answer": "x", "id": str(index)} for index in range(3)])
    output = auricle("preview", path, "--as", "qa", "-n", "2").stdout
    assert "question 1" in output
    assert "question 2" not in output
