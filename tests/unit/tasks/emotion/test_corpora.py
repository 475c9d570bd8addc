"""Folders of the emotion corpora, as they are found on people's disks."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import DataError, SpecError
from auricle.core.types import RejectedRow, Sample
from auricle.tasks.catalogue import TASKS
from auricle.tasks.emotion.base import EMOTION_METRICS

SPEECH = [f"Actor_{actor:02}/03-01-{emotion:02}-01-01-01-{actor:02}.wav" for actor in (1, 2) for emotion in range(1, 9)]
IEMOCAP_LINES = (
    "% [START_TIME - END_TIME] TURN_NAME EMOTION [V, A, D]\n"
    "\n"
    "[6.2901 - 8.2357]\tSes01F_impro01_F000\tneu\t[2.5000, 2.0000, 3.5000]\n"
    "C-E2:\tNeutral;\t()\n"
    "[10.0100 - 11.3925]\tSes01F_impro01_M000\texc\t[4.5000, 3.5000, 3.0000]\n"
    "[14.8872 - 18.0175]\tSes01F_impro01_F001\txxx\t[2.5000, 2.5000, 2.5000]\n"
    "[19.2900 - 20.7875]\tSes01F_impro01_F002\tfru\t[2.0000, 3.0000, 3.0000]\n"
)
MELD_ROWS = (
    "Sr No.,Utterance,Speaker,Emotion,Sentiment,Dialogue_ID,Utterance_ID,Season,Episode,"
    "StartTime,EndTime\n"
    '1,"Why, oh why?",Mark,surprise,positive,0,0,3,19,"00:14:38,127","00:14:40,378"\n'
    '2,Push!,Rachel,joy,positive,0,1,3,19,"00:14:41,127","00:14:42,378"\n'
)


def task(name: Any, root: Any, **options: Any) -> Any:
    return TASKS.get(name)(root=str(root), **options)


def by_id(made: Any) -> Any:
    return {each.id: each for each in made.samples if isinstance(each, Sample)}


def notes(made: Any) -> Any:
    return " ".join(made.notes("fake-labels", {}))


# --- what all share ---------------------------------------------------------------------


def test_a_sample_is_a_sound_a_word_and_a_speaker(corpus: Any) -> None:
    made = task("ravdess", corpus(SPEECH))
    sample = by_id(made)["03-01-05-01-01-01-02"]
    assert sample.target == "angry"
    assert sample.inputs["audio"].seconds == pytest.approx(0.1)
    assert sample.inputs["choices"] == list(made.samples.corpus.labels)
    assert sample.meta["speaker"] == "02"
    assert sample.origin == "Actor_02/03-01-05-01-01-01-02.wav"
    assert made.cluster == "speaker"
    assert [metric.name for metric in made.metrics] == list(EMOTION_METRICS)


def test_ids_do_not_depend_on_where_the_folder_is(corpus: Any, tmp_path: Path) -> None:
    root = corpus(SPEECH)
    before = list(by_id(task("ravdess", root)))
    shutil.move(root, tmp_path / "deep" / "er")
    after = task("ravdess", tmp_path / "deep")
    assert list(by_id(after)) == before
    assert after.revision.startswith("ravdess.speech@")


def test_the_first_few_samples_are_of_several_emotions_and_speakers(corpus: Any) -> None:
    first = list(task("ravdess", corpus(SPEECH)).samples)[:8]
    assert len({each.target for each in first}) > 3
    assert len({each.meta["speaker"] for each in first}) == 2


def test_a_short_copy_is_told_label_by_label(corpus: Any) -> None:
    told = notes(task("ravdess", corpus(SPEECH)))
    assert "RAVDESS speech: 16 recordings are here, 1,440 are published" in told
    assert "neutral 2 of 96" in told
    assert "Zenodo" in told


def test_a_whole_copy_has_nothing_to_tell(corpus: Any) -> None:
    kinds = ("a", "d", "f", "h", "sa", "su")
    whole = [f"DC_{each}{at:02}.wav" for each in kinds for at in range(1, 16)]
    whole += [f"DC_n{at:02}.wav" for at in range(1, 31)]
    every = [name.replace("DC", who) for name in whole for who in ("DC", "JE", "JK", "KL")]
    made = task("savee", corpus(every))
    assert len(made.samples) == 480
    assert notes(made) == ""


def test_files_with_other_names_are_left_out_and_told(corpus: Any) -> None:
    made = task("ravdess", corpus([*SPEECH, "Actor_01/take 2.wav"]))
    assert len(made.samples) == 16
    assert "1 file is not named" in notes(made)
    assert "Actor_01/take 2.wav" in notes(made)


def test_what_other_systems_leave_is_not_looked_at(corpus: Any) -> None:
    root = corpus(SPEECH, {f"__MACOSX/{SPEECH[0]}": "x", "Actor_01/._03-01-05-01-01-01-01.wav": "x"})
    made = task("ravdess", root)
    assert len(made.samples) == 16
    assert "more than once" not in notes(made)


def test_an_empty_folder_is_refused_with_what_was_looked_for(corpus: Any) -> None:
    with pytest.raises(DataError, match=r"Actor_12/03-01-06-01-02-01-12\.wav.*It is empty"):
        task("ravdess", corpus()).samples.peek()


def test_a_folder_with_an_archive_says_to_unpack_it(corpus: Any) -> None:
    root = corpus(texts={"Audio_Speech_Actors_01-24.zip": "x"})
    with pytest.raises(DataError, match=r"Unpack Audio_Speech_Actors_01-24\.zip first"):
        len(task("ravdess", root).samples)


def test_a_folder_that_holds_another_part_says_so(corpus: Any) -> None:
    with pytest.raises(DataError, match=r"No RAVDESS song recordings.*16 other recordings"):
        task("ravdess", corpus(SPEECH), part="song").samples.peek()


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    made = task("esd", tmp_path / "nowhere")
    with pytest.raises(DataError, match="is not there: give ESD's folder"):
        made.samples.peek()


@pytest.mark.parametrize("name", ["ravdess", "esd", "crema-d", "tess", "savee", "emodb", "iemocap", "meld"])
def test_a_corpus_without_its_folder_says_how_to_give_it(name: str) -> None:
    with pytest.raises(SpecError, match=f"auricle run {name} -T root=DIR"):
        TASKS.get(name)()


def test_an_unknown_option_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="takes no option spilt; it takes root, language, split"):
        task("esd", tmp_path, spilt="test")


def test_options_of_classify_are_taken(corpus: Any) -> None:
    made = task("ravdess", corpus(SPEECH), metrics="uar", prompt="{audio}{options}", max_tokens=9)
    _, respond = made.inferencer.ways
    assert [metric.name for metric in made.metrics] == ["uar"]
    assert "neutral, calm, happy" in repr(respond)
    assert respond.max_tokens == 9


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("ravdess", {"part": "spoken"}),
        ("ravdess", {"modality": "sound"}),
        ("ravdess", {"fold": 7}),
        ("esd", {"language": "de"}),
        ("esd", {"split": "dev"}),
        ("esd", {"speakers": "0011,0021"}),
        ("iemocap", {"classes": 5}),
        ("iemocap", {"session": 6}),
        ("meld", {"split": "all"}),
    ],
)
def test_a_value_that_an_option_does_not_know_is_refused(name: str, option: Any, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=name):
        task(name, tmp_path, **option)


# --- one by one -------------------------------------------------------------------------


def test_ravdess_twice_in_one_archive_is_taken_once(corpus: Any) -> None:
    root = corpus([*SPEECH, *(f"audio_speech_actors_01-24/{each}" for each in SPEECH)])
    made = task("ravdess", root)
    assert len(made.samples) == 16
    assert "16 recordings are there more than once" in notes(made)
    assert all(each.origin.startswith("Actor_") for each in made.samples)


def test_copies_that_differ_are_told(corpus: Any) -> None:
    root = corpus(SPEECH, {f"again/{SPEECH[0]}": "short"})
    assert "1 of the copies differ in size" in notes(task("ravdess", root))


def test_ravdess_in_the_wrong_actors_folder_is_told(corpus: Any) -> None:
    made = task("ravdess", corpus(["Actor_03/03-01-05-01-01-01-04.wav"]))
    (sample,) = made.samples
    assert sample.meta["speaker"] == "04"
    assert "another actor's folder" in notes(made)


def test_ravdess_song_and_films_are_asked_for_by_name(corpus: Any) -> None:
    root = corpus(
        [*SPEECH, "Actor_01/03-02-04-01-01-01-01.wav"],
        {"Actor_01/01-01-04-01-01-01-01.mp4": "x", "Actor_01/02-01-04-01-01-01-01.mp4": "x"},
    )
    assert list(by_id(task("ravdess", root, part="song"))) == ["03-02-04-01-01-01-01"]
    assert len(task("ravdess", root, part="both").samples) == 17
    (heard,) = task("ravdess", root, modality="av").samples
    (silent,) = task("ravdess", root, modality="video").samples
    assert "audio" in heard.inputs
    assert "video" in silent.inputs
    assert "audio" not in silent.inputs


def test_ravdess_folds_hold_their_actors_only(corpus: Any) -> None:
    made = task("ravdess", corpus(SPEECH), fold=1)
    assert {each.meta["speaker"] for each in made.samples} == {"01"}
    assert made.name == "ravdess-speech-fold-1"


FLAT = [f"0011/Angry/0011_{number:06}.wav" for number in (351, 371, 400, 401)]


def test_esd_on_a_flat_copy_takes_the_test_sentences_by_position(corpus: Any) -> None:
    made = task("esd", corpus([*FLAT, "0001/Angry/0001_000371.wav"]))
    assert sorted(by_id(made)) == ["0011_000371", "0011_000400"]
    assert made.name == "esd-en-test"


def test_esd_options_choose_language_speakers_and_split(corpus: Any) -> None:
    root = corpus([*FLAT, "0001/Angry/0001_000371.wav"])
    assert list(by_id(task("esd", root, language="zh"))) == ["0001_000371"]
    assert len(task("esd", root, language="all").samples) == 3
    assert len(task("esd", root, split="all").samples) == 4
    assert len(task("esd", root, split="train", speakers=11).samples) == 1
    assert task("esd", root, language="zh").language == "zh"


def test_esd_believes_folders_over_positions_and_says_so(corpus: Any) -> None:
    made = task("esd", corpus(["ESD/0011/Sad/test/0011_000351.wav"]))
    (sample,) = made.samples
    assert (sample.target, sample.meta["split"]) == ("sad", "test")
    assert "the folder is believed" in notes(made)


def test_esd_in_its_first_layout_is_read_without_doubt(corpus: Any) -> None:
    root = corpus(["0011/Angry/test/0011_000371.wav", "0011/Angry/train/0011_000401.wav"])
    made = task("esd", root)
    assert list(by_id(made)) == ["0011_000371"]
    assert "believed" not in notes(made)


def test_crema_d_knows_actors_from_the_demographics(corpus: Any) -> None:
    table = "ActorID,Age,Sex,Race,Ethnicity\n1001,51,Male,Caucasian,Not Hispanic\n1002,21,Female,,\n"
    root = corpus(["AudioWAV/1001_DFA_ANG_XX.wav"], {"VideoDemographics.csv": table})
    (sample,) = task("crema-d", root).samples
    assert (sample.meta["sex"], sample.meta["age"]) == ("male", 51)


def test_crema_d_does_without_demographics(corpus: Any) -> None:
    (sample,) = task("crema-d", corpus(["1001_DFA_ANG_XX.wav"])).samples
    assert "sex" not in sample.meta


def test_tess_nested_twice_is_taken_once(corpus: Any) -> None:
    names = ["OAF_neutral/OA_bite_neutral.wav", "YAF_neutral/YAF_bite_neutral.wav"]
    made = task("tess", corpus([*names, *(f"TESS Toronto/{each}" for each in names)]))
    assert sorted(by_id(made)) == ["OAF_bite_neutral", "YAF_bite_neutral"]
    assert "2 recordings are there more than once" in notes(made)


@pytest.mark.parametrize("layout", ["AudioData/{}/a01.wav", "ALL/{}_a01.wav"])
def test_savee_is_read_in_both_layouts(corpus: Any, layout: str) -> None:
    made = task("savee", corpus([layout.format(who) for who in ("DC", "JE", "JK", "KL")]))
    assert sorted(by_id(made)) == ["DC_a01", "JE_a01", "JK_a01", "KL_a01"]
    assert "more than once" not in notes(made)


def test_emodb_is_german(corpus: Any) -> None:
    made = task("emodb", corpus(["wav/03a01Fa.wav", "wav/03a01Wa.wav"]))
    assert {each.target for each in made.samples} == {"happiness", "anger"}
    assert made.language == "de"


@pytest.fixture
def iemocap(corpus: Any) -> Any:
    here = "IEMOCAP_full_release/Session1"
    names = ("F000", "M000", "F001", "F002")
    wavs = [f"{here}/sentences/wav/Ses01F_impro01/Ses01F_impro01_{each}.wav" for each in names]
    evaluation = f"{here}/dialog/EmoEvaluation"
    return corpus(
        [*wavs, f"{here}/dialog/wav/Ses01F_impro01.wav"],
        {
            f"{evaluation}/Ses01F_impro01.txt": IEMOCAP_LINES,
            f"{evaluation}/._Ses01F_impro01.txt": b"\x00\x05\x16\x07",
            f"{evaluation}/Categorical/Ses01F_impro01_e2_cat.txt": "Ses01F_impro01_F000 :Neutral;",
        },
    )


def test_iemocap_has_four_classes_with_excited_as_happy(iemocap: Any) -> None:
    found = by_id(task("iemocap", iemocap))
    assert {name: each.target for name, each in found.items()} == {
        "Ses01F_impro01_F000": "neutral",
        "Ses01F_impro01_M000": "happy",
    }
    meta = found["Ses01F_impro01_M000"].meta
    assert (meta["valence"], meta["arousal"], meta["dominance"]) == (4.5, 3.5, 3.0)
    assert (meta["speaker"], meta["sex"], meta["session"]) == ("Ses01M", "male", 1)
    assert (meta["style"], meta["code"]) == ("improvised", "exc")


def test_iemocap_s_ratings_may_be_put_on_a_scale_from_0_to_1(iemocap: Any) -> None:
    meta = by_id(task("iemocap", iemocap, ratings="0-1"))["Ses01F_impro01_M000"].meta
    assert (meta["valence"], meta["arousal"], meta["dominance"]) == (0.875, 0.625, 0.5)
    with pytest.raises(SpecError, match="ratings is one of 1-5, 0-1"):
        task("iemocap", iemocap, ratings="1-7")


def test_iemocap_can_keep_all_that_listeners_agreed_on(iemocap: Any) -> None:
    made = task("iemocap", iemocap, classes="all")
    assert sorted(each.target for each in made.samples) == ["excited", "frustrated", "neutral"]
    assert "listeners did not agree: 1 turns" in notes(made)


def test_iemocap_counts_are_the_published_ones(tmp_path: Path) -> None:
    assert sum(task("iemocap", tmp_path).samples.expected.values()) == 5531
    each = [task("iemocap", tmp_path, session=at).samples.expected for at in range(1, 6)]
    assert sum(sum(one.values()) for one in each) == 5531


def test_iemocap_without_a_sound_rejects_that_turn(iemocap: Any) -> None:
    next(iemocap.rglob("*_M000.wav")).unlink()
    made = task("iemocap", iemocap)
    (lost,) = [each for each in made.samples if isinstance(each, RejectedRow)]
    assert lost.origin == "Ses01F_impro01.txt:5"
    assert "there is no Ses01F_impro01_M000.wav" in lost.reason


def test_iemocap_of_one_session_is_short_by_its_own_count(iemocap: Any) -> None:
    assert "1,085 are published" in notes(task("iemocap", iemocap, session=1))


def test_meld_takes_films_of_its_split_and_no_others(corpus: Any) -> None:
    films = ("output_repeated_splits_test", "train_splits", "dev_splits_complete")
    texts = {f"{each}/dia0_utt{at}.mp4": each for each in films for at in (0, 1)}
    texts["output_repeated_splits_test/final_videos_testdia0_utt0.mp4"] = "x"
    made = task("meld", corpus(texts={"test_sent_emo.csv": MELD_ROWS, **texts}))
    found = by_id(made)
    assert found["test/dia0_utt1"].target == "joy"
    assert found["test/dia0_utt0"].meta["speaker"] == "Mark"
    assert found["test/dia0_utt0"].meta["text"] == "Why, oh why?"
    assert {each.origin.split("/")[0] for each in made.samples} == {films[0]}


def test_meld_prefers_sound_files_of_the_same_name(corpus: Any) -> None:
    films = {f"output_repeated_splits_test/dia0_utt{at}.mp4": "x" for at in (0, 1)}
    root = corpus(["test/dia0_utt0.wav"], {"test_sent_emo.csv": MELD_ROWS, **films})
    origins = {each.origin for each in task("meld", root).samples}
    assert origins == {"test/dia0_utt0.wav", "output_repeated_splits_test/dia0_utt1.mp4"}


def test_meld_without_a_film_rejects_that_row(corpus: Any) -> None:
    made = task("meld", corpus(["dia0_utt0.wav"], {"test_sent_emo.csv": MELD_ROWS}))
    good, lost = made.samples
    assert good.id == "test/dia0_utt0"
    assert lost == RejectedRow("test_sent_emo.csv, row 3", "no dia0_utt1.mp4 or .wav")


def test_meld_without_its_table_says_which(corpus: Any) -> None:
    with pytest.raises(DataError, match=r"No dev_sent_emo\.csv.*test_sent_emo\.csv"):
        task("meld", corpus(texts={"test_sent_emo.csv": MELD_ROWS}), split="dev").samples.peek()


def test_meld_counts_are_the_published_ones(tmp_path: Path) -> None:
    counts = [sum(task("meld", tmp_path, split=split).samples.expected.values()) for split in ("train", "dev", "test")]
    assert counts == [9988, 1108, 2610]
    assert sum(counts) == 13_706


def test_meld_leaves_out_what_the_archive_has_no_sound_of(corpus: Any) -> None:
    row = MELD_ROWS.replace(",0,0,", ",110,7,")
    made = task("meld", corpus(["dev/dia0_utt1.wav"], {"dev_sent_emo.csv": row}), split="dev")
    assert [each.id for each in made.samples] == ["dev/dia0_utt1"]
    assert "dia110_utt7 has no usable sound" in notes(made)


def test_meld_tables_saved_by_a_spreadsheet_are_read(corpus: Any) -> None:
    table = MELD_ROWS.replace("Push!", "Don’t!").encode("cp1252")
    made = task("meld", corpus(["dia0_utt0.wav", "dia0_utt1.wav"], {"test_sent_emo.csv": table}))
    assert by_id(made)["test/dia0_utt1"].meta["text"] == "Don’t!"
