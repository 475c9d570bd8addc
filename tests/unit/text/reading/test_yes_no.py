"""Yes or no from free-form replies."""

import pytest

from auricle.text import Strength, read_yes_no
from tests.support import reading_cases
from tests.support.reading_cases import REFUSED


def show_reply(value: object) -> str | None:
    """Name a test case after its reply."""
    return ascii(value) if isinstance(value, str) else None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Yes", True),
        ("no.", False),
        ("**Yes**", True),
        ("False", False),
        ("Yes, there is no noise.", True),
        ("No, that is correct to say.", False),
        ("The answer is yes.", True),
        ("Answer: No", False),
        ("There is no speech", False),
        ("That is not correct.", False),
        ("Yes. Actually, no.", False),
        ("<think>no</think>yes", True),
        ("是", True),
        ("是的，他在说话", True),
        ("对", True),
        ("对，是同一个人", True),
        ("答案：是", True),
        ("不是", False),
        ("不对", False),
        ("否", False),
        ("答案：否", False),
        ("没有", False),
        ("I notice something", None),
        ("Nothing is known", None),
        ("yes or no", None),
        ("Yes and no", None),
        ("I'm not sure.", None),
        ("这是一段音乐", None),
        ("是不是？", None),
        ("", None),
    ],
    ids=show_reply,
)
def test_yes_or_no_is_extracted_from_a_reply(reply: str, expected: bool | None) -> None:
    assert read_yes_no(reply).value is expected


def test_a_conclusion_counts_only_shortly_before_the_word() -> None:
    assert read_yes_no("no so" + " " * 78 + "yes").strength is Strength.MARKER
    assert read_yes_no("no so" + " " * 79 + "yes").strength is Strength.WEAK


def test_a_word_within_a_long_reply_is_not_taken_for_its_first() -> None:
    assert read_yes_no(f"the model hears yes, {'and then it hears more ' * 5}no").value is None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('The speaker keeps saying "no", but I can\'t tell why.', None),
        ('He answers "yes, of course" in a sarcastic tone.', None),
        ("Certainly! There is no dog in this clip.", False),
        ("Yes... wait, that might be the radio.", None),
        ('Please answer "yes" or "no".', None),
        ("It depends: with the echo, yes; without it, no.", None),
        ("If that's a horn, yes; otherwise, no.", None),
        ("Sure, I can help! But no file was attached.", REFUSED),
        ("There's no denying it: that's a siren.", True),
        ("I'd rather not judge whether someone is drunk.", REFUSED),
        ("It would be hard not to hear the bell.", True),
        ("You can't miss the bell.", True),
        ("Not a single second goes by without music.", None),
        ("No fewer than three people are laughing.", None),
        ("I can't say there is no music.", None),
        ("No sooner does he start than the dog barks.", None),
        ("Der Sprecher sagt zwar „ja“, meint aber etwas anderes.", None),
        ("Antworte mit „ja“ oder „nein“.", None),
        ("Nein … Moment, da bellt doch etwas.", None),
        ("Ja, gern! Laden Sie dazu bitte die Datei hoch.", REFUSED),
        ("Kommt darauf an: mit Hall ja, ohne nein.", None),
        ("Wenn das eine Hupe ist, ja; andernfalls nein.", None),
        ("Es besteht kein Zweifel, dass ein Hund bellt.", True),
        ("Das ist nicht zu überhören.", True),
        ("Es ist nicht so, dass keine Musik läuft.", True),
        ("Niemand kann das Klavier überhören.", None),
        ("Die Gesundheit einer Person beurteile ich nicht.", REFUSED),
        ("Elle répond « oui » au serveur.", None),
        ("Répondez par « oui » ou « non ».", None),
        ("Non… attendez, il y a un chien à la fin.", None),
        ("Oui, avec plaisir ! Veuillez joindre le fichier.", REFUSED),
        ("Ça dépend : avec les chœurs oui, sans les chœurs non.", None),
        ("Si c'est un klaxon, oui ; sinon, non.", None),
        ("Il n'y a pas le moindre doute : un chien aboie.", True),
        ("On ne peut pas ne pas entendre la cloche.", True),
        ("Il est impossible de ne pas entendre la cloche.", True),
        ("Ce n'est pas qu'il n'y ait pas de musique.", None),
        ("El hombre dice «no» varias veces.", None),
        ("Responde con «sí» o «no».", None),
        ("No… espera, al final ladra un perro.", None),
        ("Sí, con mucho gusto. Pero primero adjunta el audio.", REFUSED),
        ("Depende: con eco sí, sin eco no.", None),
        ("Si es una bocina, sí; de lo contrario, no.", None),
        ("No me cabe la menor duda: hay un perro.", None),
        ("No hay forma de no oír la campana.", True),
        ("Es imposible no oír la campana.", True),
        ("No es que no haya música.", None),
        ("No paran de reír.", True),
        ('O homem diz "não" várias vezes.', None),
        ('Responda com "sim" ou "não".', None),
        ("Sim, com prazer! Mas primeiro envie o áudio.", REFUSED),
        ("Depende: com eco sim, sem eco não.", None),
        ("Se for uma buzina, sim; caso contrário, não.", None),
        ("É impossível não ouvir o sino.", True),
        ("Não é que não haja música.", None),
        ("Não tenho a menor dúvida de que há um cão.", True),
        ("Não para de rir.", True),
        ("Não avalio a saúde das pessoas.", REFUSED),
        ("L'uomo dice «no» più volte.", None),
        ("Rispondi con «sì» o «no».", None),
        ("No… aspetta, alla fine abbaia un cane.", None),
        ("Sì, con piacere! Prima però devi inviare l'audio.", REFUSED),
        ("Dipende: con l'eco sì, senza no.", None),
        ("Se è un clacson, sì; altrimenti no.", None),
        ("È impossibile non sentire la campana.", True),
        ("Non è che non ci sia musica.", None),
        ("Non ho il minimo dubbio: un cane abbaia.", True),
        ("Non smette di ridere.", True),
        ("Мужчина несколько раз говорит «нет».", None),
        ("Ответьте «да» или «нет».", None),
        ("Нет… подождите, в конце лает собака.", None),
        ("Да, с удовольствием! Но сначала пришлите запись.", REFUSED),
        ("Всё зависит от эха: с ним — да, без него — нет.", None),
        ("Если это гудок, то да; иначе нет.", None),
        ("Нет ни малейших сомнений: собака лает.", True),
        ("Нельзя не услышать колокол.", True),
        ("Нельзя сказать, что музыки нет.", None),
        ("Не перестаёт смеяться.", True),
        ("他连说了三声“不”。", None),
        ("请回答“有”或“没有”。", None),
        ("没有……等等，最后有狗叫。", None),
        ("好的，没问题！请先上传音频。", REFUSED),
        ("要看情况：有回声就是，没有回声就不是。", None),
        ("如果是喇叭就是；否则不是。", None),
        ("不可能听不到钟声。", True),
        ("不能说没有音乐。", None),
        ("毫无疑问，有狗在叫。", True),
        ("他不停地笑。", None),
        ("无人不在笑。", None),
        ("很难说没有。", None),
        ("说是也行，说不是也行。", None),
        ("是，也不是。", None),
        ("既是又不是。", None),
        ("男性は「いいえ」と何度も言っています。", None),
        ("「はい」か「いいえ」で答えてください。", None),
        ("いいえ…待ってください、最後に犬が吠えています。", None),
        ("はい、喜んで！まず音声を添付してください。", REFUSED),
        ("場合によります。反響があれば「はい」、なければ「いいえ」です。", None),
        ("鐘の音が聞こえないわけがありません。", True),
        ("音楽がないとは言えません。", None),
        ("疑う余地はありません。犬が吠えています。", True),
        ("笑いが止まりません。", None),
        ("はいとも、いいえとも言えます。", None),
        ("남자는 '아니요'라고 여러 번 말합니다.", None),
        ("'예' 또는 '아니요'로 답하세요.", None),
        ("아니요… 잠깐만요, 끝에 개가 짖습니다.", None),
        ("네, 기꺼이 도와드리겠습니다! 먼저 오디오를 첨부해 주세요.", REFUSED),
        ("경우에 따라 다릅니다. 울림이 있으면 예, 없으면 아니요입니다.", None),
        ("음악이 없다고는 할 수 없습니다.", None),
        ("의심할 여지가 없습니다. 개가 짖습니다.", True),
        ("웃음을 멈추지 않습니다.", None),
        ("예라고도 아니요라고도 할 수 있습니다.", None),
    ],
    ids=show_reply,
)
def test_quotations_retractions_weighed_cases_and_idioms_are_not_misread(
    reply: str, expected: bool | str | None
) -> None:
    assert reading_cases.yes_no(reply) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Sure, there is a dog.", True),
        ("Of course! You can hear it twice.", True),
        ("Yes! There is no silence at all.", True),
        ('My answer is "yes".', True),
        ('The answer: "no".', False),
        ('Yes, he says "no" twice.', True),
        ('No, she only says "yes" once.', False),
        ("Wait, yes, there is a bell.", True),
        ("Yes, and he says wait.", True),
        ("No one is speaking.", False),
        ("Ja, der Sprecher sagt „nein“.", True),
        ("Nein, ein Akzent liegt nicht vor.", False),
        ("Die Antwort lautet „ja“.", True),
        ("Nein, niemand lacht.", False),
        ("Oui, elle dit « non » deux fois.", True),
        ("La réponse est « oui ».", True),
        ("Sí, dice «no» dos veces.", True),
        ("La respuesta es «no».", False),
        ('Sim, ele diz "não".', True),
        ('A resposta é "sim".', True),
        ("Sì, dice «no».", True),
        ("La risposta è «sì».", True),
        ("Да, он говорит «нет».", True),
        ("Ответ: «нет».", False),
        ("是的，他说了“不”。", True),
        ("答案是“有”。", True),
        ("不是，他没有笑。", False),
        ("没有，听不到音乐。", False),
        ("はい、「いいえ」と言っています。", True),
        ("答えは「はい」です。", True),
        ("いいえ、聞こえません。", False),
        ("네, '아니요'라고 말합니다.", True),
        ("정답은 '예'입니다.", True),
        ("아니요, 들리지 않습니다.", False),
        ("Não, não foi possível ouvir nenhum cão.", False),
        ("Claro que sí.", True),
        ("Natürlich!", True),
        ("Bien sûr !", True),
        ("Конечно!", True),
        ("もちろんです！", True),
        ("물론입니다!", True),
        ("当然！", True),
    ],
    ids=show_reply,
)
def test_an_answer_beside_a_quotation_or_courtesy_is_read(reply: str, expected: bool | None) -> None:
    assert reading_cases.yes_no(reply) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("I wouldn't say there's no traffic.", None),
        ("No es cierto que no haya música.", None),
        ("没有人会否认这是笑声。", True),
        ("犬の声がまったくしないというわけではありません。", None),
        ("Yes... or maybe not.", None),
        ("有时像有，有时又像没有。", None),
        ("Não… espere, no final um cão ladra.", None),
        ("Not only is someone laughing, the whole table is.", True),
        ("Ein Schlagzeug ist nicht zu überhören.", True),
        ("Колокол просто невозможно не услышать.", True),
        ("Not a single bark.", False),
        ("Einen Hund sucht man hier vergebens.", False),
        ("Pas l'ombre d'un chien.", False),
        ("Собаки здесь нет и в помине.", False),
    ],
)
def test_a_negated_negation_is_no_denial(reply: str, expected: bool | None) -> None:
    assert read_yes_no(reply).value is expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("yes the music is in a minor key", True),
        ("no it is a recording of rain", False),
        ("no dog", None),
        ("yes no yes no", None),
        ("Yes. No, wait, no.", False),
    ],
)
def test_yes_or_no_is_read_without_a_comma(reply: str, expected: bool | None) -> None:
    assert read_yes_no(reply).value is expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("oui le locuteur parle d'un voyage", True),
        ("sim há aplausos", True),
        ("no se oye", False),
        ("oui non oui non oui", None),
        ("Да он же прямым текстом отказывается!", None),
        ('{"antwort": "nein", "sicherheit": 0.9}', False),
        ("«No, ma figurati, ma no... e va bene!» Insomma, alla fine accetta.", None),
        ("«Sì.»", True),
        ("Она молчит, хотя и повторяет «да, да, понимаю».", None),
    ],
)
def test_a_word_that_is_spoken_or_only_a_particle_is_no_answer(reply: str, expected: bool | None) -> None:
    assert read_yes_no(reply).value is expected


@pytest.mark.parametrize(
    ("question", "reply", "expected"),
    [
        ("Há aplausos na gravação?", "Sim, o público grita, mas ninguém bate palmas: não há aplausos.", None),
        ("Há aplausos na gravação?", "Sim, há aplausos; não há vaias.", True),
        ("Bellt ein Hund?", "Ja, man hört Tiere; es bellt kein Hund.", None),
        ("Bellt ein Hund?", "Ja, ein Hund bellt. Eine Katze ist nicht zu hören.", True),
        ("Se oye una sirena?", "No, es una bocina. Se oye una sirena.", None),
    ],
)
def test_an_answer_that_the_rest_of_the_reply_contradicts_is_none(
    question: str, reply: str, expected: bool | None
) -> None:
    assert read_yes_no(reply, question).value is expected


@pytest.mark.parametrize(
    ("question", "reply", "expected"),
    [
        ("O locutor fala rápido?", "O locutor fala bastante rápido.", True),
        ("¿Está lloviendo en la escena?", "Está lloviendo con fuerza.", True),
        ("Regnet es?", "Es regnet kräftig.", True),
        ("Le réveil sonne-t-il ?", "Le réveil sonne à la quatrième seconde.", True),
        ("Сделана ли запись в метро?", "Запись сделана именно в метро.", True),
        ("O locutor fala rápido?", "O locutor fala bastante alto.", None),
    ],
)
def test_a_restatement_may_add_a_manner_or_a_time(question: str, reply: str, expected: bool | None) -> None:
    assert read_yes_no(reply, question).value is expected
