"""Spanish phrasings."""

from auricle.text.reading.table import Phrasings

_AUDIO = (
    "(?:audios?|grabaci(?:ón|ones)|archivos?(?: de audio| de sonido)?|sonidos?|ficheros?(?: de audio)?|adjuntos?|"
    "clips?|notas? de voz|pistas?(?: de audio)?)"
)
_DET = "(?:(?:el|la|los|las|un|una|este|esta|ese|esa|tu|su|ningún|ninguna|al|a|de|del|directamente|correctamente|ni) )*"
_PERCEIVE = (
    "(?:escuchar(?:lo|la)?|oír(?:lo|la)?|reproducir(?:lo|la)?|procesar(?:lo|la)?|abrir(?:lo|la)?|acceder|"
    "analizar|cargar|recibir|percibir|evaluar|encontrar|ver|interpretar)"
)

TABLE = Phrasings(
    fillers=(
        "el|la|los|las|lo|un|una|unos|opción|respuesta|letra|alternativa|número|probablemente|seguramente|"
        "claramente|muy|más bien|sin duda|bastante|realmente|simplemente|principalmente|de|del|en|al|bien|"
        "casi seguro|posiblemente|etiqueta|correcta"
    ),
    verbs=(
        "tanto|"
        "es|son|era|sea|ser|está|estar|suena|parece|se|oye|escucha|trata|como|que|a|particularmente|"
        "especialmente|tan|precisamente|hay|muestra|expresa|nada"
    ),
    articles=r"el|la|los|las|un|una|unos|unas|del?|de la|en|en el|en la|al?|a la|por|sobre",
    option_nouns=r"opci(?:ón|ones)|respuestas?|letra|alternativas?|número|inciso|elección",
    conjunctions=(
        "como|"
        r"o|u|y|e|ni|o bien|o tal vez|o quizás?|así como|o sea x"
    ),
    verbs_after_letter=r"es|y|o|ni|porque|ya|parece|sería|no|corresponde|encaja|está|pues",
    negations=(
        "(?:más|menos) de|al menos|por lo menos|como (?:mucho|mínimo|máximo)|nada (?:parecido|similar|"
        "semejante) a|"
        "(?:quitad|descartad|eliminad|excluid)[oa]s?(?: también)?|"
        "descartaría|excluiría|"
        "ni rastro de|nada de|"
        "descartar|excluir|eliminar|no(?! solo| sólo| solamente)|ni|sin|salvo|excepto|menos|en vez de|"
        "en lugar de|nunca|jamás|tampoco|apenas|ningún|ninguna|todo menos|cualquier cosa menos|nada|"
        "lejos de(?: estar| ser)?|a diferencia de|descarto|descartamos|más cerca(?:no|na)? (?:a|de)|"
        r"parecid[oa] a|se parece(?: más)? a|similar a|recuerda a|demasiado \w+ para|poco|difícilmente"
    ),
    distant_negations=(
        "nadie|"
        r"no(?! sol)|nunca|jamás|tampoco|dudo|difícil|contrario|ningún|imposible"
    ),
    denied_clauses=(
        r"(?:menciona|cuenta|nombra|anuncia|presume de)(?= [^.!?\n]*(?:pero|aunque|sin embargo|mas))|"
        r"en cuanto (?:a|al) (?=[^.!?\n]*\Z)|no confundir con|que nadie piense|"
        "(?:todos|muchos) piensan|"
        r"(?:algunos|alguno|alguien|otros|muchos) (?:\w+ )?(?:dirían|diría|pensarían|pensaría|llamarían|"
        "llamaría|creerían)|(?:se podría|cabría|uno podría) (?:pensar|creer)|"
        r"entre|dudo|no sé|las (?:opciones|etiquetas|respuestas) (?:son|posibles)|no estoy seguro|no creo"
    ),
    denials=(
        "(?:lo|la|los|las) (?:descarto|elimino|excluyo|tacho)|(?:yo )?descarto|ni hablar|no es|para nada|"
        "queda (?:descartad[oa]|eliminad[oa])|ni por asomo|(?:se )?(?:puede|podemos|"
        r"hay que) (?:\w+ )?(?:descart|tach|elimin|olvid)\w+|imposible|desde luego que no|ni de broma|"
        "seguro que no|apenas (?:se oye|suena|acompaña)|solo acompaña|no encaja|no cuadra|nada|"
        r"tampoco|"
        "(?:es )?poco probable|"
        ",? nada(?=[.!;]|$)|"
        r"(?:está|suena|es) (?:\w+ )?nadie|queda fuera|nada que ver|ni de lejos|"
        r"no(?! solo)|(?:es|son|está|están|queda|quedan|sería|resulta) (?:\w+ )?(?:incorrect[ao]s?|fals[ao]s?|"
        "descartad[ao]s?|improbables?|imposibles?|errónea?o?s?|equivocad[ao]s?|excluid[ao]s?)|se (?:descarta|"
        "puede descartar|pueden descartar|descartan)|(?:puede|pueden) descartarse|sería más|tampoco"
    ),
    first_thoughts=(
        "me inclinaba|tendía a|a punto de|casi digo|menciona|mencionan|"
        r"iba para|apuntaba a|(?:otros|otras|muchos|algunos|alguien|cualquiera|el público|la gente|mi \w+|"
        r"un crítico|los demás|otro) (?:\w+ )?(?:le )?(?:darían?|pondrían?|habrían? dado|pondría|dirían?|"
        "tomarían?|confundirían?)|a simple oído|por la letra|sobre el papel|"
        r"iba a|quería(?! decir)|habría (?:puesto|dado|elegido)|hubiera (?:puesto|dado)|me gustaría|estuve a punto de|"
        r"me sonaba|por instinto|tentad[oa] de|diría que parece|"
        "al principio|primero|inicialmente|pensé|pensaba|creí|creía|parecía|habría dicho|hubiera dicho|"
        "a primera vista|en un primer momento|de entrada|podría pensarse|uno podría|consideré"
    ),
    first_thoughts_after=(
        r"sí,(?=\s*[.\n]|\s*\Z)|"
        "sí,? (?:aunque|pero)|en apariencia|sobre el papel|sería la respuesta (?:obvia|fácil)|"
        "para quien solo|"
        r"al principio|pensé|creí|inicialmente|a primera vista|fue mi primera"
    ),
    appearances=r"parec\w+|suena(?: a)?",
    doubts=(
        "a no ser que|a menos que|puede que|quién sabe si|igual|"
        r"quizás?|tal vez|podría|puede|acaso|a lo mejor|posiblemente"
    ),
    doubts_after=r"(?:también )?es posible|si|podría ser|tal vez",
    answer_nouns=r"respuesta|solución|conclusión|veredicto|resultado|respuesta final|resp",
    result_nouns=(
        "evento|acento|idioma|lugar|ambiente|motivo(?: real)?|intención|"
        "elección|opción|etiqueta|categoría|clase|emoción|género|instrumento|escena|letra|tono|sentimiento|"
        "estado de ánimo|sonido|alternativa"
    ),
    copulas=r"es|son|sería|era|debe ser|queda|corresponde a",
    decisions=(
        r"en total|en conjunto|me decido (?:\w+ ){0,5}?por|opto (?:\w+ ){0,5}?por|me quedo (?:\w+ ){0,5}?con|"
        "yo cuento|cuento|"
        "me decanto por|me decido por|mi voto (?:va )?(?:para|a|es)|va para|me quedo (?:entonces )?con|"
        "lo clasifico como|lo clasificaría como|clasifico como|lo situaría en|lo ubico en|"
        "es propi[oa] de|son propi[oa]s de(?:l)?|"
        "típic[oa]s? del?|característic[oa]s? del?|lo (?:que )?(?:suena|hay) es|"
        "el motivo real es|lo dejo en|total|conque|equivale a|pertenece a|tiene que ser|ha de ser|"
        "debe de ser|no puede ser otr[oa] que|toca|"
        "(?:yo )?(?:elijo|escojo|diría(?: que)?|digo|opto por|voto por|me quedo con|creo que|pienso que|"
        r"selecciono|me inclino por|apuesto por|escogería|elegiría|marco|respondo)(?:[\s]|es|se|trata|de|sea)*|"
        "por (?:lo )?tanto|así que|entonces|por eso|luego|pero(?: en realidad)?(?: es| son| se trata de)|sino|"
        "en realidad|mejor|espera|un momento|de hecho|no,|perdón,?|mejor dicho|quiero decir|es decir|o sea|"
        "finalmente|al final|se trata de|corresponde a|corresponden a|en definitiva|corrección|más bien|"
        "rectifico|en fin|solo queda|digo,|ya que es|definitivamente"
    ),
    confirmations=(
        r"porque|ya que|pues|puesto que|dado que|(?:es|está|sería|parece|me parece) (?:\w+ )?(?:correct[ao]|"
        "cierta?o?|la (?:correcta|respuesta|más probable|adecuada)|lo (?:correcto|más probable)|el correcto|"
        "acertad[ao]|la opción)|encaja|es la buena|sin duda"
    ),
    predicates=(
        "apunta a|apuntan a|delata|delatan|revela|revelan|denota|señala|indica|indican|sugiere|sugieren|"
        r"es|son|está|suena|parece|oye|escucha|transmite|expresa|era|habrá|hay|se trata de|pide"
    ),
    catch_alls="otr[oa]s?|ningun[oa]|nada",
    ordinals=(
        "primer[ao]?|1[ªº]",
        "segund[ao]|2[ªº]",
        "tercer[ao]?|3[ªº]",
        "cuart[ao]|4[ªº]",
        "quint[ao]|5[ªº]",
        "sext[ao]|6[ªº]",
        "séptim[ao]",
        "octav[ao]",
    ),
    last_ordinal=r"últim[ao]",
    conditions=(
        "de lo contrario|en caso contrario|"
        "si(?![,.;:!])|siempre que|a menos que|suponiendo|en caso de|de haber|sin(?= .*(?:sería|daría|tendría|"
        "merecería|pondría))"
    ),
    harmless_conditions=(
        r"si (?:\w+ )?(?:tuviera|tuviese|tengo|hubiera|debo|debiera) (?:que |de )?(?:elegir|escoger|decidir|"
        "adivinar|decir|responder|apostar|optar|quedarme)(?: una?| uno| con una)?|si (?:se|uno|lo|"
        r"la)? ?escuch\w+ (?:bien|con atención|atentamente|con cuidado)|si no me equivoco|si me preguntas?|"
        "como si|si hay que (?:elegir|decidir)|si mal no|si oí bien|si he oído bien"
    ),
    causes=r"porque|ya que|pues|puesto que|dado que",
    concessions=r"aunque|a pesar de|pese a|si bien|mientras que|aun cuando",
    comparisons=r"(?:más|menos|mejor|peor)\s(?:(?!probable|seguro)[^.,;!?\n]){0,60}?que[^.,;!?\n]*",
    courtesies=(
        r"sí,? (?:con (?:mucho )?gusto|puedo ayudar\w*|encantad[ao])|no hay duda alguna|ni la menor duda|"
        "no hace falta decir|no se puede negar|no hay nada que objetar|"
        r"(?:estaré|estaría|estoy|quedo|me siento|sería) (?:\w+ )?(?:encantad[ao]|content[ao]|feliz|triste|alegre|"
        "enfadad[ao])(?: de| por| en| que| pero)?|con (?:mucho )?gusto|con alegría|no hay problema|sin problema|"
        "no cabe (?:la menor |ninguna )?duda|no hay (?:la menor |ninguna )?duda|sin (?:ninguna |lugar a )?dudas?|"
        r"no tengo (?:ninguna )?dudas?|me temo|lo siento|no solo|no sólo|de nada|me alegra(?: \w+)?|"
        "claro que puedo|qué alegría|no pasa nada|por desgracia|lamentablemente|no te preocupes|no hay de qué"
    ),
    dependences=(
        r"primera (?:mitad|parte)[^.!?\n]*segunda|"
        "(?:todo |eso )?depende|según (?:si|se|cómo)"
    ),
    audio_nouns=(
        "descargas?|reproductor|formato|nota de voz|ficheros?(?: de (?:voz|audio))?|"
        r"(?:archivo|fichero|clip|contenido|mensaje|documento|fragmento|nota)s?(?: (?:de (?:audio|voz|sonido)|"
        r"sonor[oa]|adjunt[oa]|multimedia))?|audios?|grabaci(?:ón|ones)|adjunto|sonido(?=[.,;!]|$)|enlace|"
        r"muestra(?: de (?:audio|voz))?"
    ),
    locatives=(r"en|durante|a lo largo de|del"),
    inabilities=(
        r"no (?:puedo|pude|he podido|logro|logré|consigo|soy capaz de|me es posible|me resulta posible|es posible|"
        r"se pudo|se puede|tengo (?:la )?(?:capacidad|posibilidad|forma|manera|modo) (?:de|para)|dispongo de)|"
        r"imposible|incapaz de"
    ),
    perceptions=(
        "descargar|visualizar|oírlo|oírla|descifrar|acceso|"
        r"o[ií]r|escuchar(?:lo|la)?|reproducir(?:lo|la)?|abrir(?:lo|la)?|procesar(?:lo|la)?|acceder|analizar(?:lo|"
        r"la)?|percibir|decodificar|cargar|evaluar|valorar|leer|interpretar|transcribir"
    ),
    arrivals=(
        r"compatible|soportad[oa]|reconoc\w+|admit\w+|descarg\w+|"
        r"recib\w+|lleg(?:ó|ado|a|aron)|adjunt\w+|carg(?:ó|ado|a)|abr(?:e|ió)|disponible|accesible|encontr\w+|"
        r"proporcion\w+|inclu\w+|sub(?:ido|iste|ió)|envi(?:ado|aste|ó)|reproduc(?:e|ible)|suena(?=[.,;!]|$)|funciona|"
        r"está(?=[.,;!]|$)|aparece|veo|existe"
    ),
    capacities=r"capacidad|posibilidad|medios|herramientas?|función|facultad",
    policies=r"políticas?|directrices|pautas|mis (?:normas|reglas)|condiciones de uso",
    defects=(
        "fall(?:ó|a|ado|ido)|bloquead[oa]|denegad[oa]|404|403|inservible|incompatible|(?:dura|de) (?:0|"
        "cero) segundos|inexistente|"
        r"vací[oa]|dañad[oa]|corrupt[oa]|en blanco|ausente|ilegible|inaccesible|defectuos[oa]|inválid[oa]|"
        r"caducad[oa]|expirad[oa]|roto|falta|no (?:compatible|soportado|disponible|encontrado)|sin sonido|mud[oa]"
    ),
    refusals=(
        "que no (?:he podido|pude|puedo) (?:oír|escuchar)|(?:ninguna|sin) capacidad (?:de escucha|auditiva)|"
        "no (?:ha|han|hemos) podido (?:decodificar|abrir|procesar|cargar|reproducir)|"
        r"(?:error|fallo) (?:404|403|500)|(?:error|fallo|problema)s? al (?:\w+ )?(?:cargar|abrir|leer|"
        "descargar|reproducir|procesar|decodificar|subir|recibir)|"
        r"formato (?:\S+ ){0,3}?no (?:es|está|resulta|se) (?:\w+ )?(?:compatible|soportado|reconocido|"
        "admitido|reconoce|admite)|"
        r"(?:carezco|no dispongo|no tengo) (?:de )?(?:\w+ )?(?:oídos?|orejas|audición|acceso|sentido del oído|"
        "capacidad auditiva|función de audio)|"
        r"(?:solo|sólo|únicamente|exclusivamente|nada más que) (?:\w+ )?(?:lee|leo|proceso|procesa|entiendo|"
        "trabajo|acepto|manejo|puedo leer|sé leer)(?=[.,;:!]|$| (?:texto|lo escrito|palabras escritas|"
        "caracteres|lo que))|"
        r"(?:leo|proceso|entiendo|manejo|trabajo) (?:\w+ )?(?:solo|sólo|únicamente|"
        r"exclusivamente) (?:\w+ )?(?:texto|lo escrito|escritos|caracteres)|"
        "no (?:puedo|logro|consigo|soy capaz de|me es posible|sé|pude|podemos) (?:oír|escuchar|"
        "reproducir) (?:a )?(?:la|las|los|el|tu|su|esta|este|vuestra) (?:voz(?! de un)|voces|hablantes?|"
        r"sonidos?|canción|música|persona|llamada|conversación|pista|tema|locutor\w*)|"
        "no (?:he|hemos|he podido) (?:recibido|recibir|oído|escuchado|escuchar|oír) (?:nada|la canción|"
        "la llamada|la pista|la voz|el tema|la música|ningún sonido|aún)|"
        "(?:doy|le doy|pulso|dándole|clico|hago clic) (?:a |en |al )?(?:reproducir|play|"
        r"botón)[^.!?\n]*(?:nada|no|error)|"
        r"vuelv[ae] a (?:subir|enviar|adjuntar|cargar|mandar)\w*|(?:súb|envía|mánda|adjúnta|réenvía|envíe|"
        "mánde|súba)(?:me)?l[oa]|"
        r"no hay (?:nada|\w+) que (?:clasificar|evaluar|valorar|puntuar|analizar|escuchar|juzgar|identificar|"
        "calificar)|nada que (?:clasificar|evaluar|valorar|puntuar|analizar|escuchar|juzgar)|"
        r"sin (?:poder )?acceso (?:al|a la|a los|a) (?:\w+ )?(?:audio|fichero|archivo|grabación|sonido|voz)|"
        "sin (?:poder )?(?:oírlo|oírla|escucharlo|escucharla)|"
        r"(?:tendría que|habría que|debería|necesito|necesitaría) (?:\w+ )?(?:haber recibido|recibir|oír|"
        r"escuchar|tener) (?:\w+ )?(?:la grabación|el audio|el archivo|la voz|el fichero|el sonido)|"
        "(?:oír|escuchar|el oído|la audición) (?:no (?:está|figura|entra|forma)|queda fuera|excede|"
        r"escapa) (?:\w+ ){0,3}?(?:entre|parte|mis|de mis|capacidades|alcance)|"
        r"(?:nada|no se) (?:\w+ )?(?:ha|he|haya|hay) (?:\w+ )?(?:adjuntado|adjunto|llegado|recibido)|"
        "no (?:ha llegado|llegó|se adjuntó|hay) nada (?:adjunto|aquí)?(?=[.,;!]|$| (?:adjunt|en el mensaje))|"
        "declino (?:responder|contestar|opinar|la|pronunciarme)|me abstengo|paso palabra|"
        "(?:aquí )?no suena nada(?= porque|, | por| debido|[.;]|$)|"
        "(?:adjunt[ae]|envía|envíe|sube|suba) (?:primero )?(?:el|la|un) (?:audio|archivo|grabación)|"
        "(?:prefiero|preferiría) no (?:contestar|responder|opinar|pronunciarme|valorar|evaluar|puntuar|juzgar|"
        "calificar)|no (?:debo|puedo|voy a|me corresponde) (?:inferir|atribuir|"
        "deducir|juzgar|diagnosticar|adivinar|especular)|error al (?:decodificar|cargar|abrir|leer|procesar)|"
        "no se pudo (?:realizar|abrir|cargar|leer|reproducir|procesar|decodificar)|(?:enlace|"
        r"vínculo) (?:\w+ ){0,3}?(?:caducado|caducó|expirado|expiró|inválido)|archivo (?:\w+ )?(?:no válido|"
        "inválido|no encontrado)|no [^.!?\n]{0,25} diagnóstico médico|me abstengo|"
        "no me (?:ha|han) llegado|no dispongo|sin (?:el audio|la grabación|el archivo|escuchar|oír)|"
        r"contra de mis|por su voz|(?:no hay|no (?:se )?(?:ha|han|he) (?:\w+ )?(?:adjuntado|recibido|encontrado|"
        "enviado|incluido|proporcionado|subido)|no (?:veo|encuentro|recibí|tengo|detecto|oigo|escucho|aparece|"
        "has (?:adjuntado|enviado|subido)|se adjuntó|adjuntaste|puedo (?:encontrar|"
        r"ver)))(?: \w+)?(?: acceso a(?:l)?)?(?: (?:ningún|ninguna|el|la|un|tu|su|al|del|"
        rf"los))* ?{_AUDIO}(?! de (?:un|una|la|el)\b)|(?:ningún|ninguna) {_AUDIO} (?:adjunt|disponible|en (?:tu|su|"
        rf"el) mensaje)|sin {_AUDIO} (?:no|que)|no (?:puedo|me es posible|soy capaz de|tengo (?:la )?(?:capacidad|"
        rf"posibilidad|forma|manera) (?:de|para))(?: \w+mente)? {_PERCEIVE} {_DET}{_AUDIO}|no (?:puedo|"
        "me es posible|soy capaz de) (?:oír|escuchar|acceder|procesar)(?=[.,;!]|$| (?:ni |sonidos|voces|"
        rf"contenido))|{_AUDIO}(?: \w+){{0,3}}? no (?:se (?:ha |pudo |puede |)?|está |pudo |ha |aparece|llegó|carg|"
        rf"funciona)(?:\w+)|{_AUDIO}(?: \w+)? (?:está|parece|parece estar|viene|llegó) (?:vací[ao]|dañad[ao]|"
        r"corrupt[ao]|en blanco|mudo|silencioso|ausente)|(?:solo|sólo|únicamente) (?:\w+ )?(?:proceso|trabajo con|"
        r"puedo (?:procesar|leer|trabajar con)|manejo|entiendo|acepto)?\s?texto|modelo (?:de (?:lenguaje|texto)|"
        r"lingüístico|basado en texto)[^.!?\n]*(?:no|imposible)|por (?:motivos|razones|"
        "cuestiones) de (?:privacidad|seguridad|confidencialidad|política)|no puedo (?:ayudar(?:te|le|lo)?|"
        "asistir|atender|responder a|cumplir|compartir|identificar a (?:una|la) persona|analizar esta|inferir|"
        "deducir|determinar la identidad)|no (?:estoy|se me) (?:autorizad[ao]|permitid[ao]|permite|facultad[ao])|"
        "(?:infringe|viola (?:mis|las|la|nuestras)|va en contra)|(?:debo|tengo que) (?:declinar|rechazar|negarme)|"
        r"por favor,? (?:\w+ )?(?:adjunt|sub|envía|envíe|comparte|vuelv|carg|proporcion|reenví)\w*|"
        r"podrías? (?:\w+ )?(?:adjuntar|enviar|subir|reenviar|volver a|enviármelo)"
    ),
    reservations=(
        "prefiero (?:no|abstenerme)|preferiría (?:no|abstenerme)|no (?:debo|quiero|voy a|deseo|pienso|"
        "procede|me corresponde|me está permitido|tengo permitido|se me permite|estoy autorizad[oa] (?:a|"
        "para)|es (?:apropiado|adecuado|ético|correcto)|sería (?:apropiado|adecuado|ético|correcto))|"
        "me niego a|declino|me abstengo de|rehúso|opto por no|evito|no soy quién para"
    ),
    judgements=(
        "(?:opinar|opine|pronunciarme|pronuncie|juzgar|juzgue|valorar|evaluar|puntuar|calificar|responder|"
        "contestar|comentar|especular|identificar|diagnosticar|inferir|deducir|clasificar|etiquetar|adivinar|"
        "emitir)(?:l[oa]s?|me)?"
    ),
    yes=r"sí",
    agreements=(
        "correcta|cierta|verdadera|"
        "lo confirmo|confirmo|confirmado|con (?:toda )?(?:certeza|seguridad)|sin lugar a dudas|seguro que sí|"
        "claro está|cómo no|vaya que sí|ya te digo|tal cual|positivo|eso es|en verdad|"
        "obviamente|faltaría más|es así|sí señor|"
        "ya lo creo|y tanto|"
        "sí|si(?=[,.!;:]|$)|claro(?: que sí)?|por supuesto|efectivamente|correcto|cierto|exacto|exactamente|"
        "así es|desde luego|verdadero|afirmativo|en efecto|ciertamente|absolutamente|creo que sí|diría que sí|"
        "seguro|sin duda alguna|definitivamente|naturalmente"
    ),
    no=r"no",
    disagreements=(
        "inexact[oa]|erróne[oa]|incorrecta|"
        "nones|negativo|nada de eso|para nada|ni por asomo|nanay|ni pensarlo|ni en broma|ni de broma|"
        "ni de lejos|nada en absoluto|todo lo contrario|no señor|no es el caso|de eso nada|qué va|"
        "en modo alguno|en ningún momento|no que yo sepa|ni por casualidad|"
        "ni hablar|lejos de ello|"
        r"no(?=[,.!;:\"]|$| lo creo| creo| exactamente| realmente|,? para nada|,? en absoluto)|para nada|"
        "en absoluto|claro que no|por supuesto que no|falso|de ninguna manera|de ningún modo|desde luego que no|"
        "incorrecto|negativo|creo que no|diría que no|nunca|jamás|ni mucho menos|qué va|parece que no|tampoco"
    ),
    both=(
        "imposible no|no hay (?:forma|manera|modo) de no|no (?:para|paran|deja|dejan|cesa|cesan) de|"
        r"no es que[^.!?\n]*|no se puede (?:no|decir)[^.!?\n]*|"
        "sí (?:y|o|/) ?no|no (?:y|o) sí|ni sí ni no|no estoy segur[ao]|sí/no|seguro (?:de|que)|no (?:es|"
        "está) (?:del todo )?(?:claro|seguro)|no sé"
    ),
    speech_verbs="dice|dicen|responde|grita|repite|contesta|susurra",
    negators=(
        r"no|nunca|jamás|tampoco|sin|imposible|neg(?:ar|aría|able)|dud\w+|fals[oa]|mentira|difícil|ni|carece|nadie"
    ),
    certainties=(
        "no (?:se puede|puede|cabe|podemos|puedo|es posible) (?:decir|afirmar|"
        r"sostener) que [^.,;:!?\n]*?no [^.,;:!?\n]*(?=[,;:])|no es que no [^.,;:!?\n]*(?=[,;:])|difícil (?:decir|"
        "responder) que no|"
        r"lo (?:raro|extraño) sería(?: que no| lo contrario)?|lo contrario (?:sería|me sorprendería)(?: \w+)?|"
        r"no,? no (?:se equivoca|te equivocas|me equivoco)|no (?:me|te|se) equivo\w+|salta al oído|"
        "está fuera de duda|"
        r"sin (?:ninguna |la menor |ningún género de |lugar a )?dudas?(?: alguna)?|no (?:hay|cabe|queda|"
        r"tengo) (?:la menor |ninguna |lugar a )?dudas?(?: alguna)?|indudable(?:mente)?|innegable(?:mente)?|"
        r"inconfundible(?:mente)?|imposible (?:no|negar|pasar por alto|confundirse)|no (?:hay|existe) (?:forma|"
        r"manera|modo) de (?:no|negar)|no se puede (?:no|negar|ignorar|pasar por alto)|no (?:solo|sólo|solamente|"
        r"únicamente)|ni que decir tiene|huelga decir|no (?:para|paran|deja|dejan|cesa) de|nadie (?:puede|"
        r"podría) negar|difícil no|no deja lugar a dudas"
    ),
    wavering=(
        r"no (?:se puede|hay (?:forma|manera|modo) de|es posible|hay cómo) saber\w*|"
        r"queda (?:\w+ ){0,2}?abiert[oa]|"
        "vaya usted a saber|vete a saber|a saber|no me atrevo|no se sabe|queda en el aire|está por ver|"
        "no queda claro|cuesta (?:decirlo|saberlo)|ni fu ni fa|"
        r"sí y no|ni sí ni no|a ratos|a veces|por momentos|unas veces|(?:difícil|imposible|"
        r"complicado) (?:de )?(?:decir|saber|determinar|decidir|asegurar|precisar)|no estoy (?:del todo |muy |"
        r"completamente )?segur[oa]|no sabría|no sé|ni idea|quién sabe|depende|según se mire|o (?:quizás?|tal vez|"
        r"a lo mejor|puede que)? ?no(?=[.!?,]|$)|no (?:puedo|podría) (?:decir|asegurar|precisar|determinar|afirmar)|"
        r"no está (?:nada |del todo )?claro|discutible|en cierto modo|más o menos"
    ),
    implied_yes=(
        "(?:la (?:afirmación|frase)|el enunciado|eso|esto) es (?:correct[oa]|ciert[oa]|verdader[oa]|verdad|"
        "exact[oa])|"
        r"así es|(?:sí )?(?:se oye|lo oigo|la oigo|lo hay|la hay|los hay|lo es|lo está)"
    ),
    implied_no=(
        "ausencia (?:total |absoluta )?de|"
        "(?:la (?:afirmación|frase)|el enunciado|eso|esto) es (?:incorrect|fals|inexact|erróne)[oa]|"
        r"(?<![^.!?\n])\s*(?:ni (?:un|una) sol[oa]|ningún \w+|ninguna (?!duda)\w+|ni rastro|nada de \w+|"
        r"nada (?:indica|hace pensar)|nadie (?!puede|podría)\w+)|ni rastro|brilla por su ausencia|no (?:lo|la|los|"
        r"las) (?:oigo|escucho|percibo|hay)|de eso nada|qué va|"
        "no (?:se (?:oye|escucha|percibe|aprecia|detecta|trata|oyen|escuchan)|hay|oigo|escucho|es|son|está|están|"
        "contiene|aparece|suena|percibo|detecto|existe|habla|canta|puedo oír|logro|"
        r"parece)(?! (?:\w+ )?(?:ruidos? de fond|diferencia|problema|duda|defecto|distorsi|posible saber|seguro|"
        r"claro))|ningún \w+ (?:se|en|aparece)|no (?:la|el|son la|son el) mism[ao]"
    ),
    content_free=(
        "suena|suenan|sonando|así|entonces|absoluto|momento|durante|"
        "el|la|los|las|lo|un|una|unos|unas|de|del|al|a|en|y|que|se|su|sus|mi|este|esta|esto|ese|esa|eso|él|ella|"
        "ellos|ellas|yo|hay|había|es|son|era|eran|está|están|estaba|ser|estar|estado|ha|han|haber|puede|pueden|"
        "oye|oyen|oigo|oír|escucha|escuchan|escucho|escuchar|percibe|percibo|aprecia|distingue|suena|suenan|"
        "parece|contiene|presente|existe|alguien|algo|algún|alguna|aquí|ahí|grabación|audio|clip|archivo|"
        "claramente|efectivamente|realmente|definitivamente|sin duda|por|para|con|también|trata|solo uno|ningún|"
        "ninguna|ninguno|le|les|me|sí"
    ),
    adverbials=(
        "fuerza|bastante|lejos|claridad|intensamente|mucho|rato|"
        "fondo|dos|tres|veces|final|principio|comienzo|fuerte|luego|después|finalmente|muy|varias|varios|"
        r"encantad[oa]|gusto|segundos?|bien|\w+mente"
    ),
    persons="hablantes?|personas?|hombre|mujer|niñ[oa]|chic[oa]|señora?|cantante|locutora?|voz",
    definites="el|la|los|las|su|sus|este|esta|ese|esa|al|del",
    displacements=(
        r"o|u|si|podría\w*|debería\w*|sería|habría|quisiera|quiere\w*|quería|va a|debe|imit\w+|fing\w+|simul\w+|"
        r"mencion\w+|describ\w+|habla\w* de|cuenta|dice\w*|dicen|pregunt\w+|cree\w*|piens\w+|supon\w+|intent\w+|"
        r"rechaz\w+|se niega|dej(?:a|an|ó|aron|ar|ando) de|par[aó] de|evit\w+|amenaz\w+|casi|apenas|como|"
        r"otr[oa]s?|distint[oa]s?|quizás?|tal vez|acaso|posible\w*|probable\w*|aparentemente|recuerda|parecid[oa]|"
        r"suele\w*|normalmente|a veces|antes|sin|ni|solamente|sólo|solo|en vez|pretend\w+|supuest\w+|más que|menos"
    ),
    concords="no|ning(?:ún|una|uno)|nada|nadie|nunca|jamás|tampoco|ni",
    inflections=("iendo|ando|ieron|aron|aban|aba|adas?|ados?|idas?|idos?|amos|emos|ar|er|ir|an|en|as|os|es|o|a|e|s|n"),
    number_words=dict(
        zip(
            ["cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"],
            range(11),
            strict=True,
        )
    ),
    halves=r"y medi[oa]|coma cinco",
    decimal_words="coma|punto",
    minus="menos",
    rating_cues=(
        "bajo a|lo bajo a|subo a|se queda en|"
        "lo dejo en|dejo|vale|se queda en|se lleva|saca|se merece|redondo|me quedo en|le planto|le pongo|"
        "otorgaría|a pesar de todo|en conjunto|en total|digamos|"
        "nota|puntuación|puntaje|calificación|doy|daría|pongo|pondría|puntúo|califico|valoración|valoro|"
        "resultado|respuesta|total|conclusión|diría|merece|otorgo|asigno|global|final|un|es un|"
        "le|veredicto"
    ),
    rating_units=r"puntos?|estrellas?|sobre",
    other_units=(
        "palabras?|sílabas?|frases?|"
        "metros?|euros?|kilómetros?|centímetros?|grados?|días?|semanas?|mes(?:es)?|compases|compás|sílabas?|"
        "por ciento|milisegundos?|ms|kbps|bits?|cortes?|chasquidos?|micrófonos?|perros?|estrofas?|intentos?|"
        "golpes?|notas?|personajes?|"
        "segundos?|s|minutos?|hablantes?|personas?|voces|palabras?|veces|hz|khz|db|años?|horas?|frases?|pausas?|"
        "errores|instrumentos?"
    ),
    bounds=(
        "como mucho|a lo sumo|al menos|por lo menos|como mínimo|como máximo|a lo sumo|mínimo|máximo|más de|"
        "menos de|hasta|casi|por encima de|por debajo de|superior a|inferior a|entre|cerca de|mejor que|peor que"
    ),
    bounds_after=(
        "(?:quizás?|tal vez|incluso|puede que)(?: incluso| algo| un poco)* (?:menos|más)|"
        r"como mucho|como máximo|o más|o menos(?! )|como mínimo|como máximo|para arriba|por lo menos"
    ),
    has_decimal_comma=True,
)
