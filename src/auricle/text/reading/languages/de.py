"""German phrasings."""

from auricle.text.reading.table import Phrasings

_AUDIO = (
    "(?:audio(?:datei(?:en)?|s|aufnahmen?|inhalte?n?|material)?|aufnahmen?|aufzeichnung(?:en)?|"
    "ton(?:datei(?:en)?|aufnahmen?|spur)|sound(?:datei(?:en)?|s)?|dateien?|datei|anhang|anhänge|"
    "sprachnachricht(?:en)?|clips?|mitschnitte?)"
)

TABLE = Phrasings(
    fillers=(
        "der|die|das|den|dem|ein|eine[nmrs]?|option|antwort|antwortmöglichkeit|buchstabe|nummer|wahrscheinlich|"
        "vermutlich|eindeutig|klar|ganz|sehr|wohl|eher|am ehesten|meiner meinung nach|auf jeden fall|definitiv|"
        "sicher|tatsächlich|nur|einfach|ziemlich|recht|etwas|hier|vor allem|hauptsächlich|zu|im|in|label"
    ),
    verbs=(
        "sowohl|"
        "ist|sind|war|es|das|klingt|wirkt|scheint|hört|sich|nach|wie|um|besonders|so|gerade|wirklich|für|an|auf|"
        "zu hören|passt|sein|gut|als"
    ),
    articles=r"der|die|das|den|dem|des|eine?[nmrs]?|im|in|am|auf|an|beim?|vom?|über|zum?|zur",
    option_nouns=r"option|antwort|möglichkeit|antwortmöglichkeit|variante|auswahl|alternative|lösung|buchstabe|nummer",
    conjunctions=(
        "als auch|wie auch|"
        r"oder|und|noch|beziehungsweise|bzw\.?|sowie|oder doch(?: eher)?|oder auch|oder vielleicht"
    ),
    verbs_after_letter="ist|wäre|und|oder|noch|weil|da|passt|klingt|scheidet|kann|stimmt|denn|trifft|kommt",
    negations=(
        "(?:mehr|weniger|öfter|häufiger|seltener) als|mindestens|höchstens|wenigstens|nichts ähnliches wie|"
        "vergessen sie|streiche|verwerfe|eliminiere|geschweige denn|von wegen|ausgenommen|abgesehen von|"
        "fern von|nichts von|"
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
        "(?:erzählt|erwähnt|behauptet|berichtet|schwärmt)(?:,? (?:dass |von |er |sie |"
        r"über )?)(?=[^.!?\n]*(?:aber|doch|jedoch|dabei))|wer nur|von (?=\w+ ganz zu schweigen)|"
        r"was (?=\w+ angeht|\w+ betrifft)|"
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
        r"(?:kann|können|darf) (?:man |ich |wir )?(?:\w+ )?(?:vergessen|streichen|weglassen|ausklammern|"
        r"verwerfen|abhaken|wegfallen)|handelt es sich (?:\w+ ){0,3}?nicht|(?:ist|war|sind) (?:es|das|"
        r"hier) (?:\w+ ){0,3}?nicht|"
        "(?:streiche|verwerfe|eliminiere|lehne) ich|ist vom tisch|sind vom tisch|hat (?:hier |"
        "damit )?nichts (?:damit )?zu (?:suchen|tun)|haben (?:hier |damit )?nichts|scheidet|scheiden|"
        "entfällt|entfallen|fällt flach|kommen nicht|liegt daneben|ist abwegig|ist nicht dabei|"
        "kommt nicht vor|"
        r"brummt (?:\w+ )?(?:bloß|nur) im hintergrund|(?:ist|sind|läuft|spielt) (?:\w+ )?(?:bloß|nur|"
        r"lediglich) (?:\w+ )?(?:im hintergrund|begleitung|beiwerk|nebenbei)|setzt erst später|"
        "begleitet (?:nur|bloß|lediglich)|"
        r"auch nicht|genauso wenig|ebenso wenig|ebensowenig|auch(?=[.,;!]|$)|"
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
        "neigte zu|tendierte|drauf und dran|liebäugelte|war versucht|fast hätte|erwähnt|erwähnen|"
        r"hielte|würde (?:\w+ )?(?:vielleicht|zunächst|erst) (?:auf|an)|hatte ich (?=[^.,;!?\n]*(?:notiert|"
        "vermutet|getippt|gegeben|vergeben|vorgesehen))|beim ersten (?:durchgang|hören|mal|eindruck)|"
        r"vom text her|dem wortlaut nach|laut text|(?:andere|manche|viele|das publikum|mein \w+|"
        r"meine \w+) (?:hätten?|würden?|gäben?|geben) (?:\w+ )?(?:gegeben|eine)?|"
        r"wollte(?! sagen)|hätte (?:\w+ )?(?:gern|fast|beinahe)|würde (?:\w+ )?gern|instinktiv|spontan|"
        r"war (?:kurz )?davor|man könnte an|"
        "zuerst|zunächst|anfangs|erst|am anfang|dachte|gedacht|vermutete|hätte|auf den ersten blick|"
        "im ersten moment|hielt|man könnte (?:meinen|denken)"
    ),
    first_thoughts_after=(
        "ja,? aber|zwar,? aber|nannte ich|war mein|hatte ich|"
        r"dachte ich|hätte ich|war mein erster|habe ich zuerst|vermutete ich|klang es zuerst"
    ),
    appearances=r"klingt(?: wie| nach)?|wirkt(?: wie)?|scheint|hallt wie|hört sich(?: an)? (?:wie|nach)",
    doubts=r"vielleicht|möglicherweise|eventuell|könnte|womöglich|kann",
    doubts_after=r"ist (?:auch )?möglich|wäre möglich|falls|sofern|wenn",
    answer_nouns=r"antwort|lösung|ergebnis|urteil|fazit|endergebnis|schlussfolgerung|entscheidung|endgültig",
    result_nouns=(
        "ereignis|akzent|dialekt|sprache|ort|klang|absicht|anliegen|"
        "wahl|option|label|kategorie|klasse|stimmung|emotion|gefühl|genre|instrument|geräusch|einschätzung|tipp|"
        "auswahl|tonfall"
    ),
    copulas=r"ist|sind|lautet|wäre|bleibt|heißt|fällt auf|war",
    decisions=(
        r"insgesamt|zusammen|alles in allem|unterm strich|entscheide mich (?:[\w-]+ ){0,6}?für|ich zähle|"
        "zähle ich|"
        "(?:weshalb|weswegen|sodass|womit) ich (?:mit|auf)|(?:antworte|votiere) (?:ich )?mit|"
        r"gehört (?:\w+ )?(?:in die (?:schublade|kategorie|klasse|rubrik)|zu|zur kategorie)|"
        r"fällt (?:\w+ )?(?:in die (?:kategorie|klasse|rubrik)|unter)|ordne ich (?:\w+ )?(?:als|der kategorie|"
        r"unter)|stufe ich (?:\w+ )?als|werte ich (?:\w+ )?als|einzuordnen (?:als|unter)|"
        r"meine stimme geht an|mein tipp(?: ist|:)?|läuft (?:\w+ )?auf|komme ich (?:\w+ )?(?:auf|zu)|"
        r"lande ich (?:\w+ )?bei|bleibe ich bei|halte ich (?:\w+ )?für|tippe ich auf|entscheide ich mich für|"
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
        r"verrät(?: jedoch| aber| klar)?|verraten|spricht (?:\w+ )?für|sprechen (?:\w+ )?für|deutet (?:\w+ )?auf|"
        r"deuten (?:\w+ )?auf|weist (?:\w+ )?auf|lässt auf|"
        "klopft|tritt|ertönt|erklingt|hervortritt|dominiert|herrscht|singt|bellt|"
        r"spricht(?: dabei)?(?: aber)?(?: \w+es)?|sprechen|"
        "ist|sind|war|klingt|wirkt|scheint|wird|höre|hört man|zu hören ist|klingt nach|klingt wie|es|spielt|bestellt"
    ),
    catch_alls="andere[sr]?|sonstiges?|keine[rs]?|nichts",
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
        "es sei denn|außer wenn|solange|"
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
    audio_nouns=(
        "uploads?|downloads?(?:-links?)?|mediendateien|mediendatei|format|dateiformat|übertragung|wiedergabe|"
        "player|streams?|voicemail|sprachmemo|"
        r"audio\w*|aufnahmen?|aufzeichnung(?:en)?|ton(?:datei(?:en)?|aufnahmen?|spur|material|beispiel)|sound\w*|"
        r"datei(?:en)?|anhang|anhänge|sprachnachricht(?:en)?|clips?|mitschnitte?|hörprobe|tonspur|link|anruf"
    ),
    locatives=(r"in|im|auf (?:der|dieser|ihrer|deiner|dem|diesem)|aus|während|von"),
    inabilities=(r"nicht(?! nur)|unmöglich|außerstande|unfähig|keine möglichkeit|keine fähigkeit"),
    perceptions=(
        "lauschen|herunterladen|wiederzugeben|zu öffnen|zu laden|vernehmen|zu entschlüsseln|"
        r"(?:an|zu|ab)?(?:zu)?hören|abspielen|abzuspielen|öffnen|(?:zu )?verarbeiten|laden|abhören|wiedergeben|"
        r"analysieren|abrufen|zugreifen|zuzugreifen|auswerten|dekodieren|lesen|empfangen|wahrnehmen|wahrzunehmen"
    ),
    arrivals=(
        r"angekommen|erhalten|angehängt|beigefügt|hochgeladen|mitgeschickt|übertragen|übermittelt|verfügbar|"
        r"vorhanden|gefunden|geladen|geöffnet|auffindbar|abspielbar|zugänglich|lesbar|unterstützt|funktioniert|"
        r"bekommen|empfangen|finden|liegt|vor(?=[.,;!]|$)|da(?=[.,;!]|$)|dabei|sehe"
    ),
    capacities=r"fähigkeit(?:en)?|möglichkeit(?:en)?|mittel|werkzeuge?|funktion",
    policies=r"richtlinien?|vorgaben|nutzungsbedingungen|bestimmungen",
    defects=(
        r"gescheitert|gesperrt|blockiert|verweigert|stumm\w*|404|abgestürzt|beschädigte\w*|"
        "nicht (?:kompatibel|erreichbar|lesbar|abspielbar|erkannt)|funktioniert nicht|geht nicht auf|"
        r"leer\w*|beschädigt\w*|defekt\w*|fehlt|fehlend\w*|fehlgeschlagen|korrupt\w*|kaputt|unlesbar\w*|"
        r"unbrauchbar\w*|stumm|abgelaufen|ungültig\w*|nicht unterstützt\w*|null (?:byte|sekunden)|0 (?:byte|"
        r"sekunden)|fehlerhaft\w*"
    ),
    refusals=(
        "(?<!trifft )(?<!treffen )(?<!traf )(?<!singt )(?<!spielt )(?<!sagt )kein(?:en)? ton(?! von| aus)|"
        "die ich (?:leider )?nicht (?:gehört habe|hören (?:kann|konnte)|anhören (?:kann|konnte))|"
        "den ich nicht (?:gehört habe|hören (?:kann|konnte))|keine (?:hörfähigkeit|hörfunktion)|"
        "(?:kaputte[nrms]?|defekte[nrms]?|tote[nrms]?|fehlerhafte[nrms]?|leere[nrms]?|abgelaufene[nrms]?|"
        r"beschädigte[nrms]?) (?:\w+-?)?(?:link|datei|aufnahme|audio\w*|anhang|upload|download\S*)|"
        "(?:fehler|error|http)[ -]?(?:404|403|500)|"
        r"(?:hören|zuhören|anhören|audio\w*|hörverstehen) (?:zählt|gehört|zählen|"
        r"gehören) (?:\w+ )?nicht zu meine[nr]|"
        "(?:denn|da|weil|nämlich|,|;|:) (?:hören|zuhören|lauschen) (?:kann|könnte|"
        r"vermag) ich (?:\w+ ){0,2}?nicht|"
        r"(?:keine?|ohne) (?:\w+ )?(?:ohren|gehör|hörvermögen|hörsinn|audiofunktion|audioeingang|"
        r"mikrofon) ?(?:habe|besitze|verfüge|ausgestattet|kann|zum)?(?=[^.!?\n]*(?:ich|mir))|"
        r"fehl(?:t|en) mir (?:\w+ ){0,3}?(?:ohren|gehör|hörvermögen|audio\w*|zugriff|zugang|aufnahme|datei|"
        "ton)|"
        r"(?:lese|verarbeite|verstehe|kenne|arbeite|bekomme|sehe) (?:ich )?(?:\w+ )?(?:nur|ausschließlich|"
        r"lediglich|bloß|rein) (?:\w+ ){0,2}?(?:text\w*|geschriebene\w*|schriftliche\w*|getippte\w*|"
        "buchstaben|zeichen)|"
        r"(?:nur|ausschließlich|lediglich|bloß) (?:\w+ ){0,2}?(?:text\w*|geschriebene\w*|schriftliche\w*|"
        r"getippte\w*|buchstaben) (?:\w+ )?(?:lesen|verarbeiten|verstehen|verarbeite|lese|verstehe|umgehen|"
        r"ausgelegt|zugriff)|auf (?:reinen )?text (?:beschränkt|ausgelegt|spezialisiert)|rein textbasiert\w*|"
        r"nichts (?:ist |wurde |war )?(?:\w+ )?(?:angehängt|beigefügt|angekommen|mitgeschickt|hochgeladen|"
        "übertragen|geladen|beigelegt)|"
        r"(?:es gibt|da ist|gibt es|habe ich|hier ist|ist) (?:\w+ ){0,2}?nichts,? (?:das|was|zu(?:m|r)?|"
        r"zu) (?:\w+ )?(?:ich )?(?:\w+ )?(?:bewerten|beurteilen|analysieren|klassifizieren|anhören|anzuhören|"
        "auswerten|einordnen|einzuordnen)|"
        r"ich (?:\w+ ){0,2}?(?:passen|enthalten) muss|muss (?:ich )?(?:\w+ ){0,2}?passen(?=[.,;!]|$)|"
        "enthalte ich mich|enthalte mich|da passe ich|halte ich mich heraus|"
        r"(?:entzieht|entziehen) sich mir(?=[^.!?\n]*hör)|"
        r"(?:konnte|kann|ließ|lässt|lassen) (?:ich |sich |mir )?(?:\w+ ){0,3}?(?:nichts|"
        r"nicht) (?:\w+ )?(?:anhören|abspielen|herunterladen|öffnen|laden|wiedergeben)|"
        r"(?:zugriff|zugang) (?:\w+ ){0,4}?(?:gesperrt|verweigert|blockiert|nicht möglich|verwehrt)|"
        r"(?:dateiformat|format|codec|dateityp) (?:\w+ ){0,4}?(?:nicht (?:unterstützt|erkannt|kompatibel|"
        "lesbar)|unbekannt)|"
        "(?:upload|download|übertragung|ladevorgang|laden|hochladen|"
        r"datenübertragung) (?:\w+ ){0,3}?(?:gescheitert|fehlgeschlagen|brach ab|hängt|klappte nicht|"
        "ging schief)|"
        "(?:upload|download|übertragung|ladevorgang|laden|hochladen|"
        r"datenübertragung) (?:\w+ ){0,3}?(?:abgebrochen|unterbrochen|gescheitert|fehlgeschlagen|brach ab|"
        "hängt|klappte nicht|ging schief)|"
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
        rf"(?:darf ich|ich darf) (?:\w+ ){{0,6}}?nicht|nicht (?:befugt|berechtigt|erlaubt|gestattet)|verstößt gegen|"
        rf"anfrage (?:\w+ ){{0,5}}?nicht (?:bearbeiten|nachkommen|beantworten)|(?:ich lehne|lehne ich|"
        rf"muss ich|ich muss) (?:\w+ ){{0,3}}?ab(?:lehnen)?(?=[.,]|$)|"
        rf"bitte (?:\w+ ){{0,6}}?(?:hochladen|hoch|anhängen|senden|schicken|lade|sende)|"
        rf"nicht in der lage,?(?: \w+){{0,3}}? (?:zu (?:hören|verarbeiten|analysieren|"
        r"beurteilen)|anzuhören|abzuspielen|audio\w*)"
    ),
    reservations=(
        "(?:(?:möchte|will|werde|darf|sollte|mag) ich|ich (?:möchte|will|werde|darf|sollte|"
        r"mag)) (?:[^.!?;\n]{0,60} )?(?:nicht|nichts|kein\w*)|"
        r"(?:verzichte|sehe|nehme) (?:ich )?(?:\w+ )?(?:darauf|davon)(?: ab| abstand)?|"
        "(?:es steht mir nicht zu|es ist mir nicht (?:erlaubt|gestattet|möglich)|ich bin nicht befugt|"
        "ist mir untersagt|lieber nicht|ungern|grundsätzlich nicht|grundsätzlich keine)"
    ),
    judgements=(
        "äußern|äußere|beurteilen|beurteile|bewerten|bewerte|urteilen|urteile|spekulieren|spekuliere|"
        "kommentieren|kommentiere|"
        "beantworten|beantworte|identifizieren|identifiziere|diagnostizieren|einschätzen|einstufen|abgeben|"
        "treffen|mutmaßen|antworten|stellung nehmen|festlegen|zuordnen"
    ),
    yes=r"ja|jawohl",
    agreements=(
        "das kann ich bestätigen|kann ich bestätigen|ich bestätige(?: das)?|bestätigt|das ist der fall|"
        "trifft zu|zutreffend|jup|joa|mit sicherheit|ganz sicher|ganz gewiss|positiv|aber sicher|"
        "aber klar|na klar|unbedingt|jo|"
        "das ist richtig|und ob|und wie|"
        "ja|jawohl|jep|doch|stimmt|richtig|genau|natürlich|selbstverständlich|definitiv|auf jeden fall|korrekt|"
        "allerdings|wahr|klar|sicher|eindeutig ja|ganz bestimmt|gewiss|auf alle fälle|ich denke schon|"
        "ich glaube schon|in der tat|durchaus|freilich|absolut"
    ),
    no=r"nein|nee|nö",
    disagreements=(
        "unzutreffend|inkorrekt|unrichtig|"
        "fehlanzeige|negativ|nicht im geringsten|nicht im mindesten|nichts da|kein bisschen|"
        "in keinster weise|in keiner weise|unter keinen umständen|nicht die spur|trifft nicht zu|"
        "nicht zutreffend|das ist nicht der fall|nie und nimmer|ausgeschlossen|ach was|ach woher|pustekuchen|"
        "denkste|nicht doch|beileibe nicht|"
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
    speech_verbs="sagt|sagen|ruft|rufen|antwortet|schreit|wiederholt|flüstert|meint",
    negators=(
        r"nicht|kein\w*|nie|niemals|niemand|nichts|ohne|unmöglich|leugnen|bestreiten|abstreiten|zweifel\w*|falsch|"
        r"gelogen|lüge|weder|kaum|überhören|vergeblich|fehlt|irr\w+"
    ),
    certainties=(
        r"kann (?:man |ich )?(?:\w+ )?nicht (?:sagen|behaupten),? dass [^.,;:!?\n]*?(?:nicht|"
        r"kein\w*)[^.,;:!?\n]*(?=[,;:])|"
        r"(?:keineswegs|nicht) so,? dass [^.,;:!?\n]*?(?:nicht|kein\w*)[^.,;:!?\n]*(?=[,;:])|"
        r"dass [^.,;:!?\n]*?(?:nicht|"
        r"kein\w*)[^.,;:!?\n]*, (?:kann|lässt sich) (?:man )?(?:\w+ )?nicht (?:sagen|behaupten)|"
        r"nein,? (?:sie|du|ihr|da) (?:täusch\w+|irr\w+|verhör\w+) (?:sich|dich|euch) (?:da )?nicht|"
        r"das gegenteil (?:wäre|würde)(?: mich)? (?:\w+ )?(?:wundern|erstaunlich|überraschen\w*)|"
        "(?:kann|lässt sich) (?:man )?(?:wirklich |beim besten willen )?nicht (?:abstreiten|wegdiskutieren|"
        "bezweifeln)|steht außer (?:frage|zweifel)|ich (?:täusche|irre) mich nicht|"
        r"(?:ganz )?ohne (?:jeden |jeglichen |den geringsten )?zweifel|zweifellos|zweifelsohne|kein(?:en?|"
        r"erlei)? zweifel|keine frage|gar keine frage|unüberhörbar|unverkennbar|unbestreitbar|nicht zu (?:überhören|"
        r"leugnen|verkennen|übersehen|bestreiten)|(?:nicht|niemand|kaum|schwer) (?:\w+ ){0,2}?(?:überhören|leugnen|"
        r"bestreiten|verkennen)|nicht nur(?! nicht)|versteht sich von selbst|nicht zu hören wäre|fraglos"
    ),
    wavering=(
        r"bleibt (?:\w+ ){0,3}?offen|kann (?:man|ich) (?:\w+ ){0,2}?nicht (?:sagen|wissen)|"
        r"lässt sich nicht (?:\w+ )?(?:sagen|entscheiden|erkennen|feststellen|beurteilen)|bleibt offen|"
        "(?:mal so,? mal so)|je nachdem|fifty-fifty|könnte (?:beides|sein)|da bin ich überfragt|weder noch|"
        "bleibt unklar|geht nicht (?:daraus )?hervor|"
        r"ja und nein|jein|teils,? teils|mal ja,? mal nein|manchmal|stellenweise|(?:schwer|kaum|nicht|"
        r"unmöglich) (?:\w+ ){0,2}?(?:zu )?(?:sagen|entscheiden|beurteilen|erkennen,? ob)|nicht (?:ganz |wirklich |"
        r"völlig )?sicher|unsicher|unklar|keine ahnung|wer weiß|ansichtssache|auslegungssache|"
        r"kommt (?:ganz )?(?:darauf|drauf) an|oder (?:vielleicht |doch |auch |eben )?(?:nicht|nein)(?=[.!?,]|$)|"
        r"weiß (?:ich )?nicht|halb und halb|sowohl als auch|gewissermaßen|irgendwie"
    ),
    implied_yes=(
        "die (?:aussage|behauptung) (?:ist (?:also |damit )?(?:richtig|wahr|korrekt|zutreffend)|stimmt|"
        "trifft zu)|"
        "(?:das|es|sie|er) (?:ist|tut|sind)(?: es)?(?: so)?|so ist es|das stimmt|das ist (?:richtig|korrekt|der fall)"
    ),
    implied_no=(
        "nicht die spur (?:von|eine[rs])|"
        "(?:die (?:aussage|behauptung)|das) (?:ist (?:also |damit )?(?:falsch|unwahr|inkorrekt|unzutreffend)|"
        "stimmt (?:also |so )?nicht|trifft (?:also |so )?nicht zu)|"
        r"(?<![^.!?\n])\s*(?:kein(?:e[nmrs]?)? (?:\w+ ){1,3}?(?:ist|sind|war|zu|bellt|singt|spricht|weit und breit|"
        r"hörbar|erkennbar)|keine spur|nicht (?:ein|eine|einen) (?:einzige\w*|hauch)|nicht,? dass ich wüsste|"
        r"nichts dergleichen)|sucht man (?:hier |\w+ )?vergeb(?:lich|ens)|kann ich (?:\w+ )?nicht (?:hören|"
        r"heraushören|erkennen|ausmachen|wahrnehmen)|(?:höre|vernehme|erkenne) ich (?:\w+ ){0,2}?nicht|von wegen|"
        r"keine spur (?:von|eine[rs])|kein\w* \w+ weit und breit|fehlt jede spur|"
        "(?:höre|hört man|hört|gibt(?: es)?|ist|sind|enthält|erkenne|vernehme|kommt|spricht|habe|hat|vorkommt|"
        r"singt|bellt|läuft) (?:da |hier |in \w+ \w+ |auf der aufnahme |dort |darin |leider |eindeutig |man |es |"
        r"ich )*kein(?:e[nmrs]?|erlei)?(?! (?:\w+ )?(?:störgeräusch\w*|rauschen|unterschied\w*|problem\w*|fehler|"
        r"zweifel|hintergrundgeräusch\w*|verzerrung\w*))|nicht (?:zu hören|hörbar|vorhanden|enthalten|erkennbar|"
        "wahrnehmbar|vor|dieselbe|derselbe|die gleiche|die selbe|der gleiche)|(?:ist|sind|war|klingt|spricht|"
        "handelt sich) (?:das |es |hier |sicher |eindeutig |definitiv |leider )*nicht|"
        r"kann (?:ich )?(?:\w+ ){0,3}?kein\w* \w+ (?:hören|erkennen|ausmachen)|das ist (?:kein|keine|nicht)|"
        r"kein\w* \w+ (?:zu hören|hörbar|vorhanden|erkennbar)|fehlt (?:völlig|komplett|ganz)"
    ),
    content_free=(
        r"läuft|spielt|ertönt|erklingt|leise|also|daher|somit|insgesamt|während|darauf|darin|zeitpunkt|moment|stelle|"
        r"der|die|das|den|dem|des|eine?[nmrs]?|dies\w{1,2}|es|er|sie|man|ich|wir|ihr|ihre?[nmrs]?|seine?[nmrs]?|"
        "sich|mir|mich|ist|sind|war|waren|sein|wird|werden|wurde|wurden|worden|hat|haben|hatte|hatten|habe|kann|"
        "können|und|in|im|an|am|auf|bei|beim|von|vom|zu|zum|zur|mit|um|hört|hören|höre|hörbar|gehört|vernehmen|"
        "vorhanden|enthalten|enthält|gibt|klingt|wirkt|scheint|handelt|jemand|etwas|hier|da|dort|aufnahmen?|"
        "audio|datei|clip|ausschnitt|eindeutig|deutlich|klar|sicher|tatsächlich|definitiv|wirklich|"
        "offensichtlich|auch|überhaupt|gar|einzige[nrs]?|als|zu"
    ),
    adverbials=(
        "anfangs|deutlich|laut|kräftig|heftig|mehrfach|ausdrücklich|"
        "hintergrund|vordergrund|zweimal|einmal|mehrmals|mehrfach|ende|anfang|schluss|laut|leise|kurz|dann|"
        "später|schließlich|ganz|sehr|mehrere|zwei|drei|sekunden?|gegen|nach|ungefähr|etwa|immer|wieder"
    ),
    persons="sprecher(?:in)?|person(?:en)?|mann|frau|mädchen|junge|sänger(?:in)?|anrufer(?:in)?|stimme|kind",
    definites="der|die|das|den|dem|des|diese[mnrs]?|seine?[mnrs]?|ihre?[mnrs]?",
    displacements=(
        r"oder|ob|wenn|falls|würde\w*|könnte\w*|sollte\w*|möchte\w*|dürfte\w*|will|wollen|wollte|soll|sollen|muss|"
        r"mag|imitier\w*|nachahm\w*|ahmt|tut so|vorgibt|gibt vor|erwähn\w*|beschreib\w*|erzähl\w*|red(?:et|en)|"
        r"spricht (?:über|von)|sprechen (?:über|von)|sag\w*|frag\w*|behaupt\w*|glaub\w*|denk\w*|dacht\w*|mein\w*|"
        r"vermut\w*|versuch\w*|weiger\w*|hört auf|aufhör\w*|aufgehört|vermeid\w*|droh\w*|fast|beinahe|kaum|wie|"
        r"als ob|ander\w*|anderswo|stattdessen|statt|nur|angeblich\w*|möglich\w*|vielleicht|eventuell|womöglich|"
        r"anscheinend|scheinbar|eher|erinner\w*|ähn\w*|gewöhnlich|normalerweise|meist\w*|oft|manchmal|früher|"
        r"zunächst|anfangs|erst|bevor|vor|ohne|weder|entweder|gleich|will\w*|suche\w*|sucht|zwar|\w+los|un\w+"
    ),
    inflections="tet|ten|te|test|est|end|en|er|es|em|et|st|e|n|s|t",
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
        r"senke auf|gehe (?:\w+ )?auf|erhöhe auf|runter auf|"
        "macht|wert|bleibt|lande|komme|kommt auf|bleibt es bei|reicht für|langt für|vergebe ich|runde|"
        "korrigiere|korrigiert|abschließend|schlussendlich|unterm strich|alles in allem|"
        "bewertung|note|wertung|punktzahl|urteil|ergebnis|gebe|vergebe|geben|bewerte|würde|antwort|insgesamt|"
        "endgültig|gesamt|einschätzung|lautet|eine|sage|glatte|gute|schwache|starke|verdient|"
        "setze|fazit"
    ),
    rating_units=r"punkte?n?|sterne?n?|von",
    other_units=(
        "wörtern|worten|silben|sätzen|"
        "euro|cent|dollar|prozent|meter|metern|kilometer|zentimeter|grad|tage?n?|wochen?|monate?n?|takte?n?|"
        r"silben?|töne?n?|kanäle?n?|mikrofone?n?|bit|kbit|kbps|millisekunden|ms|aussetzer\w*|knackser\w*|"
        r"störungen|versprecher\w*|gäste|strophen?|hunde|autos|gespräche?|"
        r"sekunden?|s|min|minuten?|sprecher\w*|personen|stimmen|wörter|mal|hz|khz|db|jahre?n?|uhr|stunden?|leute|"
        "sätze|pausen|fehler|aufnahmen|instrumente"
    ),
    bounds=(
        "bestenfalls|im besten fall|mindestens|höchstens|maximal|minimal|über|unter|mehr als|weniger als|"
        "wenigstens|bis zu|fast|knapp|beinahe|besser als|schlechter als|zwischen|nahezu|minimum"
    ),
    bounds_after=(
        "(?:vielleicht|eventuell|eher|oder)(?: auch| sogar| etwas| ein bisschen| ein wenig| leicht)* (?:weniger|"
        "mehr|darunter|darüber|niedriger|höher|tiefer)|"
        r"bestenfalls|oder (?:mehr|weniger|höher|besser|schlechter|darüber|darunter)|aufwärts|plus"
    ),
    has_decimal_comma=True,
)
