"""What the corpora's file names say."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auricle.tasks.emotion import crema_d, emodb, esd, ravdess, savee, tess

NAMES = [
    (ravdess, "Actor_12/03-01-06-01-02-01-12.wav", "fearful", {"speaker": "12", "sex": "female"}),
    (ravdess, "Actor_01/03-01-02-02-01-02-01.wav", "calm", {"sex": "male", "intensity": "strong"}),
    (ravdess, "03-02-03-01-01-02-24.WAV", "happy", {"part": "song", "repetition": 2}),
    (ravdess, "01-01-08-01-01-01-07.mp4", "surprised", {"modality": "av", "part": "speech"}),
    (esd, "0011/Angry/test/0011_000371.wav", "angry", {"split": "test", "sex": "male"}),
    (esd, "0015/Surprise/0015_001401.wav", "surprise", {"split": "evaluation", "sex": "female"}),
    (esd, "0001/Sad/0001_001101.wav", "sad", {"split": "train", "language": "zh"}),
    (esd, "0020_000050.wav", "neutral", {"split": "test", "sentence": 50}),
    (crema_d, "AudioWAV/1001_DFA_ANG_XX.wav", "anger", {"speaker": "1001", "sentence": "DFA"}),
    (crema_d, "1091_IEO_HAP_HI.wav", "happy", {"intensity": "high"}),
    (crema_d, "1040_ITH_SAD_X.wav", "sad", {"intensity": "unspecified"}),
    (tess, "OAF_back_angry.wav", "angry", {"speaker": "OAF", "age": "older", "word": "back"}),
    (tess, "YAF_youth_ps.wav", "pleasant surprise", {"speaker": "YAF", "sex": "female"}),
    (tess, "OAF_neutral/OA_bite_neutral.wav", "neutral", {"speaker": "OAF", "word": "bite"}),
    (savee, "DC_sa07.wav", "sadness", {"speaker": "DC", "sex": "male", "sentence": 7}),
    (savee, "AudioData/KL/su15.wav", "surprise", {"speaker": "KL"}),
    (savee, "JE/n30.wav", "neutral", {"speaker": "JE"}),
    (emodb, "wav/03a01Fa.wav", "happiness", {"speaker": "03", "sex": "male", "sentence": "a01"}),
    (emodb, "16b10Lb.wav", "boredom", {"speaker": "16", "sex": "female", "version": "b"}),
    (emodb, "14a07Wc.wav", "anger", {"sex": "female"}),
]
STRANGERS = [
    (ravdess, "03-01-09-01-02-01-12.wav"),
    (ravdess, "03-01-06-01-02-01-25.wav"),
    (ravdess, "03-01-06-01-02-01.wav"),
    (ravdess, "03-01-06-01-02-01-12 (1).wav"),
    (esd, "0021_000001.wav"),
    (esd, "0011_001751.wav"),
    (esd, "0011_000000.wav"),
    (crema_d, "1001_DFA_SUR_XX.wav"),
    (tess, "OAF_back_glad.wav"),
    (savee, "a01.wav"),
    (savee, "DC_x01.wav"),
    (emodb, "04a01Fa.wav"),
    (emodb, "03a01Xa.wav"),
]


@pytest.mark.parametrize(("module", "path", "label", "meta"), NAMES)
def test_a_name_says_label_and_speaker(module: Any, path: Any, label: Any, meta: Any) -> None:
    clip = module.parse(Path(path))
    assert clip.label == label
    assert clip.label in module.CORPUS.labels
    assert {name: clip.meta[name] for name in meta} == meta
    assert clip.meta["speaker"]


@pytest.mark.parametrize(("module", "path"), STRANGERS)
def test_a_name_of_another_corpus_is_no_recording_of_this_one(module: Any, path: Any) -> None:
    assert module.parse(Path(path)) is None


@pytest.mark.parametrize("module", [crema_d, emodb, esd, ravdess, savee, tess])
@given(name=st.text(alphabet="DCJEKLOYAF_-0123456789abstuWN ", max_size=24))
def test_any_name_is_read_or_left_alone(module: Any, name: Any) -> None:
    clip = module.parse(Path(f"folder/{name}.wav"))
    assert clip is None or clip.label in module.CORPUS.labels


def test_esd_splits_have_their_published_sizes() -> None:
    clips = [esd.parse(Path(f"0011_{number:06}.wav")) for number in range(1, 1751)]
    sizes = {s: sum(c.meta["split"] == s for c in clips) for s in ("evaluation", "test", "train")}
    assert sizes == {"evaluation": 100, "test": 150, "train": 1500}


def test_ravdess_knows_how_many_recordings_are_published() -> None:
    count = {
        part: sum(ravdess.ravdess(root="x", part=part).samples.expected.values()) for part in ("speech", "song", "both")
    }
    assert count == {"speech": 1440, "song": 1012, "both": 2452}
    folds = [ravdess.ravdess(root="x", fold=fold).samples.expected for fold in range(1, 7)]
    assert [sum(each.values()) for each in folds] == [240] * 6


def test_the_folds_hold_each_actor_once() -> None:
    assert sorted(actor for fold in ravdess.FOLDS for actor in fold) == list(ravdess.ACTORS)
