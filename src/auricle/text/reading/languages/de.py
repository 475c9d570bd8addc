"""German phrasings."""

from auricle.text.reading.table import Phrasings

_AUDIO = (
    "(?:audio(?:datei(?:en)?|s|aufnahmen?|inhalte?n?|material)?|aufnahmen?|aufzeichnung(?:en)?|"
    "ton(?:datei(?:en)?|aufnahmen?|spur)?|sound(?:datei(?:en)?|s)?|dateien?|datei|anhang|anhänge|"
    "sprachnachricht(?:en)?|clips?|mitschnitte?)"
)

TABLE = Phrasings(
    fillers=(
        "der|die|das|den|dem|ein|eine[nmrs]?|option|antwort|antwortmöglichkeit|buchstabe|nummer|wahrscheinlich|"
        "vermutlich|eindeutig|klar|ganz|sehr|wohl|eher|am ehesten|meiner meinung nach|auf jeden fall|definitiv|"
        "sicher|tatsächlich|nur|einfach|ziemlich|recht|etwas|hier|vor allem|hauptsächlich|zu|im|in|label"
    ),
    verbs=(
        "ist|sind|war|es|das|klingt|wirkt|scheint|hört|sich|nach|wie|um|besonders|so|gerade|wirklich|für|an|auf|"
        "zu hören|passt|sein|gut|als"
    ),
    articles=r"der|die|das|den|dem|des|eine?[nmrs]?|im|in|am|auf|an|beim?|vom?|über|zum?|zur",
    option_nouns=r"option|antwort|möglichkeit|antwortmöglichkeit|variante|auswahl|alternative|lösung|buchstabe|nummer",
    conjunctions=r"oder|und|noch|beziehungsweise|bzw\.?|sowie|oder doch(?: eher)?|oder auch|oder vielleicht",
    verbs_after_letter="ist|wäre|und|oder|noch|weil|da|passt|klingt|scheidet|kann|stimmt|denn|trifft|kommt",
    negations=(
        "keine spur (?:von|eine[rs]?)|"
        "nicht|kein(?:e[nmrs]?|erlei)?|weder|noch|nie|niemals|ohne|außer|statt|anstatt|anstelle|alles andere als|"
        "kaum|keineswegs|keinesfalls|mit ausnahme(?: von)?|anders als|ausgeschlossen|bis auf|näher an|"
        r"ähnlich wie|ähnelt|erinnert an|weit entfernt von|unwahrscheinlich|schließe|zu \w+ für"
    ),
    distant_negations=(
        "niemand|keiner|"
        r"nicht(?! nur)|kein\w*|nie|niemals|kaum|bezweifle|schwer|weder|unwahrscheinlich|gegenteil"
    ),
    denied_clauses=(
        r"(?:manche|viele|andere|man) (?:würden?|könnten?) (?:\w+ )?(?:sagen|meinen|denken), (?:es|"
        "das) (?:sei|ist|wäre)|"
        "(?:alle|viele) denken|"
        r"(?:manche|mancher|viele|andere|man|jemand) (?:würden?|könnten?) (?:\w+ )*?(?:meinen|denken|sagen|"
        r"glauben|halten|nennen)|wer (?:hier |da )?(?:an )?(?=\w+ (?:vermutet|denkt|tippt|glaubt|hört))|"
        "(?:manche|viele|andere) (?:halten|nennen|hielten)|"
        "ob|zwischen|schwanke|unsicher|unklar|(?:mögliche|verfügbare|folgende)n? (?:antworten|optionen|labels)|"
        "die optionen sind|glaube nicht|denke nicht"
    ),
    denials=(
        r"würde ich (?:\w+ )?nicht|wohl kaum|"
        r"(?:\w+ ){1,3}?niemand|keine spur|(?:hört|vermutet|sagt|denkt|annimmt), (?:irrt|liegt falsch|"
        "täuscht)|"
        r"(?:ist|sind|klingt|war) (?:\w+ ){0,3}?(?:niemand|keiner|nichts)|(?:scheidet|fällt) (?:\w+ )?(?:aus|"
        "weg)|kommt nicht in ?frage|"
        r"(?:ist|sind|wäre|war)\s+(?:es\s+)?(?:\w+\s+)?(?:nicht|falsch|ausgeschlossen|unwahrscheinlich|unpassend|"
        r"auszuschließen|raus)|ist es nicht|nicht|scheidet(?:\s+\w+)? aus|kommt(?:\s+\w+)? nicht|"
        r"passt(?:\s+\w+)? nicht|stimmt nicht|kann (?:man )?(?:\w+ )?ausschließen|trifft nicht|fällt weg|"
        r"schließe ich aus|scheiden(?:\s+\w+)? aus|lassen sich ausschließen|passen nicht|klingt anders|"
        r"wäre (?:\w+er)\b|können ausgeschlossen"
    ),
    first_thoughts=(
        "zuerst|zunächst|anfangs|erst|am anfang|dachte|gedacht|vermutete|hätte|auf den ersten blick|"
        "im ersten moment|hielt|man könnte (?:meinen|denken)"
    ),
    first_thoughts_after=r"dachte ich|hätte ich|war mein erster|habe ich zuerst|vermutete ich|klang es zuerst",
    doubts=r"vielleicht|möglicherweise|eventuell|könnte|womöglich|kann",
    doubts_after=r"ist (?:auch )?möglich|wäre möglich|falls|sofern|wenn",
    answer_nouns=r"antwort|lösung|ergebnis|urteil|fazit|endergebnis|schlussfolgerung|entscheidung|endgültig",
    result_nouns=(
        "wahl|option|label|kategorie|klasse|stimmung|emotion|gefühl|genre|instrument|geräusch|einschätzung|tipp|"
        "auswahl|tonfall"
    ),
    copulas=r"ist|sind|lautet|wäre|bleibt|heißt|fällt auf|war",
    decisions=(
        r"müsste|dürfte|ich (?:\w+ )?(?:wähle|nehme|sage|tippe auf|entscheide mich für|glaube|denke|meine|vermute|höre|"
        r"würde sagen|bin für|bleibe bei|stimme für|setze auf)(?:[\s,]|dass|es|ist|das)*|"
        r"würde ich(?: (?:\w+ )?(?:sagen|wählen|tippen auf|nehmen))?|ich würde|also|daher|deshalb|deswegen|"
        "folglich|somit|demnach|sondern|nein,?|moment,?|halt,?|warte,?|warten sie,?|doch|eigentlich|"
        r"es handelt sich(?: \w+)? um|handelt es sich(?: \w+)? um|besser gesagt|genauer gesagt|korrektur|vielmehr|"
        "in wirklichkeit|letztlich|schließlich|bleibt nur|bleibt|nämlich|das heißt|entspricht|eindeutig|"
        "aber es ist|pardon,?|ich meine|ach nein,?|gemeint ist|muss|aber eigentlich"
    ),
    confirmations=(
        r"weil|da|denn|(?:ist|wäre|klingt|scheint|passt)\s+(?:\w+\s+)?(?:richtig|korrekt|"
        "die (?:richtige )?antwort|am (?:besten|wahrscheinlichsten)|zutreffend|passend|die lösung)|stimmt|"
        "trifft zu|passt(?: am besten)?|ist es|muss es sein"
    ),
    predicates=(
        "ist|sind|war|klingt|wirkt|scheint|wird|höre|hört man|zu hören ist|klingt nach|klingt wie|es|spielt|bestellt"
    ),
    ordinals=(
        "erste[nrs]?",
        "zweite[nrs]?",
        "dritte[nrs]?",
        "vierte[nrs]?",
        "fünfte[nrs]?",
        "sechste[nrs]?",
        "siebte[nrs]?",
        "achte[nrs]?",
    ),
    last_ordinal="letzte[nrs]?",
    conditions=(
        r"(?<![\w,;] )(?:wäre|gäbe|hätte)(?= \w+ [^.!?]*, (?:hörte|klänge|fehlte|käme|sähe))|"
        "andernfalls|ansonsten (?:ist|wäre|würde)|sonst (?:ist|wäre|würde)|"
        r"wenn|falls|sofern|vorausgesetzt|angenommen|ohne(?= .*(?:wäre|würde|hätte))|"
        r"(?<![\w,;] )(?:wäre|hätte|gäbe|würde|könnte)(?= \w+ .*(?:würde|wäre|hätte|gäbe))"
    ),
    harmless_conditions=(
        r"wenn ich (?:\w+ )*?(?:wählen|entscheiden|raten|festlegen|sagen) (?:müsste|muss|soll|sollte)|wenn (?:man|"
        r"ich|sie) (?:\w+ )?(?:genau(?:er)?|gut|aufmerksam) (?:hin)?hör(?:t|e|en)|wenn ich mich nicht (?:irre|"
        "täusche|verhört habe)|wenn sie mich fragen|wenn du mich fragst|als wenn|wenn überhaupt|"
        "wenn ich (?:das )?richtig (?:höre|gehört habe)"
    ),
    causes="weil|da|denn",
    concessions="obwohl|auch wenn|selbst wenn|obgleich|zwar|wenngleich|trotz|während",
    comparisons=(
        "(?:eher|näher|mehr|weniger|lauter|leiser|tiefer|höher|heller|dunkler|schneller|langsamer|größer|kleiner|"
        "besser|schlechter|trauriger|fröhlicher|ruhiger|ähnlicher|stärker|schwächer|weicher|härter|länger|"
        r"kürzer)\s[^.,;!?\n]{0,60}?als[^.,;!?\n]*"
    ),
    courtesies=(
        r"ja,? (?:sehr )?gerne?[,!.]|(?:daran |es )?(?:besteht|gibt es|gibt) kein\w* zweifel|kein(?:en|"
        "erlei) zweifel|ich muss nicht lange überlegen|"
        r"(?:ich )?(?:helfe|antworte|höre) (?:\w+ )?(?:gerne?|fröhlich)(?: \w+)?|gerne?[!,.]|freut mich|"
        "ich freue mich|kein problem|kein zweifel|keine frage|ohne zweifel|zweifellos|ohne jeden zweifel|"
        "keine ursache|nicht nur|nicht zuletzt|es besteht kein zweifel|zweifelsohne|kein ding|leider|"
        r"nichts für ungut|ich bin (?:froh|traurig|glücklich|gerne?)(?: \w+)?|traurig(?:erweise)|gar keine frage|"
        "kein wunder"
    ),
    dependences=(
        r"erste[rn]? (?:hälfte|teil)[^.!?\n]*zweite[rn]?|"
        r"(?:kommt|käme) (?:\w+ ){0,2}?(?:darauf|drauf) an|hängt (?:\w+ ){0,2}?davon ab|je nachdem"
    ),
    refusals=(
        r"(?:laden sie|lade) [^.!?\n]*hoch|(?:schicken|senden) sie (?:\w+ ){0,3}?(?:datei|aufnahme|audio\w*)|"
        r"(?:beantworte|identifiziere|beurteile) ich (?:\w+ ){0,2}?nicht(?=[.,;]|$)|"
        r"die ich grundsätzlich nicht|rückschlüsse auf[^.!?\n]* nicht|liegt (?:mir|uns)"
        r"(?: \w+)? nicht vor|(?:fehler|problem) beim (?:dekodieren|laden|öffnen|lesen|abspielen)|"
        r"dekodierung fehlgeschlagen|link (?:\w+ ){0,3}?(?:abgelaufen|ungültig)|ungültige\w* (?:datei|"
        r"format)\w*|kein\w* (?:ärztliche|medizinische)\w* (?:diagnose|beratung)|"
        r"möchte ich (?:mich )?(?:\w+ ){0,2}?nicht (?:äußern|beantworten|beurteilen|spekulieren)|"
        r"kein\w* zugriff|keine (?:töne|geräusche) (?:hören|wahrnehmen|verarbeiten)|datenschutz\w*|privatsphäre|"
        r"audio\w*(?: \w+)? (?:werden|wird|nicht)(?: \w+)? ?(?:nicht )?unterstützt|ohne (?:die |das )?(?:audio\w*|"
        rf"aufnahme|datei|ton\w*) kann|kein(?:e[nmrs]?|erlei)? (?:\w+ ){{0,1}}?{_AUDIO}(?! (?:von|aus)\b)|(?:kann|"
        "konnte|könnte|vermag)(?: ich| mir)?(?: leider| die| das| den| diese[nrs]?| deine| ihre| dir| ihnen| mir|"
        rf" hier| selbst| nicht| derzeit)* {_AUDIO}(?: \w+){{0,3}}? nicht(?: \w+){{0,2}}? (?:hören|abspielen|"
        "anhören|öffnen|verarbeiten|laden|abhören|wiedergeben|analysieren|finden|abrufen|zugreifen|bewerten|"
        rf"beurteilen)|nicht (?:auf |die |das )*{_AUDIO}(?: \w+)? (?:hören|zugreifen|abspielen|anhören)|"
        rf"{_AUDIO}(?: \w+){{0,3}}? (?:nicht|fehlt|ist leer|leer|beschädigt|fehlerhaft|"
        r"defekt)(?: \w+)? ?(?:geladen|angehängt|beigefügt|angekommen|abgespielt|hochgeladen|mitgeschickt|"
        "vorhanden|übertragen|verfügbar|erhalten|öffnen|laden)?(?=[.,;!]|$| (?:oder|und|zu sein|werden|"
        rf"worden))(?<!zu hören)|(?:nicht|keine|keinen)(?: \w+){{0,2}} (?:hören|zuhören|anhören|abspielen) (?:kann|"
        "können)|ich kann (?:leider )?(?:nichts|nicht) (?:hören|zuhören)(?=[.,;!]|$)|(?:habe|liegt|wurde|ist|"
        rf"sehe|finde|sehen|erhalten) (?:\w+ ){{0,3}}?kein\w* {_AUDIO}|(?:als|bin|nur) (?:ein |reines? |bloß |"
        "nur )*(?:text|sprach)(?:basierte[srn]? |-)?(?:modell|assistent|ki)|nur (?:mit )?text(?:e|"
        r"en)?(?= verarbeiten|[.,]|$| arbeiten)|(?:aus|wegen) (?:\w+ )?(?:datenschutz|sicherheits|rechtlichen|"
        r"ethischen|privatsphäre)\w*|datenschutzgründen|kann (?:ich )?(?:dir |ihnen |leider |dabei |damit |hier |"
        "da )*(?:nicht|nicht weiter)(?:helfen| behilflich| weiterhelfen)|nicht (?:weiter)?helfen|"
        rf"darf (?:ich )?(?:\w+ ){{0,6}}?nicht|nicht (?:befugt|berechtigt|erlaubt|gestattet)|verstößt gegen|"
        rf"anfrage (?:\w+ ){{0,5}}?nicht (?:bearbeiten|nachkommen|beantworten)|(?:lehne|"
        rf"muss) (?:\w+ ){{0,3}}?ab(?:lehnen)?(?=[.,]|$)|bitte (?:\w+ ){{0,6}}?(?:hochladen|hoch|anhängen|senden|"
        rf"schicken|lade|sende)|nicht in der lage,?(?: \w+){{0,3}}? (?:zu (?:hören|verarbeiten|analysieren|"
        r"beurteilen)|anzuhören|abzuspielen|audio\w*)"
    ),
    yes=r"ja|jawohl",
    agreements=(
        "das ist richtig|und ob|und wie|"
        "ja|jawohl|jep|doch|stimmt|richtig|genau|natürlich|selbstverständlich|definitiv|auf jeden fall|korrekt|"
        "allerdings|wahr|klar|sicher|eindeutig ja|ganz bestimmt|gewiss|auf alle fälle|ich denke schon|"
        "ich glaube schon|in der tat|durchaus|freilich|absolut"
    ),
    no=r"nein|nee|nö",
    disagreements=(
        "von wegen|weit gefehlt|"
        "nein|nee|nö|keineswegs|keinesfalls|auf keinen fall|überhaupt nicht|gar nicht|falsch|natürlich nicht|"
        "definitiv nicht|nicht wirklich|eher nicht|wohl nicht|ich glaube nicht|ich denke nicht|"
        "ganz und gar nicht|unwahr|mitnichten|sicher nicht|bestimmt nicht|wohl kaum|leider nicht|leider nein"
    ),
    both=(
        "nicht zu (?:überhören|leugnen|verkennen|übersehen)|(?:nicht so|nicht gesagt|"
        r"nicht sagen),? dass[^.!?\n]*|kann niemand überhören|hört nicht auf|"
        r"weder ja noch nein|jein|ja(?:,| und| oder|/) ?nein|nein oder ja|ob[^.,;!?\n]*|ja und nein|"
        "sowohl ja als auch nein|teils,? teils|nicht (?:ganz )?sicher|nicht richtig|ja auch|ja schon|"
        "klar (?:zu )?(?:hören|hörbar|erkennbar|verständlich)|sicher (?:bin|sagen)"
    ),
    implied_yes=(
        "(?:das|es|sie|er) (?:ist|tut|sind)(?: es)?(?: so)?|so ist es|das stimmt|das ist (?:richtig|korrekt|der fall)"
    ),
    implied_no=(
        "(?:höre|hört man|hört|gibt(?: es)?|ist|sind|enthält|erkenne|vernehme|kommt|spricht|habe|hat|vorkommt|"
        r"singt|bellt|läuft) (?:da |hier |in \w+ \w+ |auf der aufnahme |dort |darin |leider |eindeutig |man |es |"
        r"ich )*kein(?:e[nmrs]?|erlei)?(?! (?:\w+ )?(?:störgeräusch\w*|rauschen|unterschied\w*|problem\w*|fehler|"
        r"zweifel|hintergrundgeräusch\w*|verzerrung\w*))|nicht (?:zu hören|hörbar|vorhanden|enthalten|erkennbar|"
        "wahrnehmbar|vor|dieselbe|derselbe|die gleiche|die selbe|der gleiche)|(?:ist|sind|war|klingt|spricht|"
        "handelt sich) (?:das |es |hier |sicher |eindeutig |definitiv |leider )*nicht|"
        r"kann (?:ich )?(?:\w+ ){0,3}?kein\w* \w+ (?:hören|erkennen|ausmachen)|das ist (?:kein|keine|nicht)|"
        r"kein\w* \w+ (?:zu hören|hörbar|vorhanden|erkennbar)|fehlt (?:völlig|komplett|ganz)"
    ),
    number_words={
        **dict(
            zip(
                ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"],
                range(11),
                strict=True,
            )
        ),
        **dict(
            zip(
                ["eineinhalb", "zweieinhalb", "dreieinhalb", "viereinhalb", "fünfeinhalb"],
                (1.5, 2.5, 3.5, 4.5, 5.5),
                strict=True,
            )
        ),
        **dict(zip(["sechseinhalb", "siebeneinhalb", "achteinhalb", "neuneinhalb"], (6.5, 7.5, 8.5, 9.5), strict=True)),
    },
    halves=r"einhalb|und ein halb\w*|komma fünf",
    decimal_words="komma",
    minus="minus",
    rating_cues=(
        "bewertung|note|wertung|punktzahl|urteil|ergebnis|gebe|vergebe|geben|bewerte|würde|antwort|insgesamt|"
        "endgültig|gesamt|einschätzung|lautet|eine|sage|glatte|gute|schwache|starke|verdient|"
        "setze|fazit"
    ),
    rating_units=r"punkte?n?|sterne?n?|von",
    other_units=(
        r"sekunden?|s|min|minuten?|sprecher\w*|personen|stimmen|wörter|mal|hz|khz|db|jahre?n?|uhr|stunden?|leute|"
        "sätze|pausen|fehler|aufnahmen|instrumente"
    ),
    bounds=(
        "bestenfalls|im besten fall|mindestens|höchstens|maximal|minimal|über|unter|mehr als|weniger als|"
        "wenigstens|bis zu|fast|knapp|beinahe|besser als|schlechter als|zwischen|nahezu|minimum"
    ),
    bounds_after=r"bestenfalls|oder (?:mehr|weniger|höher|besser|schlechter|darüber|darunter)|aufwärts|plus",
    has_decimal_comma=True,
)
