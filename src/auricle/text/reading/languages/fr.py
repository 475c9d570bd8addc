"""French phrasings."""

from auricle.text.reading.table import Phrasings

_AUDIO = (
    "(?:audios?|enregistrements?|fichiers?(?: audio| son| sonore)?|sons?|extraits?(?: audio| sonore)?|"
    "pièces? jointes?|messages? vocal|clips?|bande(?: son)?)"
)
_DET = (
    "(?:(?:l'|d'|de l'|du |de |des |le |la |les |un |une |ce |cet |cette |votre |vos |aucun |aucune |ni |"
    "directement |correctement |actuellement |tout |quelque ))*"
)
_UNABLE = (
    "(?:ne peux(?: donc| malheureusement)? (?:pas|ni)|ne suis pas (?:en mesure|capable) d[e']|ne parviens pas à|"
    "n'arrive pas à|n'ai pas (?:la possibilité|la capacité|les moyens|accès|le moyen) (?:d[e']|à)|"
    r"suis incapable d[e']|impossible d[e'])\s?"
)
_PERCEIVE = (
    "(?:(?:l'|d'|vous |en |y )*(?:entendre|écouter|lire|ouvrir|traiter|analyser|accéder à|accéder aux?|jouer|"
    "charger|évaluer|percevoir|recevoir|trouver|voir|juger)) ?"
)

TABLE = Phrasings(
    fillers=(
        "le|la|les|l'|un|une|des|du|de|d'|option|réponse|lettre|choix|proposition|numéro|probablement|sans doute|"
        "clairement|très|plutôt|certainement|bien|sûrement|assez|vraiment|simplement|surtout|principalement|"
        "bel et bien|au|en|étiquette"
    ),
    verbs=(
        "à la fois|aussi bien|tant|"
        "est|c'est|être|semble|paraît|s'agit|il|elle|ce|qu'|que|entend|comme|à|pas|tellement|particulièrement|"
        "vraiment|ni|on|sonne|dans|son|sa"
    ),
    articles=r"le|la|les|l'|un|une|des|du|de la|de l'|de|d'|au|aux?|à la|à l'|dans|en|sur|chez",
    option_nouns=r"options?|réponses?|choix|lettre|propositions?|numéro|alternative",
    conjunctions=r"ou|et|ni|ou bien|ou alors|ou encore|ainsi que|ou peut-être",
    verbs_after_letter=r"est|et|ou|ni|car|parce|puisque|semble|correspond|convient|serait|ne|n'est|me|à cause",
    negations=(
        "(?:plus|moins) (?:de|d'|que)|au (?:moins|plus|maximum|minimum)|rien qui (?:ressemble|fasse penser) à|"
        "(?:ôté|retiré|écarté|exclu|éliminé)e?s?(?: aussi)?|"
        "exclurais|écarterais|rappelle|"
        "nulle trace d[e']|"
        "exclure|écarter|éliminer|pas(?! seulement)|n'est|ne|ni|sans|sauf|excepté|hormis|plutôt que|au lieu|"
        "aucune?|jamais|guère|à peine|tout sauf|loin d'être|rien d'|moins|à part|contrairement|peu|plus proche|"
        r"ressemble|semblable|proche|trop \w+ pour|au lieu d'|j'exclus|différent"
    ),
    distant_negations=(
        "personne n[e']|"
        r"pas(?! seulement)|jamais|guère|aucune?|difficile|doute que|contraire|impossible"
    ),
    denied_clauses=(
        r"(?:raconte|évoque|mentionne|annonce|parle de)(?= [^.!?\n]*(?:mais|toutefois|pourtant|cependant|"
        r"quant à))|quant (?:à|aux?) (?=[^.!?\n]*\Z)|passe encore pour|"
        "on croirait|on jurerait|"
        r"(?:certains|d'aucuns|quelqu'un|d'autres|beaucoup) (?:\w+ )?(?:diraient|dirait|parleraient|"
        "penseraient|croiraient|qualifieraient)|on (?:pourrait|aurait pu) (?:croire|penser)|"
        r"si|entre|hésite|ne sais pas|les (?:options|choix|étiquettes|réponses) (?:sont|possibles)|savoir"
    ),
    denials=(
        "(?:peut|peuvent) être (?:écartée?s?|exclue?s?|éliminée?s?)|je (?:l')?(?:écarte|exclus|élimine|"
        "rejette|oublie|raye)|(?:est|sont) (?:écartée?s?|hors (?:jeu|course|sujet)|à oublier|à rayer|"
        "disqualifiée?s?)|à oublier|on oublie|tombe à l'eau|ne tient pas|ne colle pas|n'est pas|sûrement pas|"
        "non merci|ni l'un|pas davantage|pas plus|"
        r"non plus|"
        "(?:est )?peu probable|certainement pas|"
        "n'a rien à voir|est hors de question|"
        "(?:n'est|ne (?:sont|semble|correspond|convient|conviennent|correspondent|peut|peuvent|va|vont)|ne)|"
        r"est (?:\w+ )?(?:faux|fausse|incorrecte?|exclue?|à exclure|improbable|impossible|éliminée?)|"
        r"sont (?:\w+ )?(?:fauss?es?|faux|incorrecte?s|exclue?s|à exclure|éliminée?s)|(?:est|sont) à écarter|"
        ":? voilà les|serait plus|peu probable"
    ),
    first_thoughts=(
        "je penchais|je tendais|j'inclinais|à deux doigts de|j'étais tentée?|mentionne|mentionnent|"
        r"(?:le public|d'autres|certains|mon \w+|beaucoup|un \w+|la plupart|on|les autres) (?:lui )?(?:aurait|"
        "auraient|donnerait|donneraient|mettrait|mettraient|attribuerai(?:en)?t)|aurait pu|un temps|"
        "sur le papier|à s'en tenir au texte|au premier (?:abord|passage)|à la première écoute|"
        r"j'allais|j'aurais|je voulais(?! dire)|j'ai failli|d'instinct|on jurerait|de prime abord|spontanément|"
        r"tentée? de|"
        r"j'aimerais|"
        "d'abord|au début|au départ|j'ai cru|j'ai pensé|je pensais|je croyais|aurais dit|à première (?:vue|"
        "écoute)|on pourrait (?:croire|penser)|j'hésitais|j'avais pensé"
    ),
    first_thoughts_after=(
        "oui,? mais|certes,? mais|en apparence|sur le papier|pour qui n'écoute que|à tort|"
        "d'abord|au début|au départ|à première (?:vue|écoute)|ai-je (?:d'abord )?(?:cru|pensé)|pensais-je|"
        "était ma première"
    ),
    appearances=r"semble(?:r)?|ressemble à|on dirait|paraît|fait penser à",
    doubts=(
        "à moins que|à moins qu'|il est possible que|ça se pourrait|si ce n'est|"
        r"peut-être|pourrait|éventuellement|il se peut que|possiblement"
    ),
    doubts_after=r"est (?:aussi )?possible|si|peut-être",
    answer_nouns=r"réponse|solution|conclusion|verdict|résultat|réponse finale|bilan",
    result_nouns=(
        "événement(?: sonore)?|accent|langue|lieu|son à classer|bruit|intention|ambiance|"
        "choix|option|étiquette|catégorie|classe|émotion|genre|instrument|scène|lettre|humeur|ton|sentiment|label"
    ),
    copulas=r"est|sont|était|serait|reste|demeure|doit être",
    decisions=(
        r"au total|en tout(?! cas)|somme toute|me décide (?:\w+ ){0,5}?pour|opte (?:\w+ ){0,5}?pour|j'en compte|"
        "je compte|"
        "je m'en tiens à|je m'arrête sur|je me range à|mon vote va à|mon choix se porte sur|je tranche pour|"
        "je coche|va pour|relève (?:de|du|d')|tout désigne|tout indique|"
        "pointe vers|elle se déroule dans|se déroule (?:dans|à|en)|"
        "se passe (?:dans|à|en)|on est (?:dans|en présence d[e'])|nous sommes (?:dans|en)|il ne reste que|"
        "ne reste que|classer? (?:comme|dans)|je classe (?:comme|en|dans)|à classer|revient à|appartient à|"
        "signé|"
        "correspond (?:donc |bien |clairement |parfaitement )?(?:à|au|aux)|voilà|c'est du|"
        r"penche (?:\w+ )?(?:pour|vers)|je dirai|d'où|ce qui donne|"
        r"je (?:\w+ )?(?:choisis|prends|dis|dirais|opte pour|vote pour|penche pour|pense|crois|sélectionne|"
        "retiens|réponds|garde|parie sur|mise sur)(?: que)?(?: c'est| il s'agit| ce soit)?(?: d')?|donc|ainsi|"
        "alors|par conséquent|il s'agit(?: donc| bien| clairement| ici| en fait)*(?: d'| de)?|c'est(?: donc|"
        " bien| clairement)|mais|finalement|en fait|en réalité|non,|plutôt|pardon|attendez|attends|je veux dire|"
        "c'est-à-dire|à savoir|correspond à|correspondent à|reste|correction|au final|ou plutôt|en définitive|"
        "pencherais pour|j'opte pour|j'entends|ne laisse plus de doute"
    ),
    confirmations=(
        r"car|parce que|parce qu'|puisque|(?:est|me semble|semble|paraît) (?:\w+ )?(?:correcte?|juste|bonne?|"
        "exacte?|la (?:bonne )?réponse|le plus probable|la plus probable|le bon choix|le plus adapté)|convient|"
        "correspond|est la bonne|sans hésiter|qu'on entend"
    ),
    predicates=(
        "trahit|trahissent|dénote|indique|indiquent|désigne|évoque plutôt|exprime|suggère|suggèrent|"
        r"est|c'est|sont|semble|paraît|entend|sonne|exprime|était|souhaite|veut|traduit|a l'air|demande"
    ),
    catch_alls="autres?|aucune?|rien",
    ordinals=(
        "premi(?:er|ère)|1(?:er|re|ère)",
        "deuxième|seconde?|2e|2ème",
        "troisième|3e|3ème",
        "quatrième|4e|4ème",
        "cinquième|5e",
        "sixième|6e",
        "septième|7e",
        "huitième|8e",
    ),
    last_ordinal=r"derni(?:er|ère)",
    conditions=(
        "à moins que|à moins qu'|pourvu que|"
        "sinon|autrement,|"
        "si(?![,.;:!])|s'il|s'ils|à condition|en supposant|sauf si|sans(?= .*(?:serait|aurait|mettrais|donnerais|"
        "dirais|mériterait))"
    ),
    harmless_conditions=(
        r"s'?i? ?(?:je|il|on|vous)?\s?(?:devais|fallait|faut|dois|devait) (?:\w+ )?(?:choisir|trancher|deviner|"
        r"répondre|me prononcer|décider|en choisir (?:une?|un seul))|si (?:on|l'on|vous|je|tu) écout\w+(?: bien|"
        " attentivement)?|si je ne (?:me trompe|m'abuse)(?: pas)?|comme si|si vous voulez mon avis|"
        "si j'ai bien (?:entendu|compris)|si,"
    ),
    causes=r"car|parce que|parce qu'|puisque",
    concessions=r"bien que|bien qu'|même si|quoique|malgré|certes|alors que|tandis que",
    comparisons=(
        r"(?:plus|moins|davantage|mieux|plutôt)\s(?:(?!probable|vraisemblable)[^.,;!?\n]){0,60}?(?:que|qu')[^.,;!?\n]*"
    ),
    courtesies=(
        "oui,? (?:avec plaisir|volontiers|je peux vous aider)|(?:il n'y a |sans )?(?:pas )?le moindre doute|"
        "ne fait (?:aucun|pas de|pas l'ombre d'un) doute|volontiers|cela va sans dire|"
        r"je (?:serais|suis|serai) (?:\w+ )?(?:content|contente|ravie?|heureu(?:x|se)|désolée?|navrée?|"
        r"triste)(?: de(?: \w+)?| d'| pour| que| mais)?|avec (?:plaisir|joie)|pas de problème|aucun doute|"
        "sans (?:aucun |le moindre )?doute|pas de doute|il n'y a (?:pas de|aucun) doute|nul doute|"
        "j'ai (?:bien )?peur (?:de|que|qu'|d')|non seulement|pas seulement|bien sûr que je|pas de souci|"
        "ce n'est pas un problème|ne laisse (?:pas|plus|aucun) (?:de )?doute|n'hésitez pas|pas mal|n'est-ce pas|"
        "aucune hésitation|de rien|heureux de|malheureusement"
    ),
    dependences=(
        r"première (?:moitié|partie)[^.!?\n]*(?:seconde|deuxième)|"
        "(?:tout|ça|cela) dépend|selon (?:que|qu'|si)"
    ),
    audio_nouns=(
        "téléchargements?|téléversements?|lecteur|format|flux|mémo vocal|message vocal|"
        r"(?:fichier|extrait|contenu|message|document|piste|clip|pièce jointe)s?(?: (?:audio|sonores?|vocal|vocaux|"
        r"joint))?|audio|enregistrements?|bande(?:-son| sonore)?|pi[eè]ces? jointes?|son(?=[.,;!]|$)|sons(?=[.,;!]|"
        r"$)|lien|échantillon"
    ),
    locatives=(r"dans|sur|durant|pendant|au cours de|tout au long de|en"),
    inabilities=(
        r"(?:de )?ne pas pouvoir|de ne pouvoir|"
        r"(?:ne |n')?(?:peux|puis|parviens|réussis|arrive|suis|ai|sais|saurais|m'est|dispose) (?:\w+ )?pas|"
        r"impossible|incapable|pas (?:pu|possible|capable|en mesure|moyen|la capacité|la possibilité)|aucun moyen|"
        r"aucune? (?:capacité|possibilité)|ne (?:peux|puis|saurais)|n'ai pu|n'arrive"
    ),
    perceptions=(
        "lancer|télécharger|visionner|ouïr|décrypter|l'écouter|l'entendre|l'ouvrir|la lire|le lire|"
        r"entendre|écouter|lire|ouvrir|traiter|accéder|analyser|percevoir|décoder|charger|jouer|évaluer|reproduire|"
        r"interpréter|exploiter"
    ),
    arrivals=(
        "attachée?s?|annexée?s?|importée?s?|reconnue?s?|prise? en charge|compatible|prend en charge|"
        "supportée?s?|"
        r"reçue?s?|jointe?s?|arrivée?s?|parvenue?s?|chargée?s?|envoyée?s?|transmise?s?|disponibles?|accessibles?|"
        r"trouvée?s?|fournie?s?|présente?s?|ouvrir?|ouvre|lisible|fonctionne|passe|téléversée?s?|vois|trouve|"
        r"exploitable"
    ),
    capacities=r"capacité|possibilité|moyens?|outils?|fonction|faculté",
    policies=r"politiques?|directives?|consignes|lignes directrices|conditions d'utilisation|mes règles",
    defects=(
        "échouée?|a échoué|échoue|brisée?|cassée?|bloquée?|refusée?|expiré|404|403|inopérante?|"
        "totalement muet|d'une durée nulle|dure (?:0|zéro) seconde|non compatible|incompatible|"
        r"vide|manquante?|corrompue?|absente?|endommagée?|illisible|inaccessible|indisponible|introuvable|"
        r"défectueu(?:x|se)|invalide|expirée?|muet|inexploitable|manque|non (?:supporté|pris en charge|reconnu|"
        r"fourni|joint)e?"
    ),
    refusals=(
        "que je (?:n'ai pas (?:pu )?(?:entendue?s?|entendre|écoutée?s?|écouter)|ne peux pas (?:entendre|"
        "écouter))|aucune (?:capacité|fonction|faculté) (?:d'écoute|auditive|audio)|"
        r"(?:renvoie|affiche|retourne|donne) (?:\w+ )?(?:une )?erreur|erreur (?:404|403|500)|page introuvable|"
        "faute (?:de|d') ?(?:son|audio|enregistrement|fichier|bande|pouvoir (?:entendre|écouter)|accès)|"
        "en l'absence (?:de|d'|du) ?(?:son|audio|enregistrement|fichier|l'enregistrement|l'audio)|"
        r"(?:accès|n'accède|traite|lis|comprends|connais|manipule) (?:\w+ )?(?:qu'à|qu'au|que|uniquement|"
        r"seulement|exclusivement) (?:\w+ )?(?:l'écrit|texte|du texte|le texte|des mots écrits|mots écrits|"
        "caractères)|"
        "(?:n'ai|n'ai pas|sans|pas|dépourvue? d['e]|ni) (?:pas )?(?:d'|de )?(?:oreilles?|ouïe|"
        "capacité auditive|module audio|fonction audio)|"
        r"n'ai (?:donc |malheureusement )?(?:rien|pas) pu (?:\w+ )?(?:l')?(?:écouter|entendre|lire|ouvrir|"
        "charger|lancer)|"
        r"(?:rien|aucun élément) (?:n'est|n'a été|n'était|ne figure) (?:\w+ )?(?:joint|attaché|envoyé|reçu|"
        "transmis|chargé|en pièce jointe)|"
        "(?:rien|pas grand-chose) à (?:évaluer|noter|classer|juger|analyser|écouter|identifier)|"
        "je ne peux rien en (?:tirer|dire)|"
        "(?:fonctions|capacités|compétences|attributions) (?:ne (?:vont|comprennent|incluent|permettent|"
        "couvrent)|n'incluent) pas|"
        "(?:écouter|entendre|l'écoute|l'audition|l'audio) (?:ne fait|ne font|n'entre|dépasse|ne relève|"
        r"excède) (?:\w+ ){0,3}?(?:partie|dans|mes|capacités|compétences)|"
        "ne (?:prend|prends|prennent|gère|gèrent|gère pas|supporte|traite|"
        "traitons) (?:pas )?(?:en charge )?(?:pas )?(?:l'audio|les? fichiers? audio|le son|les sons|"
        "les enregistrements|ce format)|"
        r"je (?:dois|suis obligée? de|suis contrainte? de|me vois contrainte? de) (?:\w+ )?(?:décliner|"
        "refuser|m'abstenir|passer mon tour)|je (?:m'abstiens|décline|refuse|passe mon tour)|"
        "préfère m'abstenir|"
        "(?:porter )?atteinte à la vie privée|ne saurais (?:pas |donc )?(?:vous )?(?:dire|"
        r"répondre)(?=[^.!?\n]*(?:sans|faute|puisque|car)[^.!?\n]*(?:son|audio|entendre|écouter|fichier))|"
        r"j'appuie sur (?:lecture|play)[^.!?\n]*(?:rien|erreur)|rien ne se (?:passe|lance)|"
        "(?:joignez|envoyez|envoie)(?:-moi)? (?:d'abord )?(?:l'audio|le fichier|l'enregistrement)|"
        r"n'ai (?:pas|aucun) accès|(?:audio|fichier|enregistrement)(?: \w+)? introuvable|(?:erreur|"
        r"échec) (?:de|du|lors du|au) (?:décodage|chargement)|lien (?:\w+ ){0,3}?(?:expiré|invalide)|"
        r"fichier (?:\w+ )?invalide|(?:pas|aucun)[^.!?\n]{0,20} (?:diagnostic|avis) médical|"
        r"(?<!elle )(?<!il )(?<!qui )préfère ne pas|"
        "préférerais ne pas|souhaite pas (?:répondre|me prononcer|juger)|je ne (?:juge|note|devine|déduis|"
        r"identifie) pas (?:l|d|les|des|une?|quelqu)\w*|abstiendrai|"
        r"(?:merci de|prière de) (?:\w+ )?(?:joindre|envoyer|renvoyer|partager|fournir)|à l'encontre de|"
        "(?<!elle )(?<!il )(?<!qui )préfère ne pas|ne m'(?:est|a|ont) pas|sans (?:entendre|écouter|"
        "avoir entendu|avoir écouté|l'audio|"
        rf"l'enregistrement|le fichier|accès)|n'entends rien|par sa voix|aucune? {_AUDIO}(?! d[e'])|(?:il n'y a|"
        "y a|n'ai|n'ai reçu|sans|reçu|ne vois|ne trouve|n'entends|ne reçois|ne détecte|n'avez)(?: pas| aucun|"
        rf" reçu| joint| trouvé| malheureusement| fourni| envoyé| d'| de| l'| le| la| votre| vu| pu)* ?{_AUDIO}|"
        rf"{_UNABLE}(?:\w+ment )?{_PERCEIVE}{_DET}{_AUDIO}|{_UNABLE}(?:\w+ment )?(?:entendre|écouter)(?=[.,;!]|$)|"
        rf"(?:pas|aucun) accès (?:à |au |aux )?{_DET}{_AUDIO}|{_AUDIO}(?: \w+){{0,3}}? (?:n'(?:a|est|ont)|"
        r"ne (?:s'est|s'ouvre|se|peut|peuvent|fonctionne|semble))(?: \w+)? (?:pas|pu|été|jointe?|chargée?)|"
        rf"{_AUDIO}(?: \w+)? (?:est|semble|paraît)(?: être)? (?:vide|manquante?|corrompue?|absente?|endommagée?|"
        "illisible|inaccessible|indisponible)|(?:que|seulement|uniquement) (?:du |avec du |le )?texte|(?:modèle|"
        "assistant|ia)(?: de langage| linguistique| textuel(?:le)?| de texte|"
        r" basé sur le texte)(?:[^.!?\n]*(?:ne |n'|incapable|impossible|pas))|(?:pour|"
        "raisons?) (?:des raisons )?(?:de )?(?:confidentialité|sécurité|vie privée|éthiques?|légales?)|"
        "respect de la vie privée|ne (?:peux|suis|puis|saurais)(?: malheureusement|"
        " donc)? (?:pas )?(?:vous aider|y répondre|répondre à cette|traiter (?:cette|votre) demande|donner suite|"
        "autorisée?|habilitée?|déduire|inférer|estimer l'âge|identifier (?:la|une|des|cette) (?:personne|"
        "personnes|identité)|deviner l'(?:âge|identité|émotion))|contraire à (?:mes|nos)|"
        r"veuillez (?:\w+ )?(?:renvoyer|télécharger|joindre|envoyer|fournir|téléverser|importer|partager)|"
        r"(?:pouvez|pourriez)-vous (?:\w+ )?(?:renvoyer|joindre|envoyer|télécharger|téléverser|partager|"
        "le renvoyer)|je n'ai pas reçu|m'est pas possible d'(?:écouter|entendre|analyser)|ne m'est pas permis"
    ),
    reservations=(
        "je (?:préfère|préférerais|choisis de|tiens à|souhaite|me dois de|dois) (?:ne pas|ne point|"
        "m'abstenir|éviter)|je ne (?:souhaite|veux|dois|désire|tiens|puis|vais) (?:donc |vraiment )?pas|"
        "je ne suis pas (?:autorisée?|habilitée?|censée?) à|"
        "je (?:m'interdis|me refuse|refuse|m'abstiens|m'abstiendrai|évite|décline|renonce)|"
        "il ne m'(?:appartient|est) pas|il serait (?:inapproprié|déplacé|contraire)|"
        "il n'est pas (?:approprié|de mon ressort)|ce n'est pas à moi"
    ),
    judgements=(
        "(?:me |m'|y |la |le |l'|les |en |vous )?(?:prononcer|commenter|juger|répondre|évaluer|noter|"
        "identifier|spéculer|diagnostiquer|déduire|inférer|étiqueter|qualifier|deviner|classer|avis|jugement|"
        "conclure|exprimer|donner suite|supputer|abstenir)"
    ),
    yes=r"oui",
    agreements=(
        "exacte|correcte|"
        "je confirme|je le confirme|confirmé|c'est bien le cas|c'est le cas|c'est cela|oui-da|"
        "ça oui|pour sûr|évidemment que oui|sans conteste|indéniablement|positif|ouep|yep|carrément|"
        "bien évidemment|cela ne fait aucun doute|d'évidence|"
        "et comment|je veux|"
        "oui|ouais|effectivement|absolument|exact|exactement|tout à fait|bien sûr|certainement|vrai|en effet|"
        "correct|évidemment|je pense que oui|je crois que oui|bien entendu|certes|parfaitement|assurément|"
        "si(?=[,.!]|$)|c'est exact|affirmatif"
    ),
    no=r"non",
    disagreements=(
        "inexacte?|incorrecte?|erronée?|"
        "que nenni|nenni|nada|que non|oh non|ça non|en rien|pas le moins du monde|tant s'en faut|"
        "aucune chance|que dalle|pas question|hélas non|ce n'est pas le cas|tout le contraire|"
        "nulle part|à aucun moment|surtout pas|"
        "loin de là|tu parles|"
        "non|pas du tout|absolument pas|nullement|faux|aucunement|certainement pas|bien sûr que non|"
        "je ne (?:pense|crois) pas|pas vraiment|en aucun cas|négatif|jamais de la vie|je pense que non|"
        "pas exactement|sûrement pas|point du tout"
    ),
    both=(
        r"impossible de ne pas|ne peut (?:pas )?(?:ne pas|manquer|nier)|n'est pas que?[^.!?\n]*|ne (?:cesse|"
        r"s'arrête) (?:pas )?de|ne peut pas dire[^.!?\n]*|"
        "oui (?:et|ou|/) ?non|oui/non|non et oui|ni oui ni non|si (?:oui|non)|pas (?:sûre?|certaine?)|"
        "pas (?:tout à fait|exactement) (?:sûre?|certaine?)"
    ),
    speech_verbs="dit|disent|répond|crie|répète|murmure|lance",
    negators=(
        r"pas|aucune?|jamais|rien|personne|sans|impossible|nier|doute\w*|faux|mensonge|point|nullement|difficile|"
        r"manquer|ignorer|contraire"
    ),
    certainties=(
        r"ne (?:peut|saurait|pourrait) (?:pas )?(?:dire|prétendre|affirmer) qu(?:e |')[^.,;:!?\n]*?(?:ne |"
        r"n')[^.,;:!?\n]*(?=[,;:])|ce n'est pas qu(?:e |')[^.,;:!?\n]*?(?:ne |n')[^.,;:!?\n]*(?=[,;:])|"
        "difficile de (?:dire|"
        "répondre) non|"
        r"le contraire (?:serait|m'eût|aurait été|m'étonnerait)(?: \w+)? ?(?:étonnant|surprenant|étonné)?|"
        "non,? vous ne (?:vous trompez|rêvez) pas|(?:je ne me trompe|vous ne vous trompez) pas|"
        "on ne peut (?:pas )?(?:le )?nier|force est de constater|c'est indéniable|hors de doute|"
        r"sans (?:aucun|le moindre|nul) doute|sans doute possible|(?:il n'y a |y a )?(?:pas|aucun|"
        r"nul) (?:le moindre |de )?doute|indéniable(?:ment)?|incontestable(?:ment)?|indubitable(?:ment)?|"
        r"impossible de (?:ne pas|manquer|rater|nier|passer à côté|s'y tromper)|(?:ne|n') ?(?:peut|saurait|"
        r"pourrait) (?:pas )?(?:ne pas|manquer|nier|rater|ignorer)|non seulement|ça ne fait (?:pas l'ombre d'un|"
        r"aucun) doute|ne fait (?:pas l'ombre d'un|aucun|pas) doute|pas (?:seulement|uniquement)|cela va sans dire|"
        r"difficile de (?:ne pas|nier|rater)|on ne s'y trompe pas"
    ),
    wavering=(
        r"ne (?:peut|peux|saurait) (?:pas )?(?:le )?savoir|reste (?:\w+ ){0,2}?(?:ouverte?|en suspens)|"
        "impossible à (?:dire|savoir)|"
        "allez savoir|va savoir|à voir|je ne me prononce pas|on ne sait pas|rien ne permet de|mystère|"
        "je sèche|ça se discute|reste incertain|c'est flou|entre les deux|"
        r"oui et non|ni oui ni non|tantôt|parfois|par moments|(?:difficile|impossible|dur) (?:de|à) (?:le )?(?:dire|"
        r"trancher|juger|savoir|l'affirmer|affirmer)|pas (?:du tout |vraiment |tout à fait )?(?:sûre?|certaine?)|"
        r"aucune idée|qui sait|ça dépend|cela dépend|tout dépend|ou (?:peut-être |bien |alors )?(?:pas|non)(?=[.!?,]|"
        r"$)|je ne (?:sais|saurais) pas|discutable|en quelque sorte|pas clair|je n'ose|ne (?:peux|"
        r"saurais) (?:pas )?(?:dire|trancher|affirmer|me prononcer)"
    ),
    implied_yes=(
        "(?:l'affirmation|la phrase|l'énoncé|cela) est (?:donc |bien |tout à fait )?(?:exacte?|vraie?|correcte?|"
        "juste)|"
        r"c'est (?:bien )?(?:le cas|ça|vrai|exact)|il y en a|j'en entends|(?:on|je) l'entends?"
    ),
    implied_no=(
        "absence (?:totale |complète )?d[e']|"
        "(?:l'affirmation|la phrase|l'énoncé|cela) est (?:donc )?(?:inexacte?|fausse|faux|incorrecte?|erronée?)|"
        r"(?<![^.!?\n])\s*(?:pas (?:l'ombre|la moindre|le moindre|un(?:e)? seule?|de (?!doute)\w+)|aucune? (?!doute|"
        r"idée|problème)\w+|nulle trace|rien (?:de tel|n'indique|ne laisse|qui)|personne ne)|pas la moindre trace|"
        r"nulle trace|"
        "(?:il n'y a|n'y a|y a|n'entends|n'entend|n'est|ne sont|n'a|ne contient|ne comporte|ne s'agit|n'y|"
        r"ne perçois|ne distingue|ne parle|n'en|ne chante|ne joue)(?: \w+)? (?:pas|aucune?|point|plus|personne|"
        r"ni)(?! (?:\w+ )?(?:bruit de fond|différence|problème|doute|défaut|distorsion|bruit))|"
        r"pas d[e'] ?\w+ (?:dans|sur|ici|audible)|aucune? \w+ (?:n'est|dans|audible)|ce n'est pas|pas la même|"
        "pas le même"
    ),
    content_free=(
        "joue|passe|résonne|retentit|donc|ainsi|moment|pendant|durant|"
        "le|la|les|l|un|une|des|du|de|d|ce|cet|cette|ces|c|il|ils|elle|elles|on|je|j|nous|vous|y|en|se|s|son|sa|"
        "ses|leur|leurs|mon|ma|est|sont|était|étaient|être|été|a|ont|avait|avoir|t|qu|que|qui|ne|n|et|dans|à|au|"
        "aux|sur|par|pour|avec|entend|entendre|entends|entendu|entendons|audible|perçoit|présente?s?|contient|"
        "agit|semble|paraît|quelqu|chose|ici|enregistrement|audio|extrait|fichier|clip|clairement|effectivement|"
        "vraiment|bien|évidemment|certainement|aussi|tout|peut|seule?|bel"
    ),
    adverbials=(
        "première|deuxième|troisième|quatrième|dernière|force|assez|loin|beaucoup|"
        "fond|arrière|plan|deux|trois|fois|fin|début|fort|fortement|brièvement|puis|ensuite|enfin|très|plusieurs|"
        r"nettement|distinctement|environ|secondes?|vers|volontiers|\w+ment"
    ),
    persons="locuteurs?|locutrices?|personnes?|homme|femme|fille|garçon|chanteur|chanteuse|voix|enfant",
    definites="le|la|les|l|son|sa|ses|ce|cet|cette|leur|au|du",
    displacements=(
        "ou|si|est-ce|pourrait|pourraient|devrait|serait|aurait|voudrait|veut|veulent|peut-être|peut être|va|"
        r"doit|imit\w+|fait semblant|feint|prétend\w*|mentionn\w+|décri\w+|parle d\w+|raconte\w*|dit|disent|"
        r"demande\w*|croi\w+|pens\w+|suppos\w+|essa\w+|tente\w*|refuse\w*|cess\w+|arrêt\w+|évit\w+|menac\w+|"
        r"presque|faillit?|failli|à peine|comme|autres?|ailleurs|plutôt|seulement|prétendu\w*|possible\w*|"
        r"probable\w*|apparemment|rappelle\w*|ressembl\w+|habituellement|souvent|parfois|normalement|d'abord|"
        "avant|sans|ni|soit|que si|question"
    ),
    concords="ne|n'|pas|aucune?|jamais|rien",
    inflections="issent|aient|erent|ants?|ent|ees|ait|ons|ez|er|ir|re|ee|es|it|is|ie|e|s|x|t",
    number_words=dict(
        zip(
            [
                *("zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"),
                *(
                    "onze",
                    "douze",
                    "treize",
                    "quatorze",
                    "quinze",
                    "seize",
                    "dix-sept",
                    "dix-huit",
                    "dix-neuf",
                    "vingt",
                ),
            ],
            range(21),
            strict=True,
        )
    ),
    halves=r"et demie?|virgule cinq",
    decimal_words="virgule",
    minus="moins",
    rating_cues=(
        "descends à|baisse à|monte à|ramène à|"
        "vaut|mérite|je m'en tiens|tiens à|m'arrête à|reste|malgré tout|au total|globalement|ce sera|disons|"
        "j'accorde|accorde|attribue|je mets|arrive à|en tout|"
        "note|score|donne|donnerais|mets|mettrais|attribue|attribuerais|évalue|évaluation|résultat|réponse|"
        r"verdict|total|conclusion|dirais|mérite|obtient|accorde|bilan|global\w*|finale?|"
        "c'est un|un bon|un petit"
    ),
    rating_units=r"points?|étoiles?|sur",
    other_units=(
        "mots?|syllabes?|phrases?|"
        "mètres?|euros?|kilomètres?|centimètres?|degrés?|jours?|semaines?|mois|mesures?|syllabes?|pour cent|"
        "millisecondes?|ms|kbps|bits?|coupures?|craquements?|micros?|chiens?|couplets?|ans?|locuteurs?|"
        "interlocuteurs?|mots?|fausses? notes?|tentatives?|"
        "secondes?|s|minutes?|locuteurs?|personnes?|voix|mots?|fois|hz|khz|db|ans|heures?|phrases?|pauses?|"
        "erreurs?|instruments?"
    ),
    bounds=(
        "au mieux|au moins|au plus|minimum|maximum|plus de|moins de|au-dessus de|au-dessous de|jusqu'à|presque|à peine|"
        "supérieure? à|inférieure? à|entre|pas loin de|quasiment|près de"
    ),
    bounds_after=(
        "(?:peut-être|voire|ou|plutôt)(?: même| un peu| légèrement)* (?:moins|plus|mieux|au-dessus|en dessous)|"
        r"au mieux|ou plus|ou moins|au moins|au minimum|au maximum|minimum|maximum|et plus"
    ),
    has_decimal_comma=True,
)
