"""The task kind `translate`."""

from pathlib import Path

from auricle.engine.catalogue import TASKS


def test_texts_are_translated_without_audio(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,translation\nhello,hallo\n,gute nacht\n")
    sample, rejected = TASKS.get("translate")(data=str(tmp_path / "a.csv"), language="de").samples
    assert (sample.target, sample.inputs["question"]) == ("hallo", "Please translate the text into German.\nhello")
    assert rejected.reason == "no audio, and no text in text, source, source_text, sentence"


def test_a_transcript_is_not_translated_in_place_of_a_missing_recording(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("audio,text,translation\na.wav,hello,hallo\n,good night,gute nacht\n")
    sample, rejected = TASKS.get("translate")(data=str(tmp_path / "a.csv"), language="de").samples
    assert sample.inputs["question"] == "Please translate the speech into German."
    assert rejected.reason == "no audio"
