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
        "est|c'est|être|semble|paraît|s'agit|il|elle|ce|qu'|que|entend|comme|à|pas|tellement|particulièrement|"
        "vraiment|ni|on|sonne|dans|son|sa"
    ),
    articles=r"le|la|les|l'|un|une|des|du|de la|de l'|de|d'|au|aux?|à la|à l'|dans|en|sur|chez",
    option_nouns=r"options?|réponses?|choix|lettre|propositions?|numéro|alternative",
    conjunctions=r"ou|et|ni|ou bien|ou alors|ou encore|ainsi que|ou peut-être",
    verbs_after_letter=r"est|et|ou|ni|car|parce|puisque|semble|correspond|convient|serait|ne|n'est|me|à cause",
    negations=(
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
        "on croirait|on jurerait|"
        r"(?:certains|d'aucuns|quelqu'un|d'autres|beaucoup) (?:\w+ )?(?:diraient|dirait|parleraient|"
        "penseraient|croiraient|qualifieraient)|on (?:pourrait|aurait pu) (?:croire|penser)|"
        r"si|entre|hésite|ne sais pas|les (?:options|choix|étiquettes|réponses) (?:sont|possibles)|savoir"
    ),
    denials=(
        "(?:est )?peu probable|certainement pas|"
        "n'a rien à voir|est hors de question|"
        "(?:n'est|ne (?:sont|semble|correspond|convient|conviennent|correspondent|peut|peuvent|va|vont)|ne)|"
        r"est (?:\w+ )?(?:faux|fausse|incorrecte?|exclue?|à exclure|improbable|impossible|éliminée?)|"
        r"sont (?:\w+ )?(?:fauss?es?|faux|incorrecte?s|exclue?s|à exclure|éliminée?s)|(?:est|sont) à écarter|"
        ":? voilà les|serait plus|peu probable"
    ),
    first_thoughts=(
        "d'abord|au début|au départ|j'ai cru|j'ai pensé|je pensais|je croyais|aurais dit|à première (?:vue|"
        "écoute)|on pourrait (?:croire|penser)|j'hésitais|j'avais pensé"
    ),
    first_thoughts_after=(
        "d'abord|au début|au départ|à première (?:vue|écoute)|ai-je (?:d'abord )?(?:cru|pensé)|pensais-je|"
        "était ma première"
    ),
    doubts=r"peut-être|pourrait|éventuellement|il se peut que|possiblement",
    doubts_after=r"est (?:aussi )?possible|si|peut-être",
    answer_nouns=r"réponse|solution|conclusion|verdict|résultat|réponse finale|bilan",
    result_nouns=(
        "choix|option|étiquette|catégorie|classe|émotion|genre|instrument|scène|lettre|humeur|ton|sentiment|label"
    ),
    copulas=r"est|sont|était|serait|reste|demeure|doit être",
    decisions=(
        r"je (?:\w+ )?(?:choisis|prends|dis|dirais|opte pour|vote pour|penche pour|pense|crois|sélectionne|"
        "retiens|réponds|garde|parie sur|mise sur)(?: que)?(?: c'est| il s'agit| ce soit)?(?: d')?|donc|ainsi|"
        "alors|par conséquent|il s'agit(?: donc| bien| clairement| ici| en fait)*(?: d'| de)?|c'est(?: donc|"
        " bien| clairement)|mais|finalement|en fait|en réalité|non,|plutôt|pardon|attendez|attends|je veux dire|"
        "c'est-à-dire|à savoir|correspond à|correspondent à|reste|correction|au final|ou plutôt|en définitive|"
        "pencherais pour|j'opte pour|j'entends|exprime|ne laisse plus de doute"
    ),
    confirmations=(
        r"car|parce que|parce qu'|puisque|(?:est|me semble|semble|paraît) (?:\w+ )?(?:correcte?|juste|bonne?|"
        "exacte?|la (?:bonne )?réponse|le plus probable|la plus probable|le bon choix|le plus adapté)|convient|"
        "correspond|est la bonne|sans hésiter|qu'on entend"
    ),
    predicates=r"est|c'est|sont|semble|paraît|entend|sonne|exprime|était|souhaite|veut|traduit|a l'air|demande",
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
    refusals=(
        "(?:joignez|envoyez|envoie)(?:-moi)? (?:d'abord )?(?:l'audio|le fichier|l'enregistrement)|"
        r"n'ai (?:pas|aucun) accès|(?:audio|fichier|enregistrement)(?: \w+)? introuvable|(?:erreur|"
        r"échec) (?:de|du|lors du|au) (?:décodage|chargement)|lien (?:\w+ ){0,3}?(?:expiré|invalide)|"
        r"fichier (?:\w+ )?invalide|(?:pas|aucun)[^.!?\n]{0,20} (?:diagnostic|avis) médical|préfère ne pas|"
        "préférerais ne pas|souhaite pas (?:répondre|me prononcer|juger)|je ne (?:juge|note|devine|déduis|"
        r"identifie) pas (?:l|d|les|des|une?|quelqu)\w*|abstiendrai|"
        r"(?:merci de|prière de) (?:\w+ )?(?:joindre|envoyer|renvoyer|partager|fournir)|à l'encontre de|"
        "préfère ne pas|ne m'(?:est|a|ont) pas|sans (?:entendre|écouter|avoir entendu|avoir écouté|l'audio|"
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
        "personnes|identité)|deviner l'(?:âge|identité|émotion))|(?:refuse|décline)|contraire à (?:mes|nos)|"
        r"veuillez (?:\w+ )?(?:renvoyer|télécharger|joindre|envoyer|fournir|téléverser|importer|partager)|"
        r"(?:pouvez|pourriez)-vous (?:\w+ )?(?:renvoyer|joindre|envoyer|télécharger|téléverser|partager|"
        "le renvoyer)|je n'ai pas reçu|m'est pas possible d'(?:écouter|entendre|analyser)|ne m'est pas permis"
    ),
    yes=r"oui",
    agreements=(
        "et comment|je veux|"
        "oui|ouais|effectivement|absolument|exact|exactement|tout à fait|bien sûr|certainement|vrai|en effet|"
        "correct|évidemment|je pense que oui|je crois que oui|bien entendu|certes|parfaitement|assurément|"
        "si(?=[,.!]|$)|c'est exact|affirmatif"
    ),
    no=r"non",
    disagreements=(
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
    implied_yes=r"c'est (?:bien )?(?:le cas|ça|vrai|exact)|il y en a|j'en entends|(?:on|je) l'entends?",
    implied_no=(
        "(?:il n'y a|n'y a|y a|n'entends|n'entend|n'est|ne sont|n'a|ne contient|ne comporte|ne s'agit|n'y|"
        r"ne perçois|ne distingue|ne parle|n'en|ne chante|ne joue)(?: \w+)? (?:pas|aucune?|point|plus|personne|"
        r"ni)(?! (?:\w+ )?(?:bruit de fond|différence|problème|doute|défaut|distorsion|bruit))|"
        r"pas d[e'] ?\w+ (?:dans|sur|ici|audible)|aucune? \w+ (?:n'est|dans|audible)|ce n'est pas|pas la même|"
        "pas le même"
    ),
    number_words=dict(
        zip(
            ["zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"],
            range(11),
            strict=True,
        )
    ),
    halves=r"et demie?|virgule cinq",
    decimal_words="virgule",
    minus="moins",
    rating_cues=(
        "note|score|donne|donnerais|mets|mettrais|attribue|attribuerais|évalue|évaluation|résultat|réponse|"
        r"verdict|total|conclusion|dirais|mérite|obtient|accorde|bilan|global\w*|finale?|"
        "c'est un|un bon|un petit"
    ),
    rating_units=r"points?|étoiles?|sur",
    other_units=(
        "secondes?|s|minutes?|locuteurs?|personnes?|voix|mots?|fois|hz|khz|db|ans|heures?|phrases?|pauses?|"
        "erreurs?|instruments?"
    ),
    bounds=(
        "au mieux|au moins|au plus|minimum|maximum|plus de|moins de|au-dessus de|au-dessous de|jusqu'à|presque|à peine|"
        "supérieure? à|inférieure? à|entre|pas loin de|quasiment|près de"
    ),
    bounds_after=r"au mieux|ou plus|ou moins|au moins|au minimum|au maximum|minimum|maximum|et plus",
    has_decimal_comma=True,
)
