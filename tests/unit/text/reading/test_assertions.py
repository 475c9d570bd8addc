"""What a reply asserts."""

from typing import Any

import pytest

from auricle.text.reading.assertions import drop_non_assertions, is_refusal, is_retracted
from auricle.text.reading.rules import rules_for_languages, rules_for_reply
from tests.support import reading_cases

ENGLISH = rules_for_languages(("en",))


@pytest.mark.parametrize(
    ("reply", "rest"),
    [
        ("It is A.", "It is A."),
        ("Is it A? It is B.", "\n It is B."),
        ("If it howled, it would be C. It is B.", "\n It is B."),
        ("It is B because if it were A, it would howl.", "It is B \n"),
        ("If I had to choose, it is B.", " , it is B."),
        ("Although A comes close, it is B.", " , it is B."),
        ("I'd be happy to help. It is B.", " . It is B."),
        ("It is louder than A.", "It is  ."),
        ("If it were clean, a 5, as it stands a 4.", "\nas it stands a 4."),
        ("A. violin or B. guitar?", "\n"),
    ],
)
def test_questions_conditions_concessions_comparisons_and_courtesies_are_dropped(reply: str, rest: str) -> None:
    assert drop_non_assertions(reply, ENGLISH) == rest


@pytest.mark.parametrize(
    ("reply", "refused"),
    [
        ("I cannot hear the audio.", True),
        ("There is no audio attached.", True),
        ("I cannot hear a dog.", False),
        ("There is no dog in the recording.", False),
        ("There are no audio artifacts.", False),
        ("I can't help but notice the guitar.", False),
    ],
)
def test_a_refusal_concerns_the_audio_and_not_its_content(reply: str, refused: bool) -> None:
    assert is_refusal(reply, ENGLISH) is refused


NO_ASSERTIONS = {
    ("violin", "guitar", "drum"): {
        "Some might say violin.": None,
        "It could be a violin, just as easily a guitar.": None,
        "Guitar... wait, the bow is audible.": None,
        "A violin is out of the question.": None,
        "It depends: for the intro guitar, for the outro drum.": None,
        "If plucked, it's a guitar; otherwise, it's a violin.": None,
        "The first half is violin, the second half guitar.": None,
        "Closer to violin than guitar.": None,
        "A violin can be plucked, a guitar can be strummed, a drum is hit.": None,
        "People often mistake this for a violin.": None,
        "No one plays the violin here.": None,
        "No violin, no drum.": None,
        "Violin, or so one might think.": None,
        "I hear no violin.": None,
    },
    ("Geige", "Gitarre", "Trommel"): {
        "Manche würden sagen, es sei eine Geige.": None,
        "Das könnte eine Geige sein, ebenso gut eine Gitarre.": None,
        "Eine Geige scheidet aus.": None,
        "Wenn gezupft, ist es eine Gitarre; andernfalls eine Geige.": None,
        "Geige spielt hier niemand.": None,
        "Von einer Geige keine Spur.": None,
        "Wer Geige hört, irrt sich.": None,
    },
    ("violon", "guitare", "tambour"): {
        "Certains diraient un violon.": None,
        "Ce pourrait être un violon, tout aussi bien une guitare.": None,
        "Le violon est hors de question.": None,
        "Si c'est pincé, c'est une guitare ; sinon, un violon.": None,
        "La première moitié est du violon, la seconde de la guitare.": None,
        "Pas l'ombre d'un violon.": None,
        "On croirait entendre un violon.": None,
    },
    ("violín", "guitarra", "tambor"): {
        "Algunos dirían violín.": None,
        "Tanto podría ser un violín como una guitarra.": None,
        "El violín queda descartado.": None,
        "Si se pulsa, es una guitarra; de lo contrario, un violín.": None,
        "La primera mitad es violín y la segunda guitarra.": None,
        "Violín no es.": None,
        "De violín, nada.": None,
        "Ni rastro de violín.": None,
    },
    ("violino", "guitarra", "tambor"): {
        "Alguns diriam violino.": None,
        "Tanto pode ser violino como guitarra.": None,
        "Violino é que não é.": None,
        "No violino há arco, na guitarra há cordas.": None,
        "Se for dedilhado, é guitarra; caso contrário, violino.": None,
        "Nem sinal de violino.": None,
        "Violino? Nem pensar.": None,
    },
    ("violino", "chitarra", "tamburo"): {
        "Qualcuno direbbe violino.": None,
        "Potrebbe essere un violino come una chitarra.": None,
        "Il violino non c'entra.": None,
        "Se è pizzicato, è una chitarra; altrimenti è un violino.": None,
        "Di violino nemmeno l'ombra.": None,
        "Tutti pensano al violino, ma sbagliano.": None,
    },
    ("скрипка", "гитара", "барабан"): {
        "Кто-то сказал бы, что это скрипка.": None,
        "Это может быть скрипка, а с тем же успехом гитара.": None,
        "Скрипка тут ни при чём.": None,
        "Если щипком, то гитара; иначе скрипка.": None,
        "Никакая это не скрипка.": None,
        "Скрипкой здесь и не пахнет.": None,
        "Первая половина — скрипка, вторая — гитара.": None,
    },
    ("小提琴", "吉他", "鼓"): {
        "有人会说是小提琴。": None,
        "可能是小提琴，同样也可能是吉他。": None,
        "和小提琴毫无关系。": None,
        "如果是弹拨就是吉他；否则是小提琴。": None,
        "前半段是小提琴，后半段是吉他。": None,
        "与吉他相比，更接近小提琴。": None,
        "比起吉他更像小提琴。": None,
        "哪有什么小提琴。": None,
        "怎么可能是小提琴。": None,
        "小提琴有琴弓，吉他要弹拨。": None,
        "小提琴肯定没有。": None,
    },
    ("バイオリン", "ギター", "太鼓"): {
        "バイオリンだと思う人もいるでしょう。": None,
        "バイオリンかもしれませんし、ギターかもしれません。": None,
        "バイオリンはありえません。": None,
        "前半はバイオリン、後半はギターです。": None,
        "ギターよりバイオリンに近い音です。": None,
        "バイオリンなわけがありません。": None,
        "弓で弾いていればバイオリン、そうでなければギターです。": None,
    },
    ("바이올린", "기타", "북"): {
        "바이올린이라고 생각하는 사람도 있겠죠.": None,
        "바이올린일 수도 있고 기타일 수도 있습니다.": None,
        "바이올린일 리가 없습니다.": None,
        "앞부분은 바이올린, 뒷부분은 기타입니다.": None,
        "기타보다는 바이올린에 가깝습니다.": None,
        "바이올린은 절대 아닙니다.": None,
        "바이올린이면 활 소리가 나야 합니다.": None,
    },
}


ASSERTIONS = {
    ("The doctor gives medical advice", "The patient refuses to answer", "A file is uploaded"): {
        "The doctor gives medical advice": "A",
        "It's A: the doctor gives medical advice.": "A",
        "The patient refuses to answer": "B",
        "B. The patient refuses to answer": "B",
    },
    ("他拒绝回答问题", "他咨询医生", "他上传文件"): {"答案是A，他拒绝回答问题。": "A", "选B，他咨询医生。": "B"},
    ("violin", "guitar", "drum"): {
        "Otherwise silent, but it's a guitar.": "B",
        "The first half is noisy, but it is a guitar.": "B",
        "It could be a violin, but it's a guitar.": "B",
        "No one sings, it is a guitar.": "B",
        "One could say it is a guitar.": None,
        "It might be a violin. Guitar is more likely.": "B",
        "The answer is guitar. Wait for the solo to hear it.": "B",
        "Some might say violin, but it's a guitar.": "B",
        "Guitar, wait, no, drum.": "C",
        "Depending on the mic it varies, yet the answer is B.": None,
    },
    ("Geige", "Gitarre", "Trommel"): {
        "Andernfalls wäre es lauter. Es ist eine Gitarre.": "B",
        "Es ist eine Gitarre, sonst nichts.": "B",
        "Niemand singt, es ist eine Gitarre.": "B",
    },
    ("viola", "violino", "violoncello"): {"È una viola.": "A", "La viola.": "A"},
    ("viola", "violín"): {"Es una viola.": "A"},
    ("viola", "violino"): {"É uma viola.": "A"},
    ("小提琴", "吉他", "鼓"): {
        "不是小提琴，是吉他。": "B",
        "比起小提琴，答案是吉他。": "B",
        "有人觉得是鼓，但答案是吉他。": "B",
    },
    ("バイオリン", "ギター"): {"バイオリンよりもギターです。": "B", "これはギターの音です。": "B"},
    ("바이올린", "기타"): {"바이올린이 아니라 기타입니다.": "B", "기타로 정정합니다.": "B"},
}


@pytest.mark.parametrize(("options", "reply", "expected"), reading_cases.parameters(NO_ASSERTIONS))
def test_opinions_of_others_cases_and_denials_name_no_option(options: Any, reply: str, expected: str | None) -> None:
    assert reading_cases.option(options, reply) == expected
    assert reading_cases.label(options, reply) == expected


@pytest.mark.parametrize(("options", "reply", "expected"), reading_cases.parameters(ASSERTIONS))
def test_an_assertion_beside_them_is_read(options: Any, reply: str, expected: str | None) -> None:
    assert reading_cases.option(options, reply) == expected


def test_an_answer_is_retracted_only_by_what_follows_it() -> None:
    reply = "No... wait, there it is."
    assert is_retracted(reply, 2, ENGLISH)
    assert not is_retracted(reply, len("No... wait,"), ENGLISH)
    assert not is_retracted("Yes, you can hear him wait.", 3, ENGLISH)


def test_an_answer_is_retracted_by_indecision_after_it() -> None:
    reply = "B, but it is a coin toss."
    assert is_retracted(reply, 1, ENGLISH)
    assert not is_retracted(reply, len(reply), ENGLISH)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("I do not have the capability to hear phone calls.", True),
        ("The file that you sent me seems to be corrupted.", True),
        ("No rating possible: I did not receive a voice sample.", True),
        ("Aucune évaluation possible, car le fichier sonore est introuvable.", True),
        ("El fichero que mandaste viene dañado.", True),
        ("Purtroppo l'allegato audio non c'è.", True),
        ("К сожалению, вложение не открылось.", True),
        ("我没办法听到这段配音。", True),
        ("音源を受け取れておらず、選ぶことができません。", True),
        ("음원 파일이 열리지 않아 고를 수가 없습니다.", True),
        ("I cannot hear a dog in the recording.", False),
        ("En la grabación no se escucha ningún perro.", False),
        ("녹음에서 개 소리는 들리지 않습니다.", False),
        ("Although the recording is damaged, the bell is there.", False),
    ],
)
def test_a_recording_that_cannot_be_heard_is_a_refusal_and_a_sound_that_cannot_be_heard_is_none(
    reply: str, expected: bool
) -> None:
    assert is_refusal(reply, rules_for_reply(reply)) is expected
