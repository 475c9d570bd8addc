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
        "sia|"
        "è|sono|era|sia|essere|suona|sembra|si|sente|sentono|tratta|come|che|così|particolarmente|certo|c'è|"
        "mostra|esprime|affatto|tanto|proprio|per niente"
    ),
    articles=(
        "il|lo|la|i|gli|le|l'|un|uno|una|un'|del|dello|della|dell'|dei|di|d'|in|nel|nella|al|alla|all'|a|su|sul|"
        "sulla|per"
    ),
    option_nouns=r"opzion[ei]|rispost[ae]|lettera|alternativ[ae]|numero|scelta|possibilità",
    conjunctions=(
        "sia|"
        r"o|e|ed|né|oppure|o forse|ovvero x|nonché|o magari|o anche"
    ),
    verbs_after_letter=r"è|e|o|né|perché|poiché|sembra|sarebbe|non|corrisponde|va",
    negations=(
        "(?:più|meno) di|almeno|al (?:massimo|minimo)|come minimo|(?:niente|nulla) (?:di simile a|che somigli a)|"
        "macché|(?:tolt|esclus|scartat|eliminat)[oaie](?: pure| anche)?|altro che|lungi dall'essere|a parte|"
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
        r"(?:racconta|cita|nomina|annuncia|menziona|parla d[ei]\w*)(?= [^.!?\n]*(?:ma|però|tuttavia|eppure|"
        r"anche se))|quanto (?:al|alla|all'|ai|alle|allo) (?=[^.!?\n]*\Z)|da non confondere con|"
        "(?:tutti|molti) pensano|"
        r"(?:qualcuno|alcuni|altri|molti) (?:\w+ )?(?:direbbe|direbbero|definirebbe|definirebbero|penserebbe|"
        "penserebbero)|si potrebbe (?:pensare|credere)|"
        "se|tra|fra|indeciso|non so|le (?:opzioni|etichette|risposte) (?:sono|possibili)|incerto|non credo|non penso"
    ),
    denials=(
        "(?:io )?(?:escludo|scarto|elimino|depenno)|(?:proprio|certo|di certo|sicuramente|direi) (?:di )?no|"
        "no (?:di certo|davvero|di sicuro|di certo)|neanche per sogno|(?:è|sono) (?:esclus|scartat|"
        "eliminat)[oaie]|lo (?:escludo|escluderei)|la (?:escludo|escluderei)|(?:si )?(?:può|possiamo|"
        r"si può) (?:\w+ )?(?:scart|elimin|dimentic|esclud)\w+|per niente|nemmeno per sogno|macché|"
        "no(?=[,.;!]|$)|(?:tiene|tengono) (?:solo )?il tempo|fa da (?:bordone|sottofondo|accompagnamento)|"
        "solo in sottofondo|solo di sfondo|accompagna (?:solo|soltanto)|non c'entra|non quadra|non torna|"
        r"nemmeno|neanche|neppure|"
        "(?:certamente|sicuramente|di certo) no|"
        "non c'entra|è fuori (?:questione|discussione)|non (?:è|sembra) nessuno|"
        r"non(?! solo)|(?:è|sono|sarebbe|risulta) (?:\w+ )?(?:errat[aoe]|sbagliat[aoe]|fals[aoe]|esclus[aoei]|"
        "improbabil[ei]|impossibil[ei]|da escludere|da scartare|scorrett[aoe])|(?:si )?(?:può|possono|"
        r"si possono) (?:essere )?(?:escluder\w*|scart\w*|esclus\w)|sarebbe più|nemmeno"
    ),
    first_thoughts=(
        "propendevo|tendevo|inclinavo|ero sul punto di|ero tentat[oa]|menziona|menzionano|"
        r"(?:altri|molti|alcuni|qualcuno|chiunque|il pubblico|la gente|mi[oa] \w+|il mio \w+|la mia \w+|"
        r"un critico|gli altri|c'è chi) (?:\w+ )?(?:gli |le )?(?:darebbe(?:ro)?|metterebbe(?:ro)?|"
        "avrebbe(?:ro)? dato|direbbe(?:ro)?|scambierebbe(?:ro)?)|meritava|a tutta prima|sulle prime|"
        "sulla carta|stando al testo|puntava a|"
        r"stavo per|volevo(?! dire)|avrei (?:dato|messo|scelto)|mi piacerebbe|d'istinto|tentat[oa] di|"
        r"mi sarebbe piaciuto|"
        r"quasi (?:davo|dicevo)|"
        "all'inizio|inizialmente|prima|pensavo|credevo|sembrava|avrei detto|a prima vista|in un primo momento|"
        "al primo ascolto|dapprima|si potrebbe pensare|ho pensato|avevo pensato|di primo acchito"
    ),
    first_thoughts_after=(
        "sì,? (?:ma|anche se)|in apparenza|sulla carta|sarebbe la risposta (?:ovvia|facile)|per chi (?:sente|"
        "ascolta) solo|"
        r"all'inizio|pensavo|credevo|inizialmente|a prima vista|era la mia prima|in un primo momento"
    ),
    appearances=r"sembra\w*|pare|suona come|fa pensare a",
    doubts=(
        "a meno che|può darsi(?: che)?|chissà se|"
        r"forse|potrebbe|può|magari|eventualmente|probabile"
    ),
    doubts_after=r"(?:anche )?è possibile|se|potrebbe essere|forse",
    answer_nouns=r"risposta|soluzione|conclusione|verdetto|risultato|risposta finale",
    result_nouns=(
        "evento|accento|lingua|luogo|ambiente|rumore|umore|intenzione|"
        "scelta|opzione|etichetta|categoria|classe|emozione|genere|strumento|scena|lettera|tono|sentimento|suono|"
        "alternativa|stato d'animo"
    ),
    copulas=r"è|sono|sarebbe|era|dev'essere|deve essere|resta|sia|rimane",
    decisions=(
        r"in totale|in tutto|nel complesso|mi decido (?:\w+ ){0,5}?per|opto (?:\w+ ){0,5}?per|ne conto|io conto|"
        "conto|"
        "mi decido per|il mio voto va (?:a|al|alla)|vado (?:con|di|su)|vada per|mi orienterei su|"
        "lo classifico come|lo classificherei come|classifico come|lo collocherei (?:in|tra|fra|nel|nella)?|"
        "lo colloco in|"
        r"è proprio d[ie]\w*|sono propri d[ie]\w*|tipic[oaei]h?e? d[ie]\w*|caratteristic[oa] d[ie]\w*|"
        "spetta (?:a|al|alla|all'|allo)|tocca (?:a|al|alla|all')|appartiene (?:a|al|alla|"
        "all')|ergo|equivale a|non può che essere|non può essere altro che|ha da essere|con accento|"
        "l'accento è|però(?: è)?|insomma|mi correggo:?|"
        "(?:io )?(?:scelgo|sceglierei|direi(?: che)?|dico|opto per|voto per|credo che|penso che|seleziono|"
        r"propendo per|scommetto su|rispondo|punto su|ritengo che|prendo|resto su)(?:[\s]|è|sia|si|tratti|tratta|"
        "di)*|quindi|perciò|dunque|allora|pertanto|ma(?: in realtà)?(?: è| sono| si tratta di)|bensì|in realtà|"
        "anzi|aspetta|un attimo|no,|scusa,?|scusate,?|meglio|voglio dire|cioè|ossia|vale a dire|infine|alla fine|"
        "si tratta di|si tratta dell'|corrisponde a|in definitiva|correzione|piuttosto|resta(?: solo)?|"
        "rimane|fanno capire che è|di fatto|per cui|si sente|definitivamente"
    ),
    confirmations=(
        r"perché|poiché|dato che|visto che|siccome|(?:è|sarebbe|sembra|mi sembra) (?:\w+ )?(?:corrett[ao]|"
        "giust[ao]|esatt[ao]|la (?:risposta|più probabile|giusta|corretta|più adatta)|il più probabile|"
        "quell[ao] giust[ao])|senza dubbio|fa al caso"
    ),
    predicates=(
        "tradisce|tradiscono|rivela|rivelano|denota|denotano|segnala|segnalano|punta a|continua a essere|indica|"
        "indicano|suggerisce|suggeriscono|"
        r"è|sono|suona|sembra|sente|trasmette|esprime|era|c'è|ci sarà|si tratta di|vuole|sia"
    ),
    catch_alls="altr[oi]|nessun[oa]|niente",
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
    audio_nouns=(
        "download|caricamento|upload|lettore|player|formato|nota vocale|messaggio vocale|"
        r"(?:file|contenuto|clip|messaggio|documento|allegato|brano|traccia)(?: (?:audio|sonor[oa]|vocale|"
        r"multimediale))?|audio|registrazion[ei]|allegat[oi]|suoni?(?=[.,;!]|$)|link|campione(?: (?:audio|vocale))?"
    ),
    locatives=(r"in|nel(?:la|l')?|nell'|durante|sul(?:la)?|dell'"),
    inabilities=(
        r"non (?:posso|riesco ad?|sono riuscit[oa] ad?|ho potuto|sono in grado di|sono capace di|mi è possibile|"
        r"è (?:stato )?possibile|ho (?:la )?(?:capacità|possibilità|modo) di|dispongo di)|impossibile|incapace di"
    ),
    perceptions=(
        "scaricare|sentirl[oa]|udirl[oa]|riprodurl[oa]|visualizzare|decifrare|"
        r"sentire|ascoltar\w+|udire|riprodurre|aprir\w+|elaborar\w+|accedere|analizzar\w+|percepire|decodificar\w+|"
        r"caricar\w+|valutar\w+|legger\w+|interpretare|trascrivere"
    ),
    arrivals=(
        r"andat[oa] a buon fine|compatibile|supportat[oa]|riconosciut[oa]|accettat[oa]|scaricat[oa]|allega\w*|"
        "sentit[oa]|"
        r"ricevut[oa]|arrivat[oa]|allegat[oa]|caricat[oa]|pervenut[oa]|disponibile|accessibile|trovat[oa]|fornit[oa]|"
        r"present[ei]|inviat[oa]|apre|aperto|funziona|c'è|risulta|vedo|ricevo|trovo|parte(?=[.,;!]|$)|riproducibile|"
        r"inclus[oa]"
    ),
    capacities=r"capacità|possibilità|mezzi|strumenti|funzione|facoltà",
    policies=r"politiche|linee guida|mie regole|norme d'uso|termini di (?:servizio|utilizzo)",
    defects=(
        "fallit[oa]|non riuscit[oa]|bloccat[oa]|404|403|inutilizzabile|incompatibile|(?:dura|di) (?:0|"
        "zero) secondi|inesistente|non è andat[oa]|"
        r"vuot[oa]|danneggiat[oa]|corrott[oa]|mancante|assente|illeggibile|inaccessibile|difettos[oa]|"
        r"non (?:valid[oa]|supportat[oa]|trovat[oa]|leggibile)|scadut[oa]|rott[oa]|manca|mut[oa]|senza suono|"
        r"irreperibile"
    ),
    refusals=(
        "che non (?:ho potuto|posso|sono riuscit[oa] a) (?:sentire|ascoltare)|(?:nessuna|"
        "priv[oa] di) capacità (?:di ascolto|uditiv[ae])|non (?:ha potuto|è riuscito a) (?:decodificare|aprire|"
        "elaborare|caricare|riprodurre)|"
        "(?:errore|error) (?:404|403|500)|(?:errore|problema|problemi) (?:nel|di|durante il|durante la|nella|"
        r"con il|in fase di) (?:\w+ )?(?:caricamento|caricare|apertura|lettura|download|riproduzione|"
        "decodifica|ricezione)|"
        r"formato (?:\S+ ){0,3}?non (?:è |viene )?(?:\w+ )?(?:compatibile|supportato|riconosciuto|accettato)|"
        r"(?:non ho|sono priv[oa] di|senza|non possiedo|mi mancano) (?:\w+ )?(?:orecchie|orecchio|udito|"
        "capacità uditiv[ae]|funzion[ei] audio)|"
        r"(?:solo|soltanto|unicamente|esclusivamente) (?:\w+ )?(?:leggere|leggo|legge|elaboro|capisco|lavoro|"
        "accetto)(?=[.,;:!]|$| (?:testo|testi|parole scritte|caratteri|lo scritto|ciò che|con))|"
        "leggo e basta|so (?:solo )?leggere e basta|"
        r"(?:leggo|elaboro|capisco|tratto|lavoro) (?:\w+ )?(?:solo|soltanto|unicamente|"
        r"esclusivamente) (?:\w+ )?(?:testo|testi|scritto|caratteri)|"
        "non (?:ho|dispongo degli|possiedo) (?:gli )?(?:strumenti|mezzi|funzioni) (?:per|di|"
        r"necessari per) (?:ascolt\w+|sentir\w*|udire|elaborar\w+)|magari potessi (?:sentir|ascoltar|udir)\w+|"
        "non (?:potendo|riuscendo a|essendo in grado di|avendo potuto|potrei) (?:ascoltar|sentir|udir|"
        r"riprodur|aprir)\w+|"
        "non (?:posso|riesco a|sono in grado di|so|ho potuto|sono riuscit[oa] a|possiamo) (?:sentire|"
        "ascoltare|udire|riprodurre) (?:la|le|il|lo|i|gli|l'|questa|questo) ?(?:voce(?! di un)|voci|"
        "parlant[ei]|suon[oi]|canzone|musica|persona|chiamata|telefonata|conversazione|brano|traccia)|"
        r"non mi è stat[oa] (?:\w+ )?(?:fatt[oa] (?:sentire|ascoltare)|fornit[oa]|inviat[oa]|mandat[oa]|"
        "allegat[oa]|condivis[oa])|"
        r"(?:clicco|premo|schiaccio|faccio clic) (?:su |il )?(?:play|riproduci|tasto)[^.!?\n]*(?:nulla|niente|"
        "non|errore)|non succede (?:nulla|niente)|"
        "(?:nulla|niente|non c'è nulla|non c'è niente) (?:da|di) (?:classificare|valutare|analizzare|"
        r"ascoltare|giudicare|votare)|nessun[ao]? \w+ da (?:classificare|valutare|analizzare|giudicare)|"
        r"(?:non (?:è|risulta|vedo|c'è|hai) (?:\w+ )?(?:allegat[oa] )?(?:nulla|"
        "niente) ?(?:di )?(?:allegat[oa])?|nulla (?:è|risulta) (?:stato )?(?:allegato|inviato|"
        "arrivato))(?=[.,;!]|$| (?:al|in|nel) )(?<=gat[oa]|iato|vato)|"
        "manca (?:il|l'|la) ?(?:file|audio|registrazione|allegato|traccia|suono)|"
        "senza (?:poterl[oa] )?(?:ascoltarl[oa]|sentirl[oa]|accesso)|"
        "(?:ascoltare|sentire|l'ascolto|l'udito) (?:non (?:rientra|fa|è)|esula|"
        r"va oltre) (?:\w+ ){0,3}?(?:tra|fra|parte|dalle mie|le mie|capacità|funzioni)|"
        "declino (?:la|l'invito a rispondere|ogni)|mi astengo|passo(?=[.!]|$)|non mi pronuncio|(?:mie|"
        "nostre) (?:linee guida|regole|policy) (?:non|vietano|impediscono)|"
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
    reservations=(
        "preferisco (?:non|astenermi)|preferirei (?:non|astenermi)|non (?:devo|voglio|intendo|desidero|"
        "mi compete|spetta a me|è opportuno|sarebbe opportuno|è etico|sono autorizzat[oa] a|mi è (?:permesso|"
        "consentito)|mi sento di)|mi rifiuto di|declino|mi astengo dal|scelgo di non|evito di|evito|"
        "non sta a me"
    ),
    judgements=(
        "(?:opinare|pronunciarmi|esprimermi|esprimere|giudicare|valutare|votare|rispondere|commentare|"
        "speculare|identificare|diagnosticare|inferire|dedurre|classificare|etichettare|indovinare|emettere|"
        "attribuire|astenermi)(?:l[oa])?"
    ),
    yes=r"sì",
    agreements=(
        "corretta|esatta|"
        "confermo|lo confermo|confermato|con certezza|senza ombra di dubbio|senza dubbio|positivo|eh sì|"
        "certo che sì|certissimo|sicuro|sicurissimo|appunto|per l'appunto|già|come no|ci mancherebbe|"
        "è proprio così|altrochè|ma certo|sì sì|puoi dirlo|assolutamente sì|"
        "è il caso|proprio sì|"
        "eccome|altroché|"
        "sì|si(?=[,.!;:]|$)|certo(?: che sì)?|certamente|esatto|esattamente|corretto|giusto|vero|"
        "assolutamente(?: sì)?|senz'altro|ovviamente|affermativo|infatti|effettivamente|direi di sì|credo di sì|"
        "penso di sì|proprio così|naturalmente|sicuramente|è così"
    ),
    no=r"no",
    disagreements=(
        "errat[oa]|scorrett[oa]|inesatt[oa]|"
        "nossignore|niente affatto|niente di tutto ciò|manco per sogno|manco per idea|ma va|"
        "figuriamoci|negativo|tutto il contrario|non è così|non è il caso|nemmeno per idea|ma quando mai|"
        "non che io sappia|in nessun momento|niente da fare|no no|proprio no|di certo no|sicuramente no|"
        "no di certo|no davvero|giammai|zero|"
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
    speech_verbs="dice|dicono|risponde|grida|ripete|commenta|esclama",
    negators=(
        r"non|mai|senza|impossibile|neg(?:are|abile|herebbe)|dubb\w+|fals[oa]|bugia|difficile|né|nessuno|neanche|"
        r"nemmeno|neppure"
    ),
    certainties=(
        "non (?:si può|posso|possiamo|è possibile) (?:dire|affermare|"
        r"sostenere) che [^.,;:!?\n]*?non [^.,;:!?\n]*(?=[,;:])|non è che non [^.,;:!?\n]*(?=[,;:])|difficile (?:dire|"
        "rispondere) di no|"
        r"il contrario (?:sarebbe|mi stupirebbe)(?: \w+)?|strano sarebbe|no,? non (?:si sbaglia|ti sbagli|"
        r"mi sbaglio)|non (?:mi|si|ti) sbagli\w*|fuori (?:discussione|dubbio)(?= che|:)|è fuor di dubbio|"
        "salta all'orecchio|"
        r"senza (?:alcun |ombra di |il minimo |dubbi\w* )?dubbi[oa]?|non (?:c'è|ci sono|ho|v'è|esiste) (?:il minimo |"
        r"alcun |nessun |ombra di )?dubbi[oa]?|nessun dubbio|fuor di dubbio|indubbiamente|innegabil(?:e|mente)|"
        r"inconfondibil(?:e|mente)|inequivocabil(?:e|mente)|impossibile (?:non|negar\w*|sbagliarsi|ignorar\w*)|"
        r"non si può (?:non|negare|ignorare)|non (?:solo|soltanto)|va da sé|inutile dir\w+|non (?:smette|smettono|"
        r"cessa|fa che)|nessuno (?:può|potrebbe) negar\w+|difficile non|non lascia dubbi|non c'è modo di non"
    ),
    wavering=(
        r"non (?:si può|è possibile|c'è modo di) (?:saper\w+|stabilir\w+)|resta (?:\w+ ){0,2}?(?:apert[oa]|"
        "in sospeso)|"
        "vai a sapere|va' a sapere|boh|mah|non mi azzardo|non si sa|resta da vedere|non si capisce|"
        "resta il dubbio|poi chissà|staremo a vedere|"
        r"sì e no|né sì né no|a volte|a tratti|talvolta|(?:difficile|impossibile|complicato) (?:da )?(?:dir\w*|"
        r"stabilir\w*|saper\w*|decider\w*|capir\w*)|non (?:sono|ne sono) (?:del tutto |molto |proprio )?(?:sicur[oa]|"
        r"cert[oa])|non saprei|non so|nessuna idea|chi lo sa|chissà|dipende|o (?:forse|magari)? ?no(?=[.!?,]|$)|"
        r"non (?:posso|potrei|riesco a) (?:dir\w*|stabilir\w*|affermar\w*|capir\w*|decider\w*)|non è (?:affatto |"
        r"del tutto |molto )?chiaro|opinabile|in un certo senso|più o meno"
    ),
    implied_yes=(
        "(?:l'affermazione|la frase|l'enunciato|ciò) è (?:quindi )?(?:corrett[oa]|ver[oa]|esatt[oa]|giust[oa])|"
        r"(?:sì )?(?:si sente|c'è|lo sento|lo è|ci sono|è così|è vero)"
    ),
    implied_no=(
        "assenza (?:totale |completa )?di|"
        "(?:l'affermazione|la frase|l'enunciato|ciò) è (?:quindi )?(?:errat|fals|inesatt|scorrett|sbagliat)[oa]|"
        r"(?<![^.!?\n])\s*(?:(?:neanche|nemmeno|neppure) (?:un|una|l'ombra|l')|nessun[ao]?'? ?(?!dubbio)\w+|"
        r"niente (?!da)\w+|nulla (?:fa|indica|lascia))|(?:non|lo|la|li|le) (?:lo|la|li|le) (?:sento|si sente|"
        r"avverto)|non (?:lo|la|li|le) sento|macché|nessuna traccia|"
        "non (?:si (?:sente|percepisce|avverte|ode|tratta|sentono)|c'è|ci sono|sento|è|sono|contiene|compare|"
        "suona|percepisco|esiste|parla|canta|rilevo|riesco a (?:sentire|individuare)|sembra|posso (?:sentire|"
        r"udire))(?! (?:\w+ )?(?:rumor[ei] di fondo|differenz|problem|dubb|difett|distorsion|possibile sapere|"
        r"chiaro|sicur))|nessun[ao]? \w+ (?:si|nell|in)|non (?:la|il|lo|sono la|sono lo) stess[ao]|"
        "manca (?:del tutto|completamente)"
    ),
    content_free=(
        "suona|suonano|quindi|dunque|insomma|affatto|momento|durante|"
        "il|lo|la|i|gli|le|l|un|uno|una|di|d|del|dello|della|dell|dei|degli|delle|a|al|allo|alla|all|ai|in|nel|"
        "nello|nella|nell|su|sul|sulla|e|ed|che|chi|si|suo|sua|suoi|sue|questo|questa|quest|quello|quella|egli|"
        "lui|lei|loro|io|ci|c|ce|ne|è|sono|era|erano|essere|stato|stata|ha|hanno|ho|aveva|avere|sta|stanno|può|"
        "possono|sente|sentono|sento|sentire|ode|percepisce|avverte|suona|sembra|contiene|presente|esiste|"
        "qualcuno|qualcosa|qui|registrazione|audio|clip|file|chiaramente|effettivamente|davvero|certamente|"
        "sicuramente|per|con|da|dal|dalla|anche|tratta|nessun|nessuna|viene|vengono"
    ),
    adverbials=(
        "forza|abbastanza|lontano|chiarezza|"
        "sottofondo|sfondo|due|tre|volte|fine|inizio|forte|poi|dopo|infine|molto|varie|volentieri|secondi|"
        r"secondo|bene|dicendo|piacere|\w+mente"
    ),
    persons="persona|persone|uomo|donna|ragazz[oa]|bambin[oa]|cantante|parlante|voce|signor[ae]?",
    definites="il|lo|la|i|gli|le|l|suo|sua|questo|questa|al|alla|all|allo|del|della|dell",
    displacements=(
        r"o|oppure|se|potrebbe\w*|dovrebbe\w*|sarebbe|avrebbe|vorrebbe|vuole|vogliono|voleva|sta per|deve|"
        r"imita\w*|imitando|fing\w+|finge|simula\w*|menziona\w*|descriv\w+|parla\w* d\w+|racconta\w*|dice|dicono|"
        r"chied\w+|cred\w+|pens\w+|suppon\w+|prova\w*|tenta\w*|rifiut\w+|smett\w+|cessa\w*|evit\w+|minacci\w+|"
        "quasi|appena|come|altr[oaie]|un'altr[oa]|divers[oaie]|forse|magari|possibile|probabile|possibilmente|"
        "apparentemente|ricorda|simile|di solito|spesso|a volte|normalmente|prima|senza|né|solo|soltanto|invece|"
        r"presunt\w+|più che|meno"
    ),
    concords="non|nessun[oa]?|niente|nulla|mai|né|neanche|nemmeno|neppure",
    inflections=(
        "issero|avano|iscono|isce|ando|endo|arono|irono|ato|ata|ati|ate|ito|ita|uto|uta|ava|eva|iva|are|ere|ire|"
        "ano|ono|o|a|e|i"
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
        "scendo a|salgo a|abbasso a|"
        "voto|un bel|si porta a casa|vale|prende|si ferma a|mi fermo a|resta|lo lascio a|arriva a|"
        "nonostante tutto|nel complesso|in totale|diciamo|tondo|definitivo|strappa|gli do|le do|"
        "voto|punteggio|valutazione|do|darei|dò|assegno|assegnerei|giudizio|risultato|risposta|totale|"
        r"conclusione|direi|merita|complessiv\w+|finale|metto|metterei|valuto|verdetto|è un|un bel"
    ),
    rating_units=r"punti|punto|stelle|stella",
    other_units=(
        "parole|parola|sillabe|frasi|"
        "metri|metro|euro|chilometri|centimetri|gradi|giorni|settimane|mes[ei]|battute|sillabe|per cento|"
        "millisecondi|ms|kbps|bit|tagli|schiocchi|microfoni|cani|strofe|tentativi|colpi|note|rintocchi|"
        "interruzioni|minuto|"
        "secondi|secondo|s|minuti|minuto|parlanti|persone|voci|parole|volte|hz|khz|db|anni|ore|frasi|pause|"
        "errori|strumenti"
    ),
    bounds=(
        "al meglio|nel migliore dei casi|almeno|al massimo|al minimo|minimo|massimo|più di|meno di|fino a|quasi|"
        "sopra|sotto|superiore a|inferiore a|tra|fra|non meno di|non più di|circa x|vicino a|meglio di|peggio di|"
        "come minimo|come massimo"
    ),
    bounds_after=(
        "(?:forse|magari)(?: anche| qualcosa| un po'| leggermente)* (?:di |in )?(?:meno|più)|"
        r"al massimo|o più|o meno(?! )|come minimo|al massimo|almeno|in su"
    ),
    has_decimal_comma=True,
)
