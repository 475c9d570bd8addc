"""Japanese replies."""

from typing import Any

import pytest

from tests.support import reading_cases as cases
from tests.support.reading_cases import REFUSED

PLACES = ("公園", "レストラン", "病院", "空港")
INSTRUMENTS = ("バイオリン", "トランペット", "ピアノ", "フルート")
OPTIONS = {
    INSTRUMENTS: {
        "私の考えではBです。": "B",
        "明らかにトランペットです。": "B",
        "ここではピアノが演奏されています。": "C",
        "正解は（D）です。": "D",
        "四番目の選択肢だと思います。": "D",
        "AとBで迷いましたが、Bにします。": "B",
        "A、B、Dは違うので、Cです。": "C",
        "バイオリンのように聞こえますが、フルートです。": "D",
        "結論：D": "D",
        "すみません、Cの間違いでした。正解はCです。": "C",
        "Aでは絶対にありません。正解はDです。": "D",
        "選択肢Bが正しいです。": "B",
        "答えはピアノ（C）です。": "C",
        "BかCです。": None,
        "Aかもしれないし、Dかもしれません。": None,
        "金管楽器ならBです。": None,
        "Aを選ぶべきですか？": None,
        "選択肢はバイオリン、トランペット、ピアノ、フルートです。": None,
        "Dではないことは確かです。": None,
        "フルートより低い音です。": None,
        "Cは除外できます。": None,
        "答えは": None,
        "バイオリンだとは思いません。": None,
        "B以外なら何でも。": None,
        "どちらとも言えません。": None,
    },
    PLACES: {
        "C": "C",
        "Bです。": "B",
        "Dだと思います。": "D",
        "答えはAです。": "A",
        "正解：C": "C",
        "回答：B": "B",
        "答えはDの空港です。": "D",
        "病院です。": "C",
        "レストランだと思います。": "B",
        "飛行機のアナウンスが聞こえるので、空港です。": "D",
        "この録音は公園で録られたものと考えられます。": "A",
        "2番目の選択肢です。": "B",
        "一番目です。": "A",
        "三つ目の選択肢": "C",
        "最後の選択肢です。": "D",
        "Ｃ": "C",
        "B. レストラン": "B",
        "Bを選びます。": "B",
        "公園ではなく、病院です。": "C",
        "AでもBでもなく、Cです。": "C",
        "最初は病院かと思いましたが、実際はレストランです。": "B",
        "Aだと思いましたが、正解はDです。": "D",
        "A、いや、Bです。": "B",
        "強いて言えばCです。": "C",
        "公園というより空港です。": "D",
        "<think>病院かな</think>答えはA": "A",
        "AですかBですか。": None,
        "Aでしょうか？": None,
        "どちらですか？公園ですか、病院ですか？": None,
        "AかBです。": None,
        "AかCのどちらかです。": None,
        "選択肢はA、B、C、Dです。": None,
        "A. 公園 B. レストラン C. 病院 D. 空港": None,
        "Aではありません。": None,
        "病院ではないと思います。": None,
        "公園より静かです。": None,
        "もし飛行機の音がすれば、Dです。": None,
        "アナウンスがあれば空港を選びます。": None,
        "わかりません。": None,
        "申し訳ありませんが、音声を聞くことができません。": REFUSED,
        "音声ファイルが添付されていません。": REFUSED,
        "音声が再生できませんでした。": REFUSED,
        "私は音声を処理できないため、AからDの中から選べません。": REFUSED,
        "プライバシー保護のため、お答えできません。": REFUSED,
    },
}
EMOTIONS = ("嬉しい", "悲しい", "怒っている", "普通")
SOUNDS = ("犬の鳴き声", "雨", "拍手", "車")
FEELINGS = ("喜び", "悲しみ", "怒り", "中立")
LABELS = {
    FEELINGS: {
        "喜び！": "喜び",
        "話者の感情は悲しみに近いです。": None,
        "ラベル＝怒り": "怒り",
        "喜んでお手伝いします。感情は中立です。": "中立",
        "喜びかと思いましたが、声は悲しみを表しています。": "悲しみ",
        "この声から怒りが感じられます。": "怒り",
        "喜びとは言いがたいです。": None,
        "悲しみでも怒りでもありません。": None,
        "喜び、悲しみ、怒り、中立": None,
        "悲しみでしょうか、それとも疲れでしょうか。": None,
        "悲しみと怒りの中間です。": None,
    },
    EMOTIONS: {
        "悲しい": "悲しい",
        "感情：悲しい": "悲しい",
        "話者は怒っているようです。": "怒っている",
        "ラベルは「普通」です。": "普通",
        "嬉しいのではなく、悲しいです。": "悲しい",
        "嬉しいとは言えません。": None,
        "悲しいか怒っているかのどちらかです。": None,
        "嬉しいですか？": None,
        "音声が届いていないため、悲しいかどうか判断できません。": REFUSED,
    },
    SOUNDS: {
        "拍手": "拍手",
        "これは雨の音です。": "雨",
        "犬の鳴き声が聞こえます。": "犬の鳴き声",
        "雨ではなく拍手です。": "拍手",
        "車の音より大きいです。": None,
    },
}
YES_NO = {
    "音声を聞くことができません。": REFUSED,
    "音声ファイルが見つかりません。": REFUSED,
    "申し訳ございませんが、録音が添付されていないようです。": REFUSED,
    "私はテキストベースのAIなので、音声は聞けません。": REFUSED,
    "音声の再生に失敗しました。": REFUSED,
    "ファイルを開くことができませんでした。": REFUSED,
    "個人の声を特定することはできません。": REFUSED,
    "音声データを受信していません。": REFUSED,
    "音声を再度アップロードしてください。": REFUSED,
    "そのご要望にはお応えできません。": REFUSED,
    "声から感情を推測することは控えています。": REFUSED,
    "音声認識の機能がないため、回答できません。": REFUSED,
    "録音を聞けないので、点数はつけられません。": REFUSED,
    "はい、明らかです。": True,
    "いいえ、誰も歌っていません。": False,
    "その通りです。": True,
    "音楽は流れていません。": False,
    "もちろんです。": True,
    "最初は「はい」と思いましたが、答えは「いいえ」です。": False,
    "場合によります。": None,
    "たぶん。": None,
    "何とも言えません。": None,
    "もちろん違います。": False,
    "同じ人ではありません。": False,
    "はい、間違いありません。": True,
    "はい": True,
    "はい。": True,
    "はい、聞こえます。": True,
    "ええ、そうです。": True,
    "そうです。": True,
    "聞こえます。": True,
    "いいえ": False,
    "いいえ、違います。": False,
    "違います。": False,
    "答えは「はい」です。": True,
    "答え：いいえ": False,
    "結論としては、いいえです。": False,
    "犬の鳴き声は聞こえません。": False,
    "サイレンの音は含まれていません。": False,
    "間違いなく、はいです。": True,
    "最初はいいえだと思いましたが、答えははいです。": True,
    "はいかいいえか、わかりません。": None,
    "はいとも、いいえとも言えません。": None,
    "どうでしょうか？": None,
    "もう少し大きければ、はいと言えます。": None,
    "音声がありません。": REFUSED,
    "申し訳ありませんが、音声を聞くことはできません。": REFUSED,
    "音声ファイルを確認できませんでした。": REFUSED,
}
NUMBERS = {
    (1.0, 5.0): {
        "星4つです。": 4,
        "私の評価は三です。": 3,
        "録音は12秒で、4点です。": 4,
        "3.5点です": 3.5,
        "2点と3点の間です。": None,
        "最高でも3点です。": None,
        "3点か4点です。": None,
        "3点以上": None,
        "10点中6点": None,
        "明瞭さは4点、自然さは2点です。": None,
        "3点、もしかすると4点。": None,
        "最初は3点と思いましたが、最終的に4点です。": 4,
        "4点くらいです。": 4,
        "4": 4,
        "3点": 3,
        "4点です。": 4,
        "評価は2です。": 2,
        "評価：5": 5,
        "スコア：3": 3,
        "5点満点で4点です。": 4,
        "5段階評価で3です。": 3,
        "三点です。": 3,
        "３点": 3,
        "3.5点": 3.5,
        "5点ではなく4点です。": 4,
        "3点、いや、4点です。": 4,
        "1から5の尺度で4です。": 4,
        "3から4です。": None,
        "3か4です。": None,
        "3〜4点": None,
        "3点以上です。": None,
        "少なくとも3点です。": None,
        "10点満点で8点です。": None,
        "もっとはっきりしていれば5点でした。": None,
        "何点でしょうか？": None,
        "音声を再生できないため、評価できません。": REFUSED,
        "音声が添付されていないので点数をつけられません。": REFUSED,
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
