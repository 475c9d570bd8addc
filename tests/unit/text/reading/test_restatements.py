"""Replies that restate or deny the question without yes or no, and replies that only share its words."""

import time

import pytest

from auricle.text import Reading, Strength, read_label, read_option, read_yes_no
from tests.support.reading_cases import parameters

RESTATEMENTS = {
    "顾客是否满意？": {"满意，她一直在笑。": True, "不满意。": False},
    "老师批准申请了吗？": {"不批准。": False},
    "鈴の音は聞こえますか。": {"鈴の音が三回聞こえます。": True, "鈴の音は聞こえませんでした。": False},
    "背景に歌声はありますか。": {"歌声なし": False, "歌声あり": True},
    "Is there any laughter in the background?": {
        "Laughter: absent.": False,
        "Background laughter: present.": True,
        "None of the segments contains any laughter.": False,
    },
    "Is a dog barking?": {
        "A dog can be heard barking twice.": True,
        "In the background, a dog is barking.": True,
        "The dog is not barking.": False,
        "No dog is barking in this recording.": False,
    },
    "Listen carefully. Is the speaker angry? Answer yes or no.": {
        "The speaker sounds angry.": True,
        "She is angry.": True,
        "The speaker is not angry at all.": False,
    },
    "Does the woman agree with the proposal?": {"The woman agrees with the proposal.": True, "She agrees.": True},
    "Are there two speakers?": {"There are two speakers in the recording.": True},
    "Is there a piano?": {"A piano is present.": True, "A piano is absent.": False},
    "背景里能听到音乐吗？": {"背景里能听到音乐。": True, "背景里听不到音乐。": False},
    "说话人在撒谎吗？": {"说话人在撒谎。": True, "说话人没有撒谎。": False},
    "録音の中で犬が吠えていますか。": {"犬が吠えています。": True, "犬は吠えていません。": False},
    "話者は提案に賛成していますか。": {"話者は提案に賛成しています。": True},
    "사이렌이 울립니까?": {"사이렌이 울리고 있습니다.": True, "사이렌은 울리지 않습니다.": False},
    "Bellt in der Aufnahme ein Hund?": {"Ein Hund bellt in der Aufnahme.": True, "Der Hund bellt nicht.": False},
    "Ist der Sprecher mit dem Angebot einverstanden?": {"Der Sprecher ist einverstanden.": True},
    "Y a-t-il du bruit de fond ?": {
        "On entend du bruit de fond.": True,
        "Il n'y a pas de bruit de fond, l'enregistrement est très propre.": False,
    },
    "La personne est-elle d'accord avec son interlocuteur ?": {"Elle est d'accord, effectivement.": True},
    "¿La mujer acepta la invitación?": {
        "La mujer acepta la invitación con gusto.": True,
        "La mujer no acepta la invitación.": False,
    },
    "O homem aceita o convite?": {"O homem aceita o convite.": True, "O homem não aceita o convite.": False},
    "La ragazza accetta l'offerta?": {"La ragazza accetta l'offerta.": True, "L'offerta non l'accetta.": False},
    "Is the baby crying?": {"The baby is crying loudly.": True},
    "Does the speaker mention a price?": {"The speaker mentions a price.": True},
    "Lacht die Sprecherin am Ende?": {"Am Ende lacht die Sprecherin.": True},
    "Hat das Publikum gelacht?": {"Das Publikum lacht laut.": True},
    "¿Se oye una sirena en la grabación?": {"Se oye una sirena al fondo.": True, "Sirena no oigo ninguna.": False},
    "Ouve-se um trovão?": {"Ouve-se um trovão.": True},
    "Si sente un cane abbaiare?": {"Si sente un cane che abbaia.": True},
    "Слышен ли дождь?": {"Дождь слышен.": True},
    "有人在敲门吗？": {"有人在敲门。": True, "没有人在敲门。": False},
    "录音里有人在笑吗？": {"录音里可以听到一名女子在笑。": True},
    "화자가 제안을 받아들였나요?": {"화자는 제안을 받아들였습니다.": True},
    "Смеётся ли девушка?": {"Девушка смеётся.": True, "Девушка не смеётся.": False},
}

UNREAD = {
    "女士有没有提到价格？": {"第一句没有提到价格。所以女士提到了价格。": None},
    "客户满意吗？": {"客户。": None},
    "話者は笑っていますか。": {"何を笑いとするかによります。": None},
    "Is a dog barking?": {
        "A dog might be barking.": None,
        "It sounds like a dog barking, but it is a fox.": None,
        "If a dog is barking, it is far away.": None,
        "Someone is imitating a dog barking.": None,
        "The question is whether a dog is barking.": None,
        "Is a dog barking. Let me listen.": None,
        "A dog barking or a door creaking.": None,
        "I thought a dog was barking.": None,
        "The man mentions a barking dog.": None,
        "The dog almost barks.": None,
        "The barking is louder than any dog.": None,
        "A dog is barking. Wait, that is a fox.": None,
        "The dog stops barking.": None,
        "The dog never stops barking.": None,
        "The dog is not barking loudly.": None,
        'The speaker says "a dog is barking".': None,
        "dog barking\ncat meowing\nrain": None,
        "Rain, wind, dog barking, cars.": None,
        "The barking of the dog is fake.": None,
    },
    "Does the man agree with the woman?": {
        "The woman agrees with the man.": None,
        "The man agrees with the boss.": None,
        "The man refuses to agree with the woman.": None,
    },
    "Is the speaker angry?": {
        "The speaker talks to an angry customer.": None,
        "The other speaker is angry.": None,
        "The speaker has an angry customer.": None,
        "It would be wrong to say the speaker is not angry.": None,
    },
    "Is the speaker happy?": {"The speaker wishes everyone a happy birthday.": None, "He reads a happy story.": None},
    "Is the baby crying?": {"The mother of the crying baby is singing.": None},
    "Do the two speakers agree?": {"The two speakers agree to disagree.": None},
    "¿Llora la niña?": {"El niño llora.": None},
    "Y a-t-il du bruit de fond ?": {"Le bruit de fond est un élément important de la qualité.": None},
    "화자가 웃고 있습니까?": {"화자가 웃고 있는 사람을 봅니다.": None},
    "Are there more than two speakers?": {"There are two speakers.": None},
    "Does a dog bark before the door closes?": {"A dog barks.": None, "The door closes before a dog barks.": None},
    "Isn't the singer in tune?": {"The singer is in tune.": None, "The singer is not in tune.": None},
    "Is the speaker a man or a woman?": {"The speaker is a woman.": None},
    "What is the dog doing?": {"The dog is doing tricks.": None},
    "说话人在撒谎吗？": {
        "说话人可能在撒谎。": None,
        "有人说说话人在撒谎。": None,
        "说话人提到别人在撒谎。": None,
        "如果说话人在撒谎，语气会不同。": None,
        "说话人在撒谎吗": None,
    },
    "背景里能听到音乐吗？": {"他提到背景音乐。": None, "听起来像背景里的音乐。": None},
    "話者は怒っていますか。": {
        "話者は怒っているふりをしています。": None,
        "話者は怒っているかもしれません。": None,
        "話者は怒った客の話をしています。": None,
        "話者が怒っているかどうかが問題です。": None,
    },
    "사이렌이 울립니까?": {
        "사이렌이 울릴 수도 있습니다.": None,
        "사이렌이 울린다는 이야기를 합니다.": None,
        "사이렌이 울리는지 물으셨습니다.": None,
    },
    "Stimmt die Frau dem Mann zu?": {
        "Der Mann stimmt der Frau zu.": None,
        "Vielleicht stimmt die Frau dem Mann zu.": None,
        "Stimmt die Frau dem Mann zu.": None,
    },
    "Bellt in der Aufnahme ein Hund?": {"Der Hund hört auf zu bellen.": None, "Ein Mann bellt wie ein Hund.": None},
    "Le chien aboie-t-il ?": {
        "Le chien cesse d'aboyer.": None,
        "Le chien aboie peut-être.": None,
        "On imite un chien qui aboie.": None,
    },
    "¿Ladra un perro?": {
        "Un perro podría ladrar.": None,
        "El hombre habla de un perro que ladra.": None,
        "El perro deja de ladrar.": None,
    },
    "O homem aceita o convite?": {
        "O homem finge que aceita o convite.": None,
        "Talvez o homem aceite o convite.": None,
        "O homem quase aceita o convite.": None,
    },
    "La ragazza accetta l'offerta?": {
        "La ragazza vuole accettare l'offerta.": None,
        "La ragazza accetta un'altra offerta.": None,
        "Forse la ragazza accetta l'offerta.": None,
    },
    "Играет ли гитара?": {
        "Возможно, играет гитара.": None,
        "Говорящий рассказывает, как играет гитара.": None,
        "Гитара перестаёт играть.": None,
        "Играет ли гитара, непонятно.": None,
    },
}


@pytest.mark.parametrize(("question", "reply", "expected"), parameters(RESTATEMENTS))
def test_a_clause_that_restates_the_question_affirms_it_and_its_negation_denies_it(
    question: str, reply: str, expected: bool
) -> None:
    assert read_yes_no(reply, question).value is expected


@pytest.mark.parametrize(("question", "reply", "expected"), parameters(UNREAD))
def test_a_clause_that_only_shares_words_with_the_question_is_no_answer(
    question: str, reply: str, expected: None
) -> None:
    assert read_yes_no(reply, question).value is expected


def test_yes_or_no_in_the_reply_comes_before_its_other_words() -> None:
    assert read_yes_no("No. A dog is barking in the other clip.", "Is a dog barking?").value is False
    assert read_yes_no("Yes, the dog is not barking loudly.", "Is a dog barking?").value is True


@pytest.mark.parametrize("reply", ["There is no dog.", "I cannot hear a dog."])
def test_an_implied_denial_of_a_negative_question_is_unread(reply: str) -> None:
    assert read_yes_no(reply).value is False
    assert read_yes_no(reply, "Is there no dog in the recording?").value is None


def test_an_implied_denial_of_a_question_with_a_negative_word_is_read() -> None:
    assert read_yes_no("There is no dog.", "Is a dog lying in the room?").value is False
    assert read_yes_no("没有掌声，录音里没有掌声。", "录音里有没有掌声？").value is False


def test_a_restatement_is_a_weak_reading() -> None:
    assert read_yes_no("A dog is barking.", "Is a dog barking?") == Reading(True, Strength.WEAK)
    assert read_yes_no("A dog is barking.") == Reading()


def test_options_and_labels_yes_and_no_are_read_with_the_question() -> None:
    reply, question = "A dog is barking.", "Is a dog barking?"
    assert read_option(reply, ["no", "yes"], question).value == 1
    assert read_label(reply, ["yes", "no"], question).value == "yes"
    assert read_option(reply, ["dog", "cat"], question).value == 0


def test_long_replies_and_questions_are_read_in_linear_time() -> None:
    reply, question = "the dog barks at a cat and " * 2_000, "Is the dog " * 2_000 + "barking?"
    read_yes_no(reply, question)
    started = time.process_time()
    read_yes_no(reply + "a", question)
    assert time.process_time() - started < 5
