"""Phrasings around a mentioned option."""

import re

import pytest

from auricle.text.reading.rules import ClaimLevel, rules_for_languages, whole_word
from tests.support import reading_cases

RULES = rules_for_languages(("en", "zh"))


@pytest.mark.parametrize(
    ("before", "after", "level"),
    [
        ("the answer is ", ".", ClaimLevel.STATED),
        ("答案是", "", ClaimLevel.STATED),
        ("", ", because of the strings", ClaimLevel.STATED),
        ("it is not ", "", ClaimLevel.NEGATED),
        ("", " is wrong", ClaimLevel.NEGATED),
        ("不是", "", ClaimLevel.NEGATED),
        ("I first thought it was ", "", ClaimLevel.GIVEN_UP),
        ("it might be ", "", ClaimLevel.TENTATIVE),
        ("the speaker sounds ", " to me", ClaimLevel.PREDICATED),
        ("", ".", ClaimLevel.LEAD),
        ("hm ", " hm", None),
    ],
)
def test_the_first_matching_phrasing_gives_the_level(before: str, after: str, level: ClaimLevel | None) -> None:
    assert next((rule.level for rule in RULES.text_rules if rule.matches(before, after)), None) == level


@pytest.mark.parametrize(
    ("before", "level"),
    [("the answer is ", ClaimLevel.STATED), ("it sounds like ", ClaimLevel.PREDICATED), ("it is not hm ", None)],
)
def test_some_phrasings_come_before_an_answer(before: str, level: ClaimLevel | None) -> None:
    assert next((rule.level for rule in RULES.answer_rules if rule.matches(before, "")), None) == level


def test_labels_have_additional_phrasings() -> None:
    levels = {rule.level for rule in RULES.label_rules if rule.matches("see option ", " there")}
    assert levels == {ClaimLevel.PLAIN}
    assert RULES.label_rules[: len(RULES.text_rules)] == RULES.text_rules


def test_whole_words_match_next_to_chinese_characters() -> None:
    assert re.search(whole_word("yes"), "答yes的")
    assert not re.search(whole_word("yes"), "yesterday")


UNDECIDED: reading_cases.Cases = {
    ("violino", "chitarra", "tamburo"): {
        "Né violino né tamburo mi convincono del tutto.": None,
        "Sono indeciso: violino o chitarra.": None,
        "Un po' violino, un po' chitarra.": None,
        "Più violino che chitarra.": None,
        "Tutto fuorché un violino.": None,
        "Non direi violino.": None,
        "Le opzioni sono violino, chitarra e tamburo.": None,
        "Violino oppure chitarra, difficile dirlo.": None,
        "Non è certo un violino.": None,
        "Sembra quasi un violino.": None,
        "Violino e chitarra insieme.": None,
        "A metà tra violino e chitarra.": None,
        "Se fosse un violino, si sentirebbe l'archetto.": None,
        "Ricorda un violino.": None,
        "Mi chiedi se è un violino.": None,
        "L'utente chiede se sia un violino o una chitarra.": None,
        "Sia A sia B sono plausibili.": None,
        "Tra A e C non saprei scegliere.": None,
        "Escluderei A.": None,
    },
    ("Geige", "Gitarre", "Trommel"): {
        "Schwer zu sagen, Geige oder Gitarre.": None,
        "Halb Geige, halb Gitarre.": None,
        "Eher Geige als Gitarre.": None,
        "Alles andere als eine Geige.": None,
        "Eine Geige würde ich nicht sagen.": None,
        "Die Optionen sind Geige, Gitarre und Trommel.": None,
        "Erinnert an eine Geige.": None,
        "Sowohl A als auch B kommen infrage.": None,
        "Zwischen A und C schwanke ich.": None,
        "A würde ich ausschließen.": None,
        "Du fragst, ob es eine Geige ist.": None,
        "Geige kann ich ausschließen.": None,
        "Geige wohl kaum.": None,
        "Wäre es eine Geige, hörte man den Bogen.": None,
        "Eine Geige und eine Gitarre.": None,
    },
    ("violino", "guitarra", "tambor"): {
        "Difícil dizer, violino ou guitarra.": None,
        "Meio violino, meio guitarra.": None,
        "Mais violino do que guitarra.": None,
        "Tudo menos um violino.": None,
        "Não diria violino.": None,
        "As opções são violino, guitarra e tambor.": None,
        "Lembra um violino.": None,
        "Tanto A como B são plausíveis.": None,
        "Entre A e C não consigo decidir.": None,
        "Eu excluiria A.": None,
        "Você pergunta se é um violino.": None,
        "Violino certamente não.": None,
        "Se fosse um violino, ouvia-se o arco.": None,
        "Violino e guitarra ao mesmo tempo.": None,
        "Dificilmente é um violino.": None,
    },
    ("小提琴", "吉他", "鼓"): {
        "很难说是小提琴还是吉他。": None,
        "一半像小提琴，一半像吉他。": None,
        "与其他相比更接近小提琴": None,
        "绝对不会是小提琴。": None,
        "选项有小提琴、吉他和鼓。": None,
        "让人想起小提琴。": None,
        "A和B都有可能。": None,
        "在A和C之间犹豫。": None,
        "我会排除A。": None,
        "你问的是不是小提琴。": None,
        "小提琴的可能性不大。": None,
        "若是小提琴，会有弓声。": None,
        "小提琴和吉他都有。": None,
        "未必是小提琴。": None,
        "不见得是小提琴。": None,
        "不一定是小提琴。": None,
        "不太可能是小提琴": None,
        "并不像小提琴那样": None,
        "题目问是小提琴还是吉他。": None,
        "听着像小提琴又像吉他。": None,
    },
    ("violin", "guitar", "drum"): {
        "Hard to say, violin or guitar.": None,
        "Half violin, half guitar.": None,
        "More violin than guitar.": None,
        "Anything but a violin.": None,
        "I wouldn't say violin.": None,
        "Reminds me of a violin.": None,
        "Both A and B are plausible.": None,
        "I'm torn between A and C.": None,
        "I would rule out A.": None,
        "You ask whether it is a violin.": None,
        "Violin seems unlikely.": None,
        "Were it a violin, we'd hear the bow.": None,
        "A violin and a guitar.": None,
        "The user wants to know if it's a violin.": None,
        "Not necessarily a violin.": None,
        "I need to decide between violin, guitar and drum.": None,
        "Let me consider violin first.": None,
        "Possible answers: violin": None,
    },
    ("violon", "guitare", "tambour"): {
        "Difficile à dire, violon ou guitare.": None,
        "Moitié violon, moitié guitare.": None,
        "Plus violon que guitare.": None,
        "Tout sauf un violon.": None,
        "Je ne dirais pas violon.": None,
        "Cela rappelle un violon.": None,
        "A et B sont plausibles.": None,
        "J'hésite entre A et C.": None,
        "J'exclurais A.": None,
        "Vous demandez si c'est un violon.": None,
        "Un violon ? Peu probable.": None,
        "Un violon et une guitare.": None,
        "Pas forcément un violon.": None,
    },
    ("violín", "guitarra", "tambor"): {
        "Difícil decir, violín o guitarra.": None,
        "Mitad violín, mitad guitarra.": None,
        "Más violín que guitarra.": None,
        "Todo menos un violín.": None,
        "Yo no diría violín.": None,
        "Recuerda a un violín.": None,
        "Tanto A como B son plausibles.": None,
        "Dudo entre A y C.": None,
        "Descartaría A.": None,
        "Preguntas si es un violín.": None,
        "Violín poco probable.": None,
        "Un violín y una guitarra.": None,
        "No necesariamente un violín.": None,
    },
    ("скрипка", "гитара", "барабан"): {
        "Трудно сказать, скрипка или гитара.": None,
        "Наполовину скрипка, наполовину гитара.": None,
        "Скорее скрипка, чем гитара.": None,
        "Всё что угодно, только не скрипка.": None,
        "Напоминает скрипку.": None,
        "И A, и B возможны.": None,
        "Колеблюсь между A и C.": None,
        "Я бы исключил A.": None,
        "Вы спрашиваете, скрипка ли это.": None,
        "Скрипка вряд ли.": None,
        "И скрипка, и гитара.": None,
        "Не обязательно скрипка.": None,
    },
    ("バイオリン", "ギター", "太鼓"): {
        "バイオリンかギターか、判断が難しいです。": None,
        "半分バイオリン、半分ギターです。": None,
        "バイオリンとは限りません。": None,
        "バイオリンを思わせます。": None,
        "AもBもあり得ます。": None,
        "AとCで迷っています。": None,
        "Aは除外します。": None,
        "バイオリンではなさそうです。": None,
        "バイオリンとギターの両方です。": None,
    },
    ("바이올린", "기타", "북"): {
        "반은 바이올린, 반은 기타입니다.": None,
        "바이올린이라고 단정할 수 없습니다.": None,
        "바이올린을 연상시킵니다.": None,
        "A와 B 둘 다 가능합니다.": None,
        "A와 C 사이에서 고민됩니다.": None,
        "A는 제외하겠습니다.": None,
        "바이올린은 아닌 것 같습니다.": None,
        "바이올린과 기타 둘 다입니다.": None,
    },
}


@pytest.mark.parametrize(("options", "reply", "expected"), reading_cases.parameters(UNDECIDED))
def test_a_reply_that_does_not_commit_itself_has_no_option(
    options: tuple[str, ...], reply: str, expected: str | None
) -> None:
    assert reading_cases.option(options, reply) == expected
