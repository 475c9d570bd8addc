"""Miniatures of the speech recognition and translation benchmarks."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.miniatures import Miniature, write_lines, write_tone


def librispeech(root: Path) -> None:
    for name, words in (("61-70968-0000", "HE BEGAN"), ("61-70968-0001", "GIVE NOT SO EARNEST")):
        write_tone(root / f"LibriSpeech/test-clean/61/70968/{name}.flac")
        with (root / "LibriSpeech/test-clean/61/70968/61-70968.trans.txt").open("a") as file:
            file.write(f"{name} {words}\n")
    write_tone(root / "LibriSpeech/test-other/367/130732/367-130732-0000.flac")
    write_lines(
        root / "LibriSpeech/test-other/367/130732/367-130732.trans.txt", "367-130732-0000 LOBSTERS AND LOBSTERS"
    )


def fleurs(root: Path) -> None:
    folder = root / "cmn_hans_cn"
    write_tone(folder / "audio/test/11.wav")
    write_tone(folder / "audio/test/12.wav")
    write_lines(
        folder / "test.tsv",
        '1591\t11.wav\t"这是什么？"\t这是什么\t这 | 是 |\t800\tMALE',
        "1591\t12.wav\t这是什么？\t这是什么\t这 | 是 |\t800\tFEMALE",
    )


def common_voice(root: Path) -> None:
    folder = root / "cv-corpus-17.0-2024-03-15/de"
    write_tone(folder / "clips/common_voice_de_1.mp3", rate=48_000, format_="MP3")
    write_tone(folder / "clips/common_voice_de_2.mp3", rate=48_000, format_="MP3")
    write_lines(
        folder / "test.tsv",
        "client_id\tpath\tsentence\tup_votes\tage\tgender\taccents\tlocale",
        'aa11\tcommon_voice_de_1.mp3\tEr sagte "nein".\t2\ttwenties\tmale_masculine\t\tde',
        "bb22\tcommon_voice_de_2.mp3\tUnd dann?\t3\t\t\t\tde",
    )


def covost(root: Path) -> None:
    write_tone(root / "en/clips/common_voice_en_7.mp3", rate=48_000, format_="MP3")
    write_tone(root / "en/clips/common_voice_en_8.mp3", rate=48_000, format_="MP3")
    write_lines(
        root / "covost_v2.en_zh-CN.tsv",
        "path\ttranslation\tsplit",
        "common_voice_en_7.mp3\t早上好\ttest",
        "common_voice_en_9.mp3\t再见\ttrain",
        "common_voice_en_8.mp3\t你好吗\ttest",
    )


def covost_split(root: Path) -> None:
    write_tone(root / "de/clips/common_voice_de_7.mp3", rate=48_000, format_="MP3")
    write_lines(
        root / "de/covost_v2.de_en.test.tsv",
        "path\tsentence\ttranslation\tclient_id",
        'common_voice_de_7.mp3\tGuten \\"Morgen\\"\tGood \\"morning\\"\tcc33',
    )


def aishell(root: Path) -> None:
    for name in ("BAC009S0764W0121", "BAC009S0764W0122", "BAC009S0764W0999"):
        write_tone(root / f"data_aishell/wav/test/S0764/{name}.wav")
    write_lines(
        root / "data_aishell/transcript/aishell_transcript_v0.8.txt",
        "BAC009S0002W0122 而 对 楼市",
        "BAC009S0764W0121 甚至 出现 交易",
        "BAC009S0764W0122 一二 线 城市",
    )


def aishell_2(root: Path) -> None:
    folder = root / "AISHELL-2/iOS/test"
    write_tone(folder / "wav/T0012/IT0012W0001.wav")
    write_tone(folder / "wav/T0012/IT0012W0002.wav")
    write_lines(folder / "wav.scp", "IT0012W0001\twav/T0012/IT0012W0001.wav", "IT0012W0002\twav/T0012/IT0012W0002.wav")
    write_lines(folder / "trans.txt", "IT0012W0001\t换一首歌", "IT0012W0002\t听beat it")


def wenetspeech(root: Path) -> None:
    write_tone(root / "audio/test_net/Y0000000000_x.opus", 0.4, 48_000, "OGG")
    segments = [
        {"sid": "Y0_S00000", "begin_time": 0.0, "end_time": 0.1, "text": "怎么样这些日子"},
        {"sid": "Y0_S00001", "begin_time": 0.1, "end_time": 0.3, "text": "住得还习惯吧"},
    ]
    meant = [{**each, "confidence": 1.0, "subsets": ["TEST_NET"]} for each in segments]
    other = {"sid": "Y0_S2", "begin_time": 0.3, "end_time": 0.4, "text": "啊", "subsets": ["DEV"]}
    audio = {"aid": "Y0000000000_x", "path": "audio/test_net/Y0000000000_x.opus", "duration": 0.4}
    write_lines(root / "WenetSpeech.json", json.dumps({"audios": [{**audio, "segments": [*meant, other]}]}))


def gigaspeech(root: Path) -> None:
    write_tone(root / "audio/podcast/P0001/POD1.opus", 0.4, 48_000, "OGG")
    texts = ("FOUR O'CLOCK <COMMA> REPLIED WILLIAMS <PERIOD>", "<MUSIC>", "YES <QUESTIONMARK>")
    segments = [
        {
            "sid": f"POD1_S{at:07}",
            "speaker": "N/A",
            "begin_time": at / 10,
            "end_time": at / 10 + 0.1,
            "text_tn": words,
            "subsets": ["{TEST}"],
        }
        for at, words in enumerate(texts)
    ]
    audio = {"aid": "POD1", "path": "audio/podcast/P0001/POD1.opus", "source": "podcast"}
    write_lines(root / "GigaSpeech.json", json.dumps({"audios": [{**audio, "segments": segments}]}))


def tedlium(root: Path) -> None:
    folder = root / "TEDLIUM_release-3/legacy/test"
    write_tone(folder / "sph/AimeeMullins_2009P.sph", 0.5, format_="NIST")
    write_lines(
        folder / "stm/AimeeMullins_2009P.stm",
        "AimeeMullins_2009P 1 inter_segment_gap 0 0.1 <o,,unknown> ignore_time_segment_in_scoring",
        "AimeeMullins_2009P 1 AimeeMullins 0.10 0.30 <o,f0,female> i 'd like to {NOISE} share",
        "AimeeMullins_2009P 1 AimeeMullins 0.30 0.50 <o,f0,female> it 's <unk> a discovery",
    )


def voxpopuli(root: Path) -> None:
    folder = root / "transcribed_data/en"
    name = "20090112-0900-PLENARY-3-en_20090112-17:{:02}:00_4"
    write_tone(folder / f"2009/{name.format(1)}.ogg", format_="OGG")
    write_tone(folder / f"2009/{name.format(3)}.ogg", format_="OGG")
    write_lines(
        folder / "asr_test.tsv",
        "id\traw_text\tnormalized_text\tspeaker_id\tsplit\tgender\tis_gold_transcript\taccent",
        f"{name.format(1)}\tMr President.\tmr president\t28\ttest\tmale\tTrue\tNone",
        f"{name.format(2)}\t\t\t28\ttest\tmale\tFalse\tNone",
        f"{name.format(3)}\tThank you.\tthank you\t1033\ttest\tfemale\tTrue\tNone",
    )


def ami(root: Path) -> None:
    write_tone(root / "amicorpus/ES2004a/audio/ES2004a.Headset-1.wav", 0.5)
    notes = root / "ami_public_manual_1.6.2"
    nite = 'xmlns:nite="http://nite.sourceforge.net/"'
    write_lines(
        notes / "corpusResources/meetings.xml",
        f"<nite:root {nite}>",
        '<meeting observation="ES2004a"><speaker nxt_agent="B" channel="1" global_name="MEO015"/>',
        "</meeting></nite:root>",
    )
    words = ("<w nite:id='{0}0'>Okay</w>", "<w nite:id='{0}1' punc='true'>.</w>",
             "<vocalsound nite:id='{0}2' type='laugh'/>", "<w nite:id='{0}3'>Right</w>",
             "<w nite:id='{0}4'>then</w>")  # fmt: skip
    name = "ES2004a.B.words"
    inside = "".join(words).format(name)
    write_lines(notes / f"words/{name}.xml", f"<nite:root {nite}>{inside}</nite:root>")
    spans = (("1", "0.10", "0.20", 0, 1), ("2", "0.20", "0.25", 2, 2), ("3", "0.25", "0.50", 3, 4))
    segments = "".join(
        f"<segment nite:id='ES2004a.sync.{at}' transcriber_start='{start}' transcriber_end='{end}'>"
        f"<nite:child href='{name}.xml#id({name}{first})..id({name}{last})'/></segment>"
        for at, start, end, first, last in spans
    )
    write_lines(notes / "segments/ES2004a.B.segments.xml", f"<nite:root {nite}>{segments}</nite:root>")


def earnings(root: Path) -> None:
    home = root / "earnings22"
    write_tone(home / "media/4320211.mp3", 0.5, 24_000, "MP3")
    write_lines(
        home / "metadata.csv",
        "File ID,Ticker Symbol,Country by Ticker,UN Defined,Major Dialect Family,"
        "Language Family + Area Based,File Length (seconds),Sampling Rate (Hz)",
        "4320211,PAM,Argentina,Latin America and Caribbean,Other,Spanish/Portuguese,1,24000",
    )
    plain = ("Good|0||||UC|[]|[]", "morning|0|||.|LC|[]|[]", "Thanks|1|||.|UC|[]|[]")
    header = "token|speaker|ts|endTs|punctuation|case|tags|wer_tags"
    write_lines(home / "transcripts/nlp_references/4320211.nlp", header, *plain)
    write_lines(
        home / "transcripts/force_aligned_nlp_references/4320211.aligned.nlp",
        "token|speaker|ts|endTs|punctuation|prepunctuation|case|tags|oldTs|oldEndTs|ali_comment",
        "Good|0|0.0000|0.1000|||UC|[]|||",
        "morning|0|0.1000|0.2000|.||LC|[]|||",
        "Lost|0|||||UC|[]|||del",
        "words|0|0.2000|0.2500|.||LC|[]|||",
        "Misheard|0|0.2500|0.3000|.||UC|[]|||sub(we)",
        "Arqit|1|0.3000|0.4000|.||UC|[]|||sub(<unk>)",
    )


def spgispeech(root: Path) -> None:
    folder = root / "spgispeech"
    write_tone(folder / "val/07a785e9/1.wav")
    write_tone(folder / "val/07a785e9/12.wav")
    write_lines(
        folder / "val.csv",
        "wav_filename|wav_filesize|transcript",
        '07a785e9/1.wav|1600|We "beat" the guidance, by 3%.',
        "07a785e9/12.wav|1600|Next question, please.",
    )


VOX = "20090112-0900-PLENARY-3-en_20090112-17:{:02}:00_4"
SPEECH = [
    Miniature(
        "librispeech",
        librispeech,
        {"61-70968-0000": "HE BEGAN", "61-70968-0001": "GIVE NOT SO EARNEST"},
        meta={"speaker": "61", "chapter": "70968"},
        file="LibriSpeech/test-clean/61/70968/61-70968-0000.flac",
    ),
    Miniature(
        "librispeech",
        librispeech,
        {"367-130732-0000": "LOBSTERS AND LOBSTERS"},
        {"split": "test-other"},
        file="LibriSpeech/test-other/367/130732/367-130732-0000.flac",
    ),
    Miniature(
        "fleurs",
        fleurs,
        {"11": "这是什么", "12": "这是什么"},
        {"language": "zh"},
        meta={"sentence": "1591", "gender": "male", "raw_text": '"这是什么？"'},
        file="cmn_hans_cn/audio/test/11.wav",
    ),
    Miniature(
        "common-voice",
        common_voice,
        {"common_voice_de_1": 'Er sagte "nein".', "common_voice_de_2": "Und dann?"},
        {"language": "de"},
        meta={"speaker": "aa11", "age": "twenties"},
        file="cv-corpus-17.0-2024-03-15/de/clips/common_voice_de_1.mp3",
    ),
    Miniature(
        "covost2",
        covost,
        {"common_voice_en_7": "早上好", "common_voice_en_8": "你好吗"},
        {"pair": "en_zh-CN"},
        meta={"spoken": "en", "written": "zh-CN"},
        file="en/clips/common_voice_en_7.mp3",
    ),
    Miniature(
        "covost2",
        covost_split,
        {"common_voice_de_7": 'Good "morning"'},
        {"pair": "de_en"},
        meta={"speaker": "cc33", "sentence": 'Guten "Morgen"'},
        file="de/clips/common_voice_de_7.mp3",
    ),
    Miniature(
        "aishell",
        aishell,
        {"BAC009S0764W0121": "甚至出现交易", "BAC009S0764W0122": "一二线城市"},
        meta={"speaker": "S0764"},
        file="data_aishell/wav/test/S0764/BAC009S0764W0121.wav",
    ),
    Miniature(
        "aishell-2",
        aishell_2,
        {"IT0012W0001": "换一首歌", "IT0012W0002": "听beat it"},
        meta={"speaker": "T0012"},
        file="AISHELL-2/iOS/test/wav/T0012/IT0012W0001.wav",
    ),
    Miniature(
        "wenetspeech",
        wenetspeech,
        {"Y0_S00000": "怎么样这些日子", "Y0_S00001": "住得还习惯吧"},
        meta={"recording": "Y0000000000_x"},
        file="audio/test_net/Y0000000000_x.opus",
        spans={"Y0_S00001": (0.1, 0.3)},
    ),
    Miniature(
        "gigaspeech",
        gigaspeech,
        {"POD1_S0000000": "FOUR O'CLOCK REPLIED WILLIAMS", "POD1_S0000002": "YES"},
        meta={"recording": "POD1", "source": "podcast"},
        file="audio/podcast/P0001/POD1.opus",
        spans={"POD1_S0000002": (0.2, 0.2 + 0.1)},
    ),
    Miniature(
        "tedlium",
        tedlium,
        {
            "AimeeMullins_2009P-0000010-0000030": "i'd like to share",
            "AimeeMullins_2009P-0000030-0000050": "it's a discovery",
        },
        meta={"speaker": "AimeeMullins"},
        file="TEDLIUM_release-3/legacy/test/sph/AimeeMullins_2009P.sph",
        spans={"AimeeMullins_2009P-0000010-0000030": (0.1, 0.3)},
    ),
    Miniature(
        "voxpopuli",
        voxpopuli,
        {VOX.format(1): "mr president", VOX.format(3): "thank you"},
        meta={"speaker": "28", "gender": "male"},
        file=f"transcribed_data/en/2009/{VOX.format(1)}.ogg",
    ),
    Miniature(
        "ami",
        ami,
        {"ES2004a.sync.1.B": "Okay", "ES2004a.sync.3.B": "Right then"},
        meta={"speaker": "MEO015", "meeting": "ES2004a"},
        file="amicorpus/ES2004a/audio/ES2004a.Headset-1.wav",
        spans={"ES2004a.sync.3.B": (0.25, 0.5)},
    ),
    Miniature(
        "earnings22",
        earnings,
        {"4320211": "Good morning. Thanks."},
        meta={"country": "Argentina", "accent": "Spanish/Portuguese"},
        file="earnings22/media/4320211.mp3",
    ),
    Miniature(
        "earnings22",
        earnings,
        {"4320211-00000": "Good morning.", "4320211-00003": "Arqit."},
        {"cut": "sentences"},
        meta={"speaker": "4320211-0", "call": "4320211"},
        file="earnings22/media/4320211.mp3",
        spans={"4320211-00000": (0.0, 0.2)},
    ),
    Miniature(
        "spgispeech",
        spgispeech,
        {"07a785e9_1": 'We "beat" the guidance, by 3%.', "07a785e9_12": "Next question, please."},
        meta={"call": "07a785e9"},
        file="spgispeech/val/07a785e9/1.wav",
    ),
]
