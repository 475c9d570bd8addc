"""Korean replies."""

from typing import Any

import pytest

from tests.support import reading_cases as cases
from tests.support.reading_cases import REFUSED

pytestmark = pytest.mark.thorough

PLACES = ("공원", "병원", "공항", "식당")
INSTRUMENTS = ("바이올린", "트럼펫", "피아노", "플루트")
OPTIONS = {
    ("한 번", "두 번", "세 번", "그 외"): {"적어도 두 번 울립니다.": None, "그 외 소음도 들립니다.": None},
    ("거문고", "해금", "대금", "장구"): {
        "해금이라고 생각하기 쉽지만 보기 중 세 번째 악기입니다.": "C",
        "거문고도 장구도 아닌 대금을 연주합니다.": "C",
        "해금이라고 하기에는 너무 낮고, 거문고 쪽을 고르겠습니다.": "A",
        "A를 고르겠지만 결론을 내리기 어렵습니다.": None,
    },
    ("카페", "세탁소", "야구장"): {
        "잔 부딪히는 소리까지, 딱 카페네요.": "A",
        "C요. 응원가 들리잖아요.": "C",
        "그렇다면 세탁소겠지요.": "B",
        "카페 아니면 뭐겠어요.": "A",
        "카페는 빼고 생각해야겠어요.": None,
        "A, 아 아니다, C로 고칠게요.": "C",
        "재생을 누르면 바로 꺼져 버려서 한마디도 못 들었습니다.": REFUSED,
        "소리를 듣는 기능이 없습니다.": REFUSED,
    },
    INSTRUMENTS: {
        "제 생각에는 B입니다.": "B",
        "분명히 트럼펫입니다.": "B",
        "여기서는 피아노가 연주됩니다.": "C",
        "정답은 (D)입니다.": "D",
        "네 번째 선택지입니다.": "D",
        "A와 B 사이에서 고민했지만 B입니다.": "B",
        "A, B, D는 아니므로 C입니다.": "C",
        "바이올린처럼 들리지만 플루트입니다.": "D",
        "결론: D": "D",
        "아니, C입니다.": "C",
        "A는 절대 아닙니다. 정답은 D입니다.": "D",
        "B가 정답입니다.": "B",
        "답은 피아노(C)입니다.": "C",
        "B 아니면 C입니다.": None,
        "A일 수도 있고 D일 수도 있습니다.": None,
        "금관악기라면 B입니다.": None,
        "A를 골라야 하나요?": None,
        "선택지는 바이올린, 트럼펫, 피아노, 플루트입니다.": None,
        "D는 확실히 아니에요.": None,
        "플루트보다 낮은 소리입니다.": None,
        "C는 제외할 수 있습니다.": None,
        "정답은": None,
        "바이올린이라고 생각하지 않습니다.": None,
        "B만 빼고 다 가능합니다.": None,
    },
    PLACES: {
        "B": "B",
        "A입니다.": "A",
        "정답은 C입니다.": "C",
        "답: D": "D",
        "정답: B": "B",
        "답은 B. 병원입니다.": "B",
        "C번입니다.": "C",
        "D를 선택하겠습니다.": "D",
        "공항입니다.": "C",
        "병원인 것 같습니다.": "B",
        "비행기 소리가 들리므로 공항이라고 생각합니다.": "C",
        "첫 번째 선택지입니다.": "A",
        "세 번째입니다.": "C",
        "마지막 선택지": "D",
        "Ｂ": "B",
        "공원이 아니라 식당입니다.": "D",
        "A도 B도 아닙니다. C입니다.": "C",
        "처음에는 병원인 줄 알았지만 식당입니다.": "D",
        "A, 아니, B입니다.": "B",
        "굳이 고르자면 C입니다.": "C",
        "A인가요 B인가요?": None,
        "A일까요?": None,
        "A 또는 B입니다.": None,
        "A나 C입니다.": None,
        "선택지는 A, B, C, D입니다.": None,
        "A. 공원 B. 병원 C. 공항 D. 식당": None,
        "A는 아닙니다.": None,
        "병원은 아닌 것 같습니다.": None,
        "공원보다 시끄럽습니다.": None,
        "만약 비행기 소리가 들렸다면 C를 골랐을 것입니다.": None,
        "모르겠습니다.": None,
        "죄송하지만 오디오를 들을 수 없습니다.": REFUSED,
        "오디오 파일이 없습니다.": REFUSED,
        "음성 파일을 재생할 수 없습니다.": REFUSED,
        "저는 텍스트만 처리할 수 있어서 A나 B를 고를 수 없습니다.": REFUSED,
        "개인정보 보호를 위해 답변할 수 없습니다.": REFUSED,
    },
}
EMOTIONS = ("행복", "슬픔", "분노", "중립")
FEELINGS = ("기쁨", "슬픔", "분노", "중립")
LABELS = {
    FEELINGS: {
        "화난 목소리입니다.": "분노",
        "슬퍼 보이지 않습니다.": None,
        "기쁨에 가까운 말투입니다.": None,
        "분노에 더 가깝습니다.": None,
        "기쁨!": "기쁨",
        "라벨=분노": "분노",
        "화자의 목소리는 슬픔을 나타냅니다.": "슬픔",
        "기쁨인 줄 알았는데 슬픔입니다.": "슬픔",
        "기쁨이라고 하기 어렵습니다.": None,
        "슬픔도 분노도 아닙니다.": None,
        "기쁨, 슬픔, 분노, 중립": None,
        "슬픔일까요, 피곤함일까요?": None,
        "슬픔과 분노의 중간입니다.": None,
    },
    EMOTIONS: {
        "슬픔": "슬픔",
        "감정: 분노": "분노",
        "화자는 행복한 것 같습니다.": "행복",
        "이 목소리의 감정은 중립입니다.": "중립",
        "슬픔이 아니라 분노입니다.": "분노",
        "슬픔은 아닙니다.": None,
        "슬픔 또는 분노입니다.": None,
        "행복인가요?": None,
        "오디오가 없어서 감정을 판단할 수 없습니다.": REFUSED,
    },
}
YES_NO = {
    '"아니, 안 돼"라는 말 뒤로 종이 울립니다.': None,
    "전혀요. 조용합니다.": False,
    "음성을 입력받지 못했습니다.": REFUSED,
    "판단하기 어렵습니다.": None,
    "오디오를 들을 수 없습니다.": REFUSED,
    "음성 파일을 찾을 수 없습니다.": REFUSED,
    "녹음 파일이 첨부되지 않은 것 같습니다.": REFUSED,
    "저는 텍스트 기반 AI라서 소리를 들을 수 없습니다.": REFUSED,
    "파일을 열 수 없었습니다.": REFUSED,
    "음성으로 개인을 식별할 수 없습니다.": REFUSED,
    "오디오를 다시 업로드해 주세요.": REFUSED,
    "그 요청은 도와드리기 어렵습니다.": REFUSED,
    "정책상 답변드릴 수 없습니다.": REFUSED,
    "오디오가 재생되지 않습니다.": REFUSED,
    "녹음을 받지 못했습니다.": REFUSED,
    "목소리로 감정을 추론하는 것은 할 수 없습니다.": REFUSED,
    "소리를 들을 수 없어서 평가가 불가능합니다.": REFUSED,
    "네, 분명합니다.": True,
    "아니요, 아무도 노래하지 않습니다.": False,
    "맞아요.": True,
    "음악은 나오지 않습니다.": False,
    "물론입니다.": True,
    "처음에는 네라고 생각했지만 아니요입니다.": False,
    "경우에 따라 다릅니다.": None,
    "아마도.": None,
    "말하기 어렵습니다.": None,
    "같은 사람이 아닙니다.": False,
    "전혀 아닙니다.": False,
    "네": True,
    "네.": True,
    "예, 있습니다.": True,
    "네, 들립니다.": True,
    "맞습니다.": True,
    "그렇습니다.": True,
    "있습니다.": True,
    "아니요": False,
    "아니오.": False,
    "아니요, 없습니다.": False,
    "아닙니다.": False,
    "정답은 예입니다.": True,
    "답: 아니요": False,
    "따라서 답은 네입니다.": True,
    "개 짖는 소리는 들리지 않습니다.": False,
    "사이렌은 없습니다.": False,
    "의심의 여지 없이, 네.": True,
    "처음에는 아니라고 생각했지만, 정답은 예입니다.": True,
    "예와 아니요 사이입니다.": None,
    "글쎄요, 그럴까요?": None,
    "소리가 더 컸다면 네라고 했을 것입니다.": None,
    "오디오가 없습니다.": REFUSED,
    "죄송하지만 소리를 들을 수 없습니다.": REFUSED,
    "음성 파일이 첨부되지 않았습니다.": REFUSED,
}
NUMBERS = {
    (1.0, 5.0): {
        "만점입니다.": 5,
        "만점은 아닙니다.": None,
        "별 네 개": 4,
        "별 두 개를 주겠습니다.": 2,
        "별 다섯 개 만점에 네 개입니다.": None,
        "3점 정도, 조금 더 높을 수도 있습니다.": None,
        "2점은 너무 낮으니 3점입니다.": 3,
        "5점이라고 하려다가 3점으로 낮춥니다.": 3,
        "별 4개입니다.": 4,
        "제 평가는 3점입니다.": 3,
        "녹음은 12초이고, 4점을 주겠습니다.": 4,
        "3.5점": 3.5,
        "2점과 3점 사이입니다.": None,
        "최대 3점입니다.": None,
        "3점 또는 4점": None,
        "10점 만점에 6점": None,
        "명료도 4점, 자연스러움 2점": None,
        "3점, 어쩌면 4점.": None,
        "처음에는 3점이라고 생각했지만 최종적으로 4점입니다.": 4,
        "4점 정도입니다.": 4,
        "3": 3,
        "4점": 4,
        "3점입니다.": 3,
        "점수: 2": 2,
        "평점은 4점입니다.": 4,
        "5점 만점에 4점입니다.": 4,
        "저는 3.5점을 주겠습니다.": 3.5,
        "삼 점": 3,
        "사점입니다.": 4,
        "5점이 아니라 4점입니다.": 4,
        "3점, 아니 4점입니다.": 4,
        "1점에서 5점 중 4점입니다.": 4,
        "3점이나 4점입니다.": None,
        "3~4점": None,
        "3점 이상입니다.": None,
        "최소 3점입니다.": None,
        "10점 만점에 8점입니다.": None,
        "소음이 없었다면 5점이었을 것입니다.": None,
        "몇 점일까요?": None,
        "오디오를 재생할 수 없어 평가할 수 없습니다.": REFUSED,
    }
}


@pytest.mark.parametrize(("choices", "reply", "expected"), cases.parameters(OPTIONS))
def test_an_option_is_read(choices: tuple[str, ...], reply: str, expected: Any) -> None:
    assert cases.option(choices, reply) == expected


@pytest.mark.parametrize(("labels", "reply", "expected"), cases.parameters(LABELS))
def test_a_label_is_read(labels: tuple[str, ...], reply: str, expected: Any) -> None:
    assert cases.label(labels, reply) == expected


@pytest.mark.parametrize(("_question", "reply", "expected"), cases.parameters({"": YES_NO}))
def test_yes_or_no_is_read(_question: str, reply: str, expected: Any) -> None:
    assert cases.yes_no(reply) == expected


@pytest.mark.parametrize(("limits", "reply", "expected"), cases.parameters(NUMBERS))
def test_a_number_is_read(limits: tuple[float, float], reply: str, expected: Any) -> None:
    assert cases.number(limits, reply) == expected
