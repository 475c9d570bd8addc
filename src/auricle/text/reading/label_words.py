"""Words for the labels that datasets use most: emotions, speakers, sounds, animals, instruments, languages.

A paragraph has the words for one label in ten languages, separated by "|", in the order of `LANGUAGES`; an underscore
stands for a space. Plurals and other endings are added by `word_forms`. Words that often mean something else in their
language are left out, such as the Korean word for "dog", which also counts things.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

LANGUAGES = ("en", "zh", "ja", "ko", "de", "fr", "es", "pt", "it", "ru")

_TABLE = """
angry anger furious fury rage enraged | 生气 愤怒 气愤 发怒 发火 | 怒り 怒って 怒っている 激怒 憤り
| 분노 화가_나 화가_난 화가_났습니다 화난 화를_내 격분 | wütend Wut zornig Zorn verärgert Ärger
| colère en_colère furieux furieuse fâché fâchée rage
| enfadado enfadada enfado enojado enojada enojo ira rabia furioso furiosa
| raiva zangado zangada irritado irritada furioso furiosa ira
| rabbia arrabbiato arrabbiata furioso furiosa ira collera
| гнев злость злой злая злится гневный гневно сердитый сердитая сердито сердится ярость

happy happiness joy joyful cheerful | 开心 高兴 快乐 喜悦 愉快 | 喜び 喜んで 嬉しい 嬉しそう うれしい うれしそう 幸せ
| 기쁨 기쁜 기뻐 기뻐하는 행복 즐거움 | glücklich Freude fröhlich froh freudig Fröhlichkeit
| joie joyeux joyeuse heureux heureuse bonheur gai | alegre alegría feliz felicidad contento contenta
| alegria alegre feliz felicidade contente
| gioia felice felicità allegro allegra gioioso gioiosa allegria contento contenta
| радость радостный радостная радостно рад радуется счастье счастливый счастливая счастлив весёлый весело

sad sadness sorrow sorrowful | 难过 悲伤 伤心 悲痛 哀伤 | 悲しみ 悲しい 悲しそう 悲しげ 悲しんで
| 슬픔 슬픈 슬퍼 슬프게 | traurig Trauer Traurigkeit | triste tristesse attristé attristée
| triste tristeza entristecido entristecida | triste tristeza entristecido entristecida
| triste tristezza rattristato rattristata | грусть грустный грустная грустно печаль печальный печальная печально

fearful fear scared frightened terrified afraid | 害怕 恐惧 惊恐 | 恐れ 恐怖 怯えて 怖がって
| 두려움 두려운 무서워 공포 | ängstlich Angst verängstigt Furcht
| peur effrayé effrayée apeuré apeurée craintif craintive | miedo asustado asustada temor atemorizado atemorizada
| medo assustado assustada amedrontado amedrontada | paura spaventato spaventata impaurito impaurita
| страх испуг испуганный испуганная испуганно боится

surprised surprise astonished astonishment | 惊讶 吃惊 诧异 惊奇 | 驚き 驚いて 驚いた | 놀람 놀란 놀라움
| überrascht Überraschung erstaunt Erstaunen | surprise surpris étonné étonnée étonnement
| sorpresa sorprendido sorprendida asombrado asombrada asombro | surpresa surpreso surpreendido surpreendida
| sorpresa sorpreso stupito stupita stupore | удивление удивлённый удивлённая удивлённо удивлён удивлена удивляется

disgusted disgust | 厌恶 反感 | 嫌悪 嫌悪感 | 혐오 혐오감 역겨움 | angeekelt Ekel angewidert Abscheu
| dégoût dégoûté dégoûtée écœuré écœurée | asco asqueado asqueada repugnancia repulsión | nojo repulsa
| disgusto disgustato disgustata ribrezzo schifo | отвращение брезгливость

neutral neutrality | 中性 中立 | 中立 ニュートラル 無感情 | 중립 중립적 무감정 | neutral sachlich Neutralität
| neutre neutralité | neutro neutra neutral | neutro neutra neutralidade | neutro neutra neutrale
| нейтральный нейтральная нейтрально нейтральность

calm calmness | 平静 冷静 镇定 | 平静 冷静 落ち着いて 落ち着いた 穏やか | 차분 차분한 차분하게 침착 평온
| ruhig Ruhe gelassen | calme posé posée | tranquilo tranquila calmado calmada sereno serena
| calmo calma tranquilo tranquila sereno serena | calmo calma tranquillo tranquilla sereno serena
| спокойный спокойная спокойно спокойствие

excited excitement | 兴奋 激动 | 興奮 興奮して | 흥분 흥분한 신난 | aufgeregt begeistert Aufregung Begeisterung
| excité excitée enthousiaste excitation | emocionado emocionada entusiasmado entusiasmada
| animado animada empolgado empolgada entusiasmado entusiasmada | eccitato eccitata entusiasta entusiasmo
| возбуждение восторг восторженный восторженная восторженно взволнованный взволнованная

bored boredom | 无聊 厌倦 | 退屈 | 지루함 지루한 지루해 | gelangweilt Langeweile | ennui ennuyé ennuyée
| aburrido aburrida aburrimiento | entediado entediada tédio | annoiato annoiata noia
| скука скучающий скучающая скучно

nervous nervousness | 紧张 | 緊張 緊張して | 긴장 긴장한 초조 | nervös Nervosität | nerveux nerveuse nervosité
| nervioso nerviosa nerviosismo | nervoso nervosa nervosismo | nervoso nervosa nervosismo
| нервный нервная нервно нервозность

anxious anxiety | 焦虑 | 不安 | 불안 불안한 | besorgt | anxieux anxieuse anxiété | ansioso ansiosa ansiedad
| ansioso ansiosa ansiedade | ansioso ansiosa ansia | тревога тревожный тревожная тревожно

frustrated frustration | 沮丧 挫败 | 苛立ち | 좌절 | frustriert Frust Frustration | frustré frustrée frustration
| frustrado frustrada frustración | frustrado frustrada frustração | frustrato frustrata frustrazione
| разочарование разочарован разочарована

confused confusion | 困惑 | 困惑 戸惑い 混乱 | 혼란 당황 | verwirrt Verwirrung | confus confuse confusion
| confundido confundida confusión | confuso confusa confusão | confuso confusa confusione
| растерянность растерянный растерянная растерянно

sarcastic sarcasm | 讽刺 嘲讽 | 皮肉 | 빈정거림 비꼬는 | sarkastisch Sarkasmus | sarcastique sarcasme
| sarcástico sarcástica sarcasmo | sarcástico sarcástica sarcasmo | sarcastico sarcastica sarcasmo
| сарказм саркастичный саркастично

male man man's gentleman | 男性 男声 男人 男子 男士 男的 | 男性 男の人 男声 | 남성 남자 | männlich Mann Männerstimme
| masculin masculine homme | masculino masculina hombre varón | masculino masculina homem | maschile maschio uomo
| мужской мужчина мужским мужская

female woman woman's lady | 女性 女声 女人 女子 女士 女的 | 女性 女の人 女声 | 여성 여자 | weiblich Frau Frauenstimme
| féminin féminine femme | femenino femenina mujer | feminino feminina mulher | femminile femmina donna
| женский женщина женским женская

child kid | 儿童 孩子 小孩 童声 | 子供 子ども こども | 아이 어린이 아동 | Kind Kinderstimme | enfant | niño niña
| criança | bambino bambina | ребёнок ребенка ребёнка детский

speech spoken_words | 语音 说话声 讲话声 人声 | 話し声 スピーチ 発話 会話 | 말소리 발화
| Sprache Gesprochenes Sprechen | parole discours voix_parlée | habla voz_hablada discurso | fala voz_falada discurso
| parlato voce_parlata discorso | речь

music | 音乐 | 音楽 | 음악 | Musik | musique | música | música | musica | музыка

noise | 噪音 噪声 | 雑音 騒音 ノイズ | 소음 잡음 | Rauschen Lärm Störgeräusch | bruit | ruido | ruído barulho | rumore
| шум

silence | 静音 寂静 | 無音 静寂 | 무음 정적 침묵 | Stille Schweigen | silence | silencio | silêncio | silenzio
| тишина

singing song | 唱歌 歌声 歌唱 | 歌声 歌唱 | 노래 | Gesang Lied | chant | canto canción | canto canção | canto canzone
| пение песня

laughter laughing laugh | 笑声 大笑 | 笑い声 笑い | 웃음 웃음소리 | Lachen Gelächter | rire | risa carcajada
| riso risada gargalhada | risata | смех хохот

crying cry | 哭声 哭泣 | 泣き声 | 울음 울음소리 | Weinen | pleurs | llanto | choro | pianto | плач

applause clapping | 掌声 鼓掌 | 拍手 | 박수 박수갈채 | Applaus Beifall Klatschen | applaudissement | aplauso
| aplauso palmas | applauso | аплодисменты

rain rainfall | 雨声 下雨 雨水 | 雨音 雨 | 빗소리 | Regen | pluie | lluvia | chuva | pioggia | дождь

wind | 风声 刮风 | 風の音 風音 強風 | 바람 바람소리 | Wind | vent | viento | vento | vento | ветер

thunder | 雷声 打雷 | 雷鳴 雷 | 천둥 천둥소리 | Donner | tonnerre | trueno | trovão trovões | tuono | гром

siren | 警笛 警报声 | サイレン | 사이렌 | Sirene Martinshorn | sirène | sirena | sirene | sirena | сирена

engine motor | 发动机 引擎 马达 | エンジン モーター | 엔진 모터 | Motor | moteur | motor | motor | motore
| двигатель мотор

footsteps steps | 脚步声 脚步 | 足音 | 발소리 발걸음 | Schritte | bruits_de_pas | pasos pisadas | passos | passi
| шаги

bell | 铃声 钟声 | 鐘 ベル | 종소리 | Glocke | cloche | campana | sino | campana | колокол

water | 水声 流水 流水声 | 水音 水の音 | 물소리 | Wasser | eau | agua | água | acqua | вода

car automobile | 汽车 轿车 | 自動車 | 자동차 | Auto Pkw | voiture | coche automóvil | carro automóvel
| automobile auto macchina | автомобиль машина

train | 火车 列车 | 列車 電車 | 기차 열차 | Zug | | tren | trem comboio | treno | поезд

airplane plane aeroplane | 飞机 | 飛行機 | 비행기 | Flugzeug | avion | avión | avião aviões | aereo aeroplano
| самолёт

dog | 狗 犬吠 | 犬 イヌ | 강아지 | Hund | chien | perro | cão cães cachorro | cane | собака пёс

cat | 猫 | 猫 ネコ | 고양이 | Katze | chat | gato | gato | gatto | кошка кот

bird | 鸟 鸟类 小鸟 | 鳥 小鳥 | 새소리 참새 | Vogel Vögel | oiseau oiseaux | pájaro ave | pássaro ave | uccello
| птица

cow cattle | 奶牛 母牛 黄牛 牛叫 | 牛 ウシ | 젖소 암소 | Kuh Kühe | vache | vaca | vaca | mucca vacca | корова

horse | 马匹 骏马 马嘶声 | 馬 ウマ | 말발굽 | Pferd | cheval chevaux | caballo | cavalo | cavallo | лошадь конь

sheep | 绵羊 山羊 羊叫 | 羊 ヒツジ | 양떼 | Schaf | mouton brebis | oveja | ovelha | pecora | овца

rooster cock | 公鸡 | 雄鶏 おんどり | 수탉 | Hahn | coq | gallo | galo | gallo | петух

pig | 猪 | 豚 ブタ | 돼지 | Schwein | cochon porc | cerdo | porco | maiale | свинья

frog | 青蛙 | 蛙 カエル | 개구리 | Frosch Frösche | grenouille | rana | rã sapo | rana | лягушка

duck | 鸭子 | 鴨 アヒル | 오리 | Ente | canard | pato | pato | anatra | утка

insect | 昆虫 | 昆虫 | 곤충 | Insekt | insecte | insecto | inseto | insetto | насекомое

piano | 钢琴 | ピアノ | 피아노 | Klavier Piano | piano | piano | piano | pianoforte piano | пианино фортепиано рояль

guitar | 吉他 | ギター | 통기타 기타_소리 기타_연주 | Gitarre | guitare | guitarra | violão guitarra | chitarra
| гитара

violin | 小提琴 | バイオリン ヴァイオリン | 바이올린 | Geige Violine | violon | violín violines | violino | violino
| скрипка

cello | 大提琴 | チェロ | 첼로 | Cello Violoncello | violoncelle | violonchelo chelo | violoncelo | violoncello
| виолончель

flute | 长笛 笛子 | フルート | 플루트 | Flöte Querflöte | flûte | flauta | flauta | flauto | флейта

trumpet | 小号 | トランペット | 트럼펫 | Trompete | trompette | trompeta | trompete | tromba | труба

saxophone sax | 萨克斯 萨克斯管 | サックス サクソフォン | 색소폰 | Saxophon Saxofon | saxophone | saxofón saxo
| saxofone | sassofono | саксофон

clarinet | 单簧管 | クラリネット | 클라리넷 | Klarinette | clarinette | clarinete | clarinete | clarinetto | кларнет

drums drum | 鼓声 架子鼓 打鼓 | ドラム 太鼓 | 드럼 북소리 | Schlagzeug Trommel | batterie tambour | tambor batería
| tambor bateria | tamburo batteria | барабан барабаны

harp | 竖琴 | ハープ | 하프 | Harfe | harpe | arpa | harpa | arpa | арфа

accordion | 手风琴 | アコーディオン | 아코디언 | Akkordeon | accordéon | acordeón | acordeão sanfona | fisarmonica
| аккордеон

organ | 管风琴 | オルガン | 오르간 | Orgel | orgue | órgano | órgão | organo | орган

English | 英语 英文 | 英語 | 영어 | Englisch | anglais anglaise | inglés inglesa | inglês inglesa | inglese
| английский по-английски

Chinese Mandarin | 中文 汉语 普通话 | 中国語 | 중국어 | Chinesisch Mandarin | chinois chinoise mandarin
| chino china mandarín | chinês chinesa mandarim | cinese mandarino | китайский по-китайски

Japanese | 日语 日文 | 日本語 | 일본어 | Japanisch | japonais japonaise | japonés japonesa | japonês japonesa
| giapponese | японский по-японски

Korean | 韩语 韩文 | 韓国語 | 한국어 | Koreanisch | coréen coréenne | coreano coreana | coreano coreana
| coreano coreana | корейский по-корейски

German | 德语 德文 | ドイツ語 | 독일어 | Deutsch | allemand allemande | alemán alemana | alemão alemã
| tedesco tedesca | немецкий по-немецки

French | 法语 法文 | フランス語 | 프랑스어 | Französisch | français française | francés francesa | francês francesa
| francese | французский по-французски

Spanish | 西班牙语 | スペイン語 | 스페인어 | Spanisch | espagnol espagnole | español española castellano
| espanhol espanhola castelhano | spagnolo spagnola castigliano | испанский по-испански

Portuguese | 葡萄牙语 | ポルトガル語 | 포르투갈어 | Portugiesisch | portugais portugaise | portugués portuguesa
| português portuguesa | portoghese | португальский по-португальски

Italian | 意大利语 | イタリア語 | 이탈리아어 | Italienisch | italien italienne | italiano italiana | italiano italiana
| italiano italiana | итальянский по-итальянски

Russian | 俄语 俄文 | ロシア語 | 러시아어 | Russisch | russe | ruso rusa | russo russa | russo russa
| русский по-русски

once one_time | 一次 | 一回 一度 | 한_번 | einmal | une_fois | una_vez | uma_vez | una_volta | один_раз

twice two_times | 两次 | 二回 二度 | 두_번 | zweimal | deux_fois | dos_veces | duas_vezes | due_volte
| два_раза дважды

three_times thrice | 三次 | 三回 三度 | 세_번 | dreimal | trois_fois | tres_veces | três_vezes | tre_volte
| три_раза трижды

four_times | 四次 | 四回 四度 | 네_번 | viermal | quatre_fois | cuatro_veces | quatro_vezes | quattro_volte
| четыре_раза

five_times | 五次 | 五回 五度 | 다섯_번 | fünfmal | cinq_fois | cinco_veces | cinco_vezes | cinque_volte | пять_раз
"""


@cache
def label_words() -> tuple[Mapping[str, frozenset[str]], ...]:
    """Return the words for each label in each language, without case."""
    return tuple(_parse(paragraph) for paragraph in _TABLE.split("\n\n"))


def _parse(paragraph: str) -> Mapping[str, frozenset[str]]:
    cells = [cell.split() for cell in paragraph.casefold().split("|")]
    return {
        language: frozenset(form for word in words for form in word_forms(word.replace("_", " "), language))
        for language, words in zip(LANGUAGES, cells, strict=True)
    }


_ENDINGS = {
    "en": ("s",),
    "de": ("e", "n", "en", "er", "es", "em", "s"),
    "fr": ("s",),
    "es": ("s", "es"),
    "pt": ("s", "es"),
}
_ITALIAN_PLURALS = {"o": "i", "a": "e", "e": "i"}


def word_forms(word: str, language: str) -> Iterator[str]:
    """Yield a word, then its plural and forms with other endings: "Hund", "Hunde"; Russian is compared by its stems."""
    yield word
    if language == "it" and word[-1] in _ITALIAN_PLURALS:
        yield word[:-1] + _ITALIAN_PLURALS[word[-1]]
    for ending in _ENDINGS.get(language, ()):
        yield word + ending
