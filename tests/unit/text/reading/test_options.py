"""Options and labels from free-form replies."""

import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.text import read_label, read_number, read_option, read_yes_no, strip_labels
from auricle.text.reading.mentions import Mention
from auricle.text.reading.options import _linked_to_next, decide_option
from auricle.text.reading.rules import rules_for_languages

ENGLISH = rules_for_languages(("en",))
INSTRUMENTS = ["piano", "guitar", "drum", "violin"]
CHINESE = ["钢琴", "吉他", "鼓", "小提琴"]
EMOTIONS = ["angry", "happy", "sad", "neutral"]
BILINGUAL = ["生气/angry", "开心/happy", "sad (悲伤)"]

PHRASED = [
    ("the answer is B", "B"),
    ("The correct answer to this question is B.", "B"),
    ("Answer: (B)", "B"),
    ("answer : b", "B"),
    ("Answer: a", "A"),
    ("The answer is A.", "A"),
    ("The answer is (a) piano", "A"),
    ("Answer B", "B"),
    ("Answer:\n\nB", "B"),
    ("Final answer: C", "C"),
    ("**Final Answer**: **C**", "C"),
    ("My choice: C", "C"),
    ("My choice is C", "C"),
    ("The correct option is (d).", "D"),
    ("The correct answer is: **B. guitar**", "B"),
    ("**Answer:** D) violin", "D"),
    ("Option D", "D"),
    ("option D", "D"),
    ("I think B", "B"),
    ("I think the answer would be B", "B"),
    ("I would go with option C.", "C"),
    ("I'd pick D", "D"),
    ("I choose (B).", "B"),
    ("So it's B", "B"),
    ("It's B.", "B"),
    ("it is b.", "B"),
    ("the answer is b because of plucking", "B"),
    ("D is correct.", "D"),
    ("B is the most likely answer", "B"),
    ("It must be C", "C"),
    ("strings, plucked → B", "B"),
    ("B, because A is a piano", "B"),
    ("The answer is most likely B", "B"),
    ("The sound matches, therefore option B", "B"),
    ("Definitely A", "A"),
    ("ans: c", "C"),
    ("Although it could be A, I choose B.", "B"),
    ("It is either A or B, but B is more likely.", "B"),
    ("It is a guitar (option B).", "B"),
    ("The answer is (B) because the drum (C) is absent.", "B"),
]

MARKED = [
    ("**D**", "D"),
    ("__D__", "D"),
    ("`D`", "D"),
    ("# D", "D"),
    ("- D", "D"),
    ("> D", "D"),
    ("```\nD\n```", "D"),
    ("\\boxed{C}", "C"),
    ("\\boxed{\\text{C}}", "C"),
    ("$\\text{C}$", "C"),
    ("$$\\boxed{\\mathrm{C}}$$", "C"),
    ("\\(C\\)", "C"),
    ("<answer>B</answer>", "B"),
    ("<answer> guitar </answer>", "B"),
    ("<answer>B", "B"),
    ("<b>B</b>", "B"),
    ("B<|im_end|>", "B"),
    ('{"answer": "B"}', "B"),
    ('{"reason": "plucked", "answer": "guitar"}', "B"),
    ("{'choice': 'B'}", "B"),
    ('```json\n{"answer": "B"}\n```', "B"),
    ("[[B]]", "B"),
]

ALONE = [
    ("b", "B"),
    ("a", "A"),
    ("A", "A"),
    ("B.", "B"),
    ("B)", "B"),
    ("(C)", "C"),
    ("[C]", "C"),
    ('"C"', "C"),
    ("C: drum", "C"),
    ("C drum", "C"),
    ("(c) drum", "C"),
    ("B) guitar", "B"),
    ("B.guitar", "B"),
    ("B - guitar", "B"),
    ("A. piano", "A"),
    ("B\n\nThe strings are plucked, unlike a piano.", "B"),
    ("2", "B"),
    ("option 2", "B"),
    ("(2)", "B"),
    ("②", "B"),
    ("The answer is 3.", "C"),
]

BY_TEXT = [
    ("guitar", "B"),
    ("GUITAR!", "B"),
    ("Guitar.", "B"),
    ("A guitar", "B"),
    ("A guitar is playing", "B"),
    ("The instrument is a guitar.", "B"),
    ("The answer is a guitar.", "B"),
    ("The answer is A guitar.", "B"),
    ("It sounds like a guitar to me", "B"),
    ("It's a guitar, not a piano.", "B"),
    ("The instrument is a guitar. A piano would sound different.", "B"),
    ("A guitar, because the piano has hammers.", "B"),
    ("Guitar, the strings are plucked, a piano has hammers", "B"),
    ("I hear a guitar rather than a violin", "B"),
    ("No piano here; a guitar.", "B"),
]

LAST_AND_NEGATED = [
    ("I first thought A, but the answer is B", "B"),
    ("I thought it was A, but it is B", "B"),
    ("A is wrong. The answer is D.", "D"),
    ("I would say B, because A is a piano.", "B"),
    ("It is definitely not A. It is D", "D"),
    ("not A, not B, so C", "C"),
    ("neither A nor B, C", "C"),
    ("It cannot be A, so B", "B"),
    ("It can't be A. B", "B"),
    ("I don't think it is A. B.", "B"),
    ("The answer is not A but B", "B"),
    ("A and B are wrong, so C", "C"),
    ("A, B and C are wrong, leaving D", "D"),
    ("A is incorrect, B is incorrect, C is incorrect. D", "D"),
    ("A (piano) is wrong, so it must be B (guitar)", "B"),
    ("The answer is A. Wait, actually the answer is B.", "B"),
    ("It is A. No, wait, it is B.", "B"),
    ("The answer is A.\n\nB", "B"),
    ("rather than A, I choose B", "B"),
    ("The sound is B, not A", "B"),
    ("Between A and B, I would go with B.", "B"),
    ("After eliminating A and C, the answer must be D", "D"),
    ("The answer is B. I would choose A if the sound were a piano.", "B"),
    ("A. piano\nB. guitar\nC. drum\nD. violin\n\nAnswer: B", "B"),
    ("A. piano\nB. guitar\nC. drum\nD. violin\n\nB", "B"),
    ("Choose one of A, B, C or D.\nB", "B"),
    ("Is it A or B? B", "B"),
    ("<think>It is A, surely A.</think>B", "B"),
    ("so the answer is A</think>\n\nB", "B"),
    ("The answer is B: guitar, as A (piano) has hammers", "B"),
]

UNREADABLE = [
    "",
    "   ",
    "?",
    "I'm sorry, I can't answer that.",
    "I cannot listen to audio.",
    "I think it is loud.",
    "I",
    "The answer is a harp.",
    "The answer is E",
    "The answer is A or B",
    "guitar or piano",
    "guitar, piano",
    "piano\nguitar",
    "A. piano B. guitar C. drum D. violin",
    "A. piano\nB. guitar\nC. drum\nD. violin",
    "A, B, C, D",
    "Option A is a piano, option B is a guitar",
    "A is incorrect",
    "It cannot be A.",
    "B is not the answer",
    "It is not a guitar.",
    "I cannot decide whether it is a guitar or a piano.",
    "Vitamin C is good",
    "B. piano",
    "<think>the answer is A",
    "1. I hear strings. 2. They are plucked.",
    "guitarist",
]

IN_CHINESE = [
    ("选B", "B"),
    ("答案：C", "C"),
    ("答案是 C", "C"),
    ("答案是：C。", "C"),
    ("我选择B", "B"),
    ("正确答案为（B）", "B"),
    ("正确选项是B", "B"),
    ("所以选 D。", "D"),
    ("故选：B", "B"),
    ("本题选Ｂ．", "B"),
    ("答案選B", "B"),
    ("【B】", "B"),
    ("Ｂ", "B"),
    ("B选项正确", "B"),
    ("B，因为A是钢琴", "B"),
    ("最有可能是B", "B"),
    ("可能是B", "B"),
    ("不是A，而是B", "B"),
    ("A不对，B不对，选C", "C"),
    ("A和B都错误，所以选C", "C"),
    ("排除A、C，选B", "B"),
    ("不可能是A，只能是B", "B"),
    ("我以为是A，其实是B", "B"),
    ("答案是吉他", "B"),
    ("这是一把吉他。", "B"),
    ("不是钢琴，是吉他", "B"),
    ("吉他，不是钢琴", "B"),
    ("应该是小提琴", "D"),
    ("选项A是钢琴，选项B是吉他", None),
    ("钢琴或吉他", None),
    ("无法判断", None),
    ("无法判断是钢琴还是吉他", None),
]

WRAPPERS = ["**{}**", "_{}_", "`{}`", "# {}", "> {}", "- {}", "```\n{}\n```", "\n{}\n", "<b>{}</b>"]
# A wrapper that opens before the reasoning closes after it, so such replies are left out.
WITHOUT_REASONING = [case for case in (*PHRASED, *ALONE, *BY_TEXT, *LAST_AND_NEGATED) if "</think>" not in case[0]]
FRAMES = [
    "The answer is {}.",
    "Answer: {}",
    "({})",
    "{}",
    "**{}**",
    "答案是{}",
    "我选{}。",
    "\\boxed{{{}}}",
    "<answer>{}</answer>",
    '{{"answer": "{}"}}',
    "I would choose {}",
]
PIECES = st.sampled_from(
    [
        *"ABCDEI,.()$}12\n",
        *INSTRUMENTS,
        *["the answer is", "not", "or", "a", "because", "is wrong", "so", "but", "选", "不是"],
        *["**", "<think>", "</think>", "\\boxed{"],
    ]
)
REPLIES = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=20).map(" ".join))


def show_reply(value: object) -> str | None:
    """Name a test case after its reply."""
    return ascii(value) if isinstance(value, str) else None


def letter_index(letter: str | None) -> int | None:
    return None if letter is None else string.ascii_uppercase.index(letter)


@pytest.mark.parametrize(("reply", "letter"), [*PHRASED, *MARKED, *ALONE, *BY_TEXT, *LAST_AND_NEGATED], ids=show_reply)
def test_an_option_is_extracted_from_an_english_reply(reply: str, letter: str | None) -> None:
    assert read_option(reply, INSTRUMENTS).value == letter_index(letter)


@pytest.mark.parametrize(("reply", "letter"), IN_CHINESE, ids=show_reply)
def test_an_option_is_extracted_from_a_chinese_reply(reply: str, letter: str | None) -> None:
    assert read_option(reply, CHINESE).value == letter_index(letter)


@pytest.mark.parametrize("reply", UNREADABLE, ids=show_reply)
def test_a_reply_without_a_single_option_is_unreadable(reply: str) -> None:
    assert read_option(reply, INSTRUMENTS).value is None


@pytest.mark.parametrize(
    ("reply", "choices", "expected"),
    [
        ("a racing car", ["car", "racing car"], 1),
        ("a car", ["car", "racing car"], 0),
        ("The key is C major.", ["A minor", "C major", "G major"], 1),
        ("C# minor", ["C minor", "C# minor"], 1),
        ("The answer is 3.", ["2", "3", "4"], 1),
        ("There are 3 speakers", ["2", "3", "4"], 1),
        ("3.5 seconds", ["3", "3.5"], 1),
        ("New York", ["York", "new york"], 1),
        ("guitar", ["(A) piano", "(B) guitar"], 1),
        ("vitamin B.", ["vitamin A.", "vitamin B."], 1),
        ("B", ["A. piano", "B. guitar"], 1),
        ("The guitar", ["A piano", "A guitar"], 1),
        ("None of the above", ["piano", "None of the above"], 1),
        ("Yes, there is no noise.", ["Yes", "No"], 0),
        ("No, it is quiet.", ["Yes", "No"], 1),
        ("The answer is D", ["C", "D", "E"], 1),
        ("same", ["same", "Same."], None),
        ("?", ["!", "?", "?"], 1),
        ("rock音乐", ["pop音乐", "rock 音乐"], 1),
        ("摇滚音乐", ["流行 音乐", "摇滚 音乐"], 1),
        ("k歌bar", ["pub", "k歌 bar"], 1),
        ("rockmusic", ["pop music", "rock music"], 1),
        ("shamrock音乐", ["pop 音乐", "rock 音乐"], None),
        ("音乐rocks", ["音乐 pop", "音乐 rock"], None),
        ("k歌bar", ["看书", "k歌"], 1),
        ("option I", list(string.ascii_lowercase), 8),
        ("The answer is I.", list(string.ascii_lowercase), 8),
        ("I think so", [f"sound {number}" for number in range(10)], None),
        ("Z", [f"sound {number}" for number in range(26)], 25),
    ],
    ids=show_reply,
)
def test_similar_option_texts_are_distinguished(reply: str, choices: list[str], expected: int | None) -> None:
    assert read_option(reply, choices).value == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("The answer is E.", 4),
        ("(Q)", 16),
        ("b", 1),
        ("guitar", None),
        ("I think it is a guitar", None),
        ("A guitar", None),
        ("答案：C", 2),
        ("2", None),
    ],
    ids=show_reply,
)
def test_without_choices_only_letters_count(reply: str, expected: int | None) -> None:
    assert read_option(reply, []).value == expected


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize(("reply", "letter"), WITHOUT_REASONING, ids=show_reply)
def test_markdown_around_a_reply_changes_nothing(wrapper: str, reply: str, letter: str | None) -> None:
    assert read_option(wrapper.format(reply), INSTRUMENTS).value == letter_index(letter)


@pytest.mark.slow
@settings(deadline=None)
@given(st.integers(2, 26), st.data(), st.sampled_from(FRAMES))
def test_every_letter_is_extracted_in_every_phrase(count: int, data: st.DataObject, frame: str) -> None:
    index = data.draw(st.integers(0, count - 1))
    choices = [f"sound of thing{position}" for position in range(count)]
    reply = frame.format(string.ascii_uppercase[index])
    assert read_option(reply, choices).value == index
    assert read_option(reply, []).value == index


@settings(deadline=None)
@given(st.integers(2, 25), st.data())
def test_a_letter_beyond_the_options_does_not_count(count: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(count, 25))
    choices = [f"sound of thing{position}" for position in range(count)]
    assert read_option(f"The answer is {string.ascii_uppercase[index]}.", choices).value is None


@settings(deadline=None)
@given(st.permutations(INSTRUMENTS), st.sampled_from(INSTRUMENTS))
def test_an_option_named_by_text_does_not_depend_on_its_position(choices: list[str], name: str) -> None:
    assert read_option(f"I believe it is a {name}.", choices).value == choices.index(name)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(REPLIES, st.lists(st.text(max_size=12), max_size=26))
def test_an_extracted_option_is_always_in_range(reply: str, choices: list[str]) -> None:
    index = read_option(reply, choices).value
    assert index is None or 0 <= index < (len(choices) or 26)


@settings(max_examples=150, deadline=None)
@given(REPLIES)
@pytest.mark.thorough
def test_extraction_is_deterministic_and_never_fails(reply: str) -> None:
    assert read_option(reply, INSTRUMENTS).value == read_option(reply, INSTRUMENTS).value
    assert read_label(reply, EMOTIONS).value in {None, *EMOTIONS}
    assert read_number(reply).value is None or isinstance(read_number(reply).value, float)
    assert read_yes_no(reply).value in {None, True, False}


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["A, ", "not ", "guitar ", "1", "<think", "(", "so ", "_", "1,", 'A "', " '"])
def test_a_repetitive_reply_is_processed_in_bounded_time(piece: str) -> None:
    started = time.process_time()
    for extract in (read_number, read_yes_no, lambda reply: read_option(reply, INSTRUMENTS).value):
        extract(piece * 1500)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("reply", "choices", "expected"),
    [
        ("14.40s to 16.00s", ["14.40s to 16.00s", "16.00s to 17.60s"], 0),
        ("1920s-1940s.", ["1920s-1940s", "1950s-1960s"], 0),
        ("thirteen", ["thirteen", "twenty", "thirteen"], 0),
        ("The answer is thirteen.", ["thirteen", "twenty", "thirteen"], 0),
        ("(C) E", ["G", "D", "E", "C"], 2),
        ("**C. Cm7b5**", ["C", "Gm", "Cm7b5", "Eb/G"], 2),
        ("B:maj/1", ["F#:7/1", "B:maj/1", "E:maj/1"], 1),
        ("E:maj/1", ["F#:7/1", "B:maj/1", "E:maj/1"], 2),
    ],
    ids=show_reply,
)
def test_full_option_texts_of_a_real_benchmark_are_extracted(reply: str, choices: list[str], expected: int) -> None:
    assert read_option(reply, choices).value == expected


def test_letters_are_stripped_only_if_every_option_has_its_own() -> None:
    assert strip_labels(["(A) drum", "(B) flute"]) == ["drum", "flute"]
    assert strip_labels(["F#:7/1", "B:maj/1"]) == ["F#:7/1", "B:maj/1"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("The speaker sounds angry, not happy.", "angry"),
        ("happy rather than sad", "happy"),
        ("Angry.", "angry"),
        ("ANGRY", "angry"),
        ("Emotion: happy", "happy"),
        ("The emotion is neutral", "neutral"),
        ("I don't think the speaker is happy; sounds sad", "sad"),
        ("The speaker is not happy but sad", "sad"),
        ("Not so happy, quite sad", "sad"),
        ("The speaker sounds so happy!", "happy"),
        ("I first thought happy, but the answer is sad.", "sad"),
        ("The speaker isn't angry.", None),
        ("unhappy", None),
        ("angry and sad", None),
        ("A", None),
        ("B. something", None),
        ("", None),
    ],
    ids=show_reply,
)
def test_a_label_is_extracted_from_a_reply(reply: str, expected: str | None) -> None:
    assert read_label(reply, EMOTIONS).value == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("他听起来很生气", BILINGUAL[0]),
        ("She is happy", BILINGUAL[1]),
        ("不开心，很悲伤", BILINGUAL[2]),
        ("生气/angry", BILINGUAL[0]),
        ("悲伤 (sad)", BILINGUAL[2]),
        ("开心或生气", None),
    ],
    ids=show_reply,
)
def test_either_part_of_a_bilingual_label_is_enough(reply: str, expected: str | None) -> None:
    assert read_label(reply, BILINGUAL).value == expected


def mentions(reply: str) -> list[Mention]:
    """Find the labels A, B and C in a reply."""
    return [
        Mention(position, position + 1, "ABC".index(character), is_label=True)
        for position, character in enumerate(reply)
        if character in "ABC"
    ]


@pytest.mark.parametrize(
    ("reply", "index"),
    [
        ("it might be A", 0),
        ("it might be A. it is B", 1),
        ("the answer is A. the answer is B", 1),
        ("it is A. it is B", None),
        ("not A", None),
        ("A is wrong, it is C", 2),
        ("the answer is A or B", None),
    ],
)
def test_the_highest_level_of_claims_decides(reply: str, index: int | None) -> None:
    assert decide_option(reply, mentions(reply), ENGLISH).value == index


def test_a_label_and_its_text_are_one_mention() -> None:
    reply = "B) guitar"
    both = [Mention(0, 1, 1, is_label=True), Mention(3, 9, 1, is_label=False)]
    assert decide_option(reply, both, ENGLISH).value == 1


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("not A. B, guitar is wrong", None),
        ("not B or guitar", None),
        ("B or guitar is wrong", None),
        ("A or guitar: hm, it is a drum", 2),
        ("The answer is A.\nB or guitar.", 1),
    ],
)
def test_a_label_and_a_text_that_belong_together_are_classified_together(reply: str, expected: int | None) -> None:
    assert read_option(reply, INSTRUMENTS).value == expected


@pytest.mark.parametrize(("distance", "expected"), [(84, 1), (85, None)])
def test_a_phrase_counts_only_near_an_option(distance: int, expected: int | None) -> None:
    assert read_option(f"hm piano hm answer{' ' * distance}guitar hm", INSTRUMENTS).value == expected
    assert read_option(f"hm piano hm guitar{' ' * (distance - 1)}because", INSTRUMENTS).value == expected


def test_only_the_last_two_hundred_mentions_count() -> None:
    assert read_option("elk m " + "ox m " * 200, ["ox", "elk"]).value == 0
    assert read_option("elk m " + "ox m " * 199, ["ox", "elk"]).value is None


def test_a_label_on_the_text_of_another_option_is_not_an_answer() -> None:
    reply = "A) guitar"
    both = [Mention(0, 1, 0, is_label=True), Mention(3, 9, 1, is_label=False)]
    assert decide_option(reply, both, ENGLISH).value is None


def test_a_reply_without_mentions_has_no_option() -> None:
    assert decide_option("nothing here", [], ENGLISH).value is None


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("A, B and C", [True, True, False]),
        ("A, B, C or D", [True, True, True, False]),
        ("A and B. C", [True, False, False]),
        ("A, B", [False, False]),
        ("A. B and C", [False, True, False]),
    ],
)
def test_options_of_a_list_are_linked_to_the_next(text: str, linked: list[bool]) -> None:
    letters = [position for position, letter in enumerate(text) if letter in "ABCD"]
    mentions = [Mention(start, start + 1, index, is_label=True) for index, start in enumerate(letters)]
    assert _linked_to_next(text, mentions, ENGLISH) == linked


@pytest.mark.parametrize(
    ("choices", "reply", "expected"),
    [
        (("beach", "city", "factory"), "It seems to be a city, but the machines point towards a factory.", 2),
        (("beach", "city", "factory"), "It is a city, but a factory is nearby.", None),
        (("praia", "cidade", "fábrica"), "Parece cidade por causa do ruído, mas as máquinas indicam fábrica.", 2),
        (("Geige", "Gitarre", "Trommel"), "Zuerst Geige, dann Gitarre, beides gleich lang.", None),
        (("violino", "chitarra", "tamburo"), "Un violino, credo, o forse una chitarra.", None),
        (("una pizza", "un panino", "un gelato"), "Potrebbe essere A come potrebbe essere B.", None),
        (("violín", "guitarra", "tambor"), "Tanto puede ser A como B.", None),
        (("Ja", "Vielleicht", "Nie"), "Entweder A oder C.", None),
        (("violin", "guitar", "drum"), "I first thought it was a violin.", None),
        (("gato", "perro", "vaca"), "Gato no, perro tampoco.", None),
        (("скрипка", "гитара", "барабан"), "Казалось бы, скрипка, но нет — гитара.", 1),
        (("wütend", "traurig", "fröhlich"), "Sie lacht zwar, aber das ist ein wütendes Lachen.", 0),
        (("violin", "guitar", "drum"), "Guitar. The violin comes later.", 1),
        (("violin", "guitar", "drum"), "The answer is guitar, because a violin is bowed.", 1),
        (("violin", "guitar", "drum"), "At first I heard a violin, but it is a guitar.", 1),
    ],
)
def test_an_option_is_not_read_if_the_reply_turns_to_another(
    choices: tuple[str, ...], reply: str, expected: int | None
) -> None:
    assert read_option(reply, choices).value == expected


@pytest.mark.parametrize(
    ("choices", "reply", "expected"),
    [
        (("sad", "happy"), 'She says "I am so happy today", yet she sounds sad.', 0),
        (("悲伤", "高兴"), "她嘴里说着“我很高兴”，声音却透着悲伤。", 0),
        (("sad", "happy"), 'She says "I am so happy today".', None),
        (("sad", "happy"), 'The label is "clearly happy".', 1),
        (("sad", "happy"), '{"answer": "she is happy", "reason": "no sad tone"}', 1),
    ],
)
def test_an_option_in_quoted_speech_is_not_read(choices: tuple[str, ...], reply: str, expected: int | None) -> None:
    assert read_option(reply, choices).value == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Putting my chips on C here, listen to the bow.", 2),
        ("这个稳稳的是C没跑了", 2),
        ("C요. 활로 켜잖아요.", 2),
        ("なんとなくCっぽいです。", 2),
        ("说话人B在唱歌。", None),
        ("话者的C大调音阶。", None),
        ("It is in C minor.", None),
        ("The guitar (B) it is.", 1),
        ("❌ A\n❌ B\n✅ C", 2),
        ("violin: no\nguitar: yes\ndrum: no", 1),
        ("B or", None),
        ("C 🙂", 2),
    ],
)
def test_a_letter_is_read_by_its_surroundings(reply: str, expected: int | None) -> None:
    assert read_option(reply, ("violin", "guitar", "drum")).value == expected


def test_articles_within_an_option_may_be_added() -> None:
    assert read_option("The two are a doctor and a patient.", ("siblings", "doctor and patient")).value == 1


@pytest.mark.parametrize(
    "reply",
    [
        "alegria? não. medo? não. raiva? sim.",
        "alegria: não\nmedo: não\nraiva: sim, forte",
        "alegria — não\nraiva — sim",
        "Medo... não, corrijo-me: a emoção é raiva.",
    ],
)
def test_yes_or_no_after_an_option_is_the_verdict_on_it(reply: str) -> None:
    assert read_label(reply, ("alegria", "raiva", "medo")).value == "raiva"
