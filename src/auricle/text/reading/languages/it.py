"""Italian phrasings."""

from auricle.text.reading.table import Phrasings

_AUDIO = (
    "(?:audio|registrazion[ei]|file(?: audio| sonor[oi])?|suon[oi]|allegat[oi]|clip(?: audio)?|tracc(?:ia|"
    "e)(?: audio)?|messagg(?:io|i) vocal[ei]|contenuti audio)"
)
_DET = (
    "(?:(?:il|lo|la|i|gli|le|un|uno|una|l'|questo|questa|tuo|tua|suo|sua|alcun|alcuno|alcuna|nessun|nessuno|"
    "nessuna|al|alla|all'|ai|direttamente|correttamente|di|del|dell'|né) ?)*"
)
_PERCEIVE = (
    "(?:ascoltar(?:e|lo|la)|sentir(?:e|lo|la)|riprodurre|elaborare|aprir(?:e|lo)|accedere|analizzar(?:e|lo)|"
    "caricare|ricevere|valutare|trovare|vedere|percepire|udire|interpretare)"
)

TABLE = Phrasings(
    fillers=(
        "il|lo|la|i|gli|le|l'|un|uno|una|un'|opzione|risposta|lettera|alternativa|numero|probabilmente|"
        "sicuramente|chiaramente|molto|più|senza dubbio|piuttosto|davvero|semplicemente|soprattutto|di|del|della|"
        "dello|dell'|in|nel|nella|al|alla|bene|etichetta|corretta|proprio|quella|quello|d'"
    ),
    verbs=(
        "è|sono|era|sia|essere|suona|sembra|si|sente|sentono|tratta|come|che|così|particolarmente|certo|c'è|"
        "mostra|esprime|affatto|tanto|proprio|per niente"
    ),
    articles=(
        "il|lo|la|i|gli|le|l'|un|uno|una|un'|del|dello|della|dell'|dei|di|d'|in|nel|nella|al|alla|all'|a|su|sul|"
        "sulla|per"
    ),
    option_nouns=r"opzion[ei]|rispost[ae]|lettera|alternativ[ae]|numero|scelta|possibilità",
    conjunctions=r"o|e|ed|né|oppure|o forse|ovvero x|nonché|o magari|o anche",
    verbs_after_letter=r"è|e|o|né|perché|poiché|sembra|sarebbe|non|corrisponde|va",
    negations=(
        "escluderei|scarterei|quasi|"
        "neppure l'ombra d[i']|"
        "escludere|scartare|eliminare|non(?! solo| soltanto)|né|senza|tranne|eccetto|salvo|meno|invece (?:di|"
        "che)|anziché|piuttosto che|mai|nemmeno|neanche|nessun|nessuna|appena|tutto tranne che|tutt'altro che|"
        "tutto fuorché|lontano dall'essere|a differenza d[ei]|escludo|escludiamo|più vicin[oa] a|simile a|"
        r"somiglia a|assomiglia a|ricorda|troppo \w+ per|poco|a malapena|per niente|qualsiasi cosa tranne"
    ),
    distant_negations=(
        "nessuno|"
        r"non(?! sol)|mai|dubito|difficile|contrario|nessun|impossibile"
    ),
    denied_clauses=(
        "(?:tutti|molti) pensano|"
        r"(?:qualcuno|alcuni|altri|molti) (?:\w+ )?(?:direbbe|direbbero|definirebbe|definirebbero|penserebbe|"
        "penserebbero)|si potrebbe (?:pensare|credere)|"
        "se|tra|fra|indeciso|non so|le (?:opzioni|etichette|risposte) (?:sono|possibili)|incerto|non credo|non penso"
    ),
    denials=(
        "(?:certamente|sicuramente|di certo) no|"
        "non c'entra|è fuori (?:questione|discussione)|non (?:è|sembra) nessuno|"
        r"non(?! solo)|(?:è|sono|sarebbe|risulta) (?:\w+ )?(?:errat[aoe]|sbagliat[aoe]|fals[aoe]|esclus[aoei]|"
        "improbabil[ei]|impossibil[ei]|da escludere|da scartare|scorrett[aoe])|(?:si )?(?:può|possono|"
        r"si possono) (?:essere )?(?:escluder\w*|scart\w*|esclus\w)|sarebbe più|nemmeno"
    ),
    first_thoughts=(
        "all'inizio|inizialmente|prima|pensavo|credevo|sembrava|avrei detto|a prima vista|in un primo momento|"
        "al primo ascolto|dapprima|si potrebbe pensare|ho pensato|avevo pensato|di primo acchito"
    ),
    first_thoughts_after=r"all'inizio|pensavo|credevo|inizialmente|a prima vista|era la mia prima|in un primo momento",
    doubts=r"forse|potrebbe|può|magari|eventualmente|probabile",
    doubts_after=r"(?:anche )?è possibile|se|potrebbe essere|forse",
    answer_nouns=r"risposta|soluzione|conclusione|verdetto|risultato|risposta finale",
    result_nouns=(
        "scelta|opzione|etichetta|categoria|classe|emozione|genere|strumento|scena|lettera|tono|sentimento|suono|"
        "alternativa|stato d'animo"
    ),
    copulas=r"è|sono|sarebbe|era|dev'essere|deve essere|resta|sia|rimane",
    decisions=(
        "(?:io )?(?:scelgo|sceglierei|direi(?: che)?|dico|opto per|voto per|credo che|penso che|seleziono|"
        r"propendo per|scommetto su|rispondo|punto su|ritengo che|prendo|resto su)(?:[\s]|è|sia|si|tratti|tratta|"
        "di)*|quindi|perciò|dunque|allora|pertanto|ma(?: in realtà)?(?: è| sono| si tratta di)|bensì|in realtà|"
        "anzi|aspetta|un attimo|no,|scusa,?|scusate,?|meglio|voglio dire|cioè|ossia|vale a dire|infine|alla fine|"
        "si tratta di|si tratta dell'|corrisponde a|in definitiva|correzione|piuttosto|indica|resta(?: solo)?|"
        "rimane|fanno capire che è|di fatto|per cui|si sente|definitivamente"
    ),
    confirmations=(
        r"perché|poiché|dato che|visto che|siccome|(?:è|sarebbe|sembra|mi sembra) (?:\w+ )?(?:corrett[ao]|"
        "giust[ao]|esatt[ao]|la (?:risposta|più probabile|giusta|corretta|più adatta)|il più probabile|"
        "quell[ao] giust[ao])|senza dubbio|fa al caso"
    ),
    predicates=r"è|sono|suona|sembra|sente|trasmette|esprime|era|c'è|ci sarà|si tratta di|vuole|sia",
    ordinals=(
        "prim[ao]|1[ªº]",
        "second[ao]|2[ªº]",
        "terz[ao]|3[ªº]",
        "quart[ao]|4[ªº]",
        "quint[ao]|5[ªº]",
        "sest[ao]|6[ªº]",
        "settim[ao]",
        "ottav[ao]",
    ),
    last_ordinal=r"ultim[ao]",
    conditions=(
        "altrimenti|in caso contrario|"
        "(?<!anche )(?<!come )se|qualora|purché|a meno che|supponendo|nel caso|senza(?= .*(?:sarebbe|darei|"
        "avrebbe|meriterebbe|direi))"
    ),
    harmless_conditions=(
        r"se (?:\w+ )?(?:dovessi|devo|dovesse|fossi costretto a|proprio devo) (?:\w+ )?(?:scegliere|decidere|"
        r"indovinare|dire|rispondere|puntare|sceglierne)(?: un[ao]?)?|se (?:si |lo |la |uno )?ascolt\w+ (?:bene|"
        r"attentamente|con attenzione)|se non (?:mi )?sbaglio|se non erro|come se|se me lo chied\w+|"
        "se ho (?:sentito|capito) bene"
    ),
    causes=r"perché|poiché|dato che|visto che|siccome",
    concessions=r"sebbene|anche se|benché|nonostante|malgrado|pur|mentre",
    comparisons=(
        r"(?:più|meno|meglio|peggio|piuttosto)\s(?:(?!probabile)[^.,;!?\n]){0,60}?che[^.,;!?\n]*|(?:più|"
        r"meno) \w+ d(?:i|el|ella|ello) [^.,;!?\n]*"
    ),
    courtesies=(
        r"sì,? (?:volentieri|con piacere|posso aiutar\w+)|non (?:c'è|vi è|ho) (?:il minimo|la minima|"
        "ombra di) dubbio|non si può negare|inutile dire|"
        r"(?:sarei|sono|sarò) (?:\w+ )?(?:content[oa]|felice|liet[oa]|triste|arrabbiat[oa])(?: di| per| che| ma)?|"
        "con (?:molto )?piacere|con gioia|nessun problema|senza (?:alcun |ombra di )?dubbio|non (?:ho|c'è|"
        "ci sono|v'è) (?:alcun |nessun )?dubb(?:i|io)|mi dispiace|purtroppo|non solo|di niente|ho paura (?:di|"
        "che)|temo|prego|non c'è problema|volentieri|nessun dubbio|non c'è di che|ho il timore|non mancherà"
    ),
    dependences=(
        r"prima (?:metà|parte)[^.!?\n]*seconda|"
        "(?:tutto |ciò )?dipende|a seconda"
    ),
    refusals=(
        "(?:invia|allega|carica|inviami) (?:prima )?(?:l'audio|il file|la registrazione)|"
        r"file (?:\w+ )?non (?:valido|trovato|supportato)|impossibile (?:analizzare|aprire|caricare|leggere|"
        "elaborare|riprodurre|decodificare)|errore (?:di|nella|durante la|nel) (?:decodifica|caricamento|"
        r"lettura)|link (?:\w+ ){0,3}?(?:scaduto|non valido)|preferi(?:sco|rei) non (?:rispondere|pronunciarmi|"
        r"esprimer\w+|valutare|giudicare|dire)|non (?:posso|do|faccio|"
        "esprimo|formulo|fornisco) (?:formulare |dare |esprimere |fare )?(?:valutazioni|giudizi|diagnosi|"
        r"un voto)|non è qualcosa che (?:io )?poss\w+|(?:devi|dovresti|"
        r"deve) (?:prima )?(?:caricare|inviare|allegare)|non essendo (?:arrivat|pervenut|stat)\w+|mi astengo|"
        r"non mi (?:è|sono) (?:arrivat\w|pervenut\w)|non dispongo|senza (?:l'audio|la registrazione|il file|"
        "ascoltare|sentire)|contro le mie|dalla (?:sua )?voce non|non posso identificare|(?:non (?:c'è|ci sono|"
        "vedo|trovo|ho ricevuto|ho|risulta|sento|è stato|è presente|rilevo|ricevo|è arrivato|è allegato|"
        r"hai allegato|hai inviato)|nessun|nessuna|senza)(?: \w+)?(?: (?:alcun|alcuna|nessun|nessuna|il|l'|un|la|"
        rf"tuo|accesso a(?:l|lla|i)?|allegat[oa]))* ?(?:l')?{_AUDIO}(?! d[ie] )|non (?:posso|riesco a|"
        "sono in grado di|mi è possibile|ho (?:la (?:capacità|possibilità)|"
        rf"modo) di)(?: \w+mente)? {_PERCEIVE} {_DET}{_AUDIO}|non (?:posso|riesco a|sono in grado di) (?:sentire|"
        "ascoltare|udire|elaborare)(?=[.,;!:]|$| (?:né|suoni|voci|contenuti))|"
        rf"{_AUDIO}(?: \w+){{0,3}}? non (?:si (?:è|apre|carica|può)|è|ha|viene|può|funziona|risulta|sono)(?: \w+)*|"
        rf"{_AUDIO}(?: \w+)? (?:è|sembra|risulta|pare)(?: essere)? (?:vuot[oa]|danneggiat[oa]|corrott[oa]|mancante|"
        r"assente|illeggibile)|(?:solo|soltanto|unicamente|esclusivamente) (?:\w+ )?(?:elaboro|lavoro con|"
        r"posso (?:elaborare|leggere)|gestisco|tratto)?\s?(?:con )?(?:il )?test[oi]|modello (?:linguistico|"
        r"di (?:linguaggio|testo)|testuale|basato su testo)[^.!?\n]*(?:non|impossibile)|per (?:motivi|ragioni|"
        "questioni) di (?:privacy|sicurezza|riservatezza|policy)|non (?:posso|sono in grado di|"
        r"riesco ad?) (?:aiut\w+|assister\w+|soddisfare|rispondere a|condividere|identificare (?:una|la) persona|"
        "analizzare quest|dedurre|inferire|desumere|fornire assistenza)|non (?:sono|mi è) (?:autorizzat[oa]|"
        "permesso|consentito|abilitat[oa])|(?:viola (?:le mie|le nostre|le|la privacy)|contrario alle)|(?:devo|"
        "debbo) (?:rifiutare|declinare)|"
        r"mi rifiuto|per favore,? (?:\w+ )?(?:allega|invia|carica|condividi|rimanda|rinvia|fornisci|reinvia)\w*|"
        r"(?:puoi|potresti|può|potrebbe) (?:\w+ )?(?:allegar|invia|carica|rimanda|reinviar|ricaricar|inviarlo)\w*"
    ),
    yes=r"sì",
    agreements=(
        "eccome|altroché|"
        "sì|si(?=[,.!;:]|$)|certo(?: che sì)?|certamente|esatto|esattamente|corretto|giusto|vero|"
        "assolutamente(?: sì)?|senz'altro|ovviamente|affermativo|infatti|effettivamente|direi di sì|credo di sì|"
        "penso di sì|proprio così|naturalmente|sicuramente|è così"
    ),
    no=r"no",
    disagreements=(
        "macché|tutt'altro|"
        "no|per niente|affatto|assolutamente no|certo che no|falso|neanche per sogno|in nessun modo|sbagliato|"
        "negativo|direi di no|credo di no|penso di no|non credo|non direi|non proprio|tutt'altro|mai|"
        "nient'affatto|di certo no|nemmeno"
    ),
    both=(
        r"impossibile non|non (?:smette|smettono|cessa|fa che)|non è che[^.!?\n]*|non si può (?:non|"
        r"dire)[^.!?\n]*|"
        "sì (?:e|o|/) ?no|no (?:e|o) sì|né sì né no|non sono sicur[oa]|sì/no|non so|certo (?:di|che)|"
        "sicur[oa] (?:di|che)|ni(?=[,.!]|$)"
    ),
    implied_yes=r"(?:sì )?(?:si sente|c'è|lo sento|lo è|ci sono|è così|è vero)",
    implied_no=(
        "non (?:si (?:sente|percepisce|avverte|ode|tratta|sentono)|c'è|ci sono|sento|è|sono|contiene|compare|"
        "suona|percepisco|esiste|parla|canta|rilevo|riesco a (?:sentire|individuare)|sembra|posso (?:sentire|"
        r"udire))(?! (?:\w+ )?(?:rumor[ei] di fondo|differenz|problem|dubb|difett|distorsion|possibile sapere|"
        r"chiaro|sicur))|nessun[ao]? \w+ (?:si|nell|in)|non (?:la|il|lo|sono la|sono lo) stess[ao]|"
        "manca (?:del tutto|completamente)"
    ),
    number_words=dict(
        zip(
            ["zero", "uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci"],
            range(11),
            strict=True,
        )
    ),
    halves=r"e mezz[oa]|virgola cinque",
    decimal_words="virgola|punto",
    minus="meno",
    rating_cues=(
        "voto|punteggio|valutazione|do|darei|dò|assegno|assegnerei|giudizio|risultato|risposta|totale|"
        r"conclusione|direi|merita|complessiv\w+|finale|metto|metterei|valuto|verdetto|è un|un bel"
    ),
    rating_units=r"punti|punto|stelle|stella",
    other_units=(
        "secondi|secondo|s|minuti|minuto|parlanti|persone|voci|parole|volte|hz|khz|db|anni|ore|frasi|pause|"
        "errori|strumenti"
    ),
    bounds=(
        "al meglio|nel migliore dei casi|almeno|al massimo|al minimo|minimo|massimo|più di|meno di|fino a|quasi|"
        "sopra|sotto|superiore a|inferiore a|tra|fra|non meno di|non più di|circa x|vicino a|meglio di|peggio di|"
        "come minimo|come massimo"
    ),
    bounds_after=r"al massimo|o più|o meno(?! )|come minimo|al massimo|almeno|in su",
    has_decimal_comma=True,
)
