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
        "es|son|era|sea|ser|está|estar|suena|parece|se|oye|escucha|trata|como|que|a|particularmente|"
        "especialmente|tan|precisamente|hay|muestra|expresa|nada"
    ),
    articles=r"el|la|los|las|un|una|unos|unas|del?|de la|en|en el|en la|al?|a la|por|sobre",
    option_nouns=r"opci(?:ón|ones)|respuestas?|letra|alternativas?|número|inciso|elección",
    conjunctions=r"o|u|y|e|ni|o bien|o tal vez|o quizás?|así como|o sea x",
    verbs_after_letter=r"es|y|o|ni|porque|ya|parece|sería|no|corresponde|encaja|está|pues",
    negations=(
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
        "(?:todos|muchos) piensan|"
        r"(?:algunos|alguno|alguien|otros|muchos) (?:\w+ )?(?:dirían|diría|pensarían|pensaría|llamarían|"
        "llamaría|creerían)|(?:se podría|cabría|uno podría) (?:pensar|creer)|"
        r"entre|dudo|no sé|las (?:opciones|etiquetas|respuestas) (?:son|posibles)|no estoy seguro|no creo"
    ),
    denials=(
        "(?:es )?poco probable|"
        ",? nada(?=[.!;]|$)|"
        r"(?:está|suena|es) (?:\w+ )?nadie|queda fuera|nada que ver|ni de lejos|"
        r"no(?! solo)|(?:es|son|está|están|queda|quedan|sería|resulta) (?:\w+ )?(?:incorrect[ao]s?|fals[ao]s?|"
        "descartad[ao]s?|improbables?|imposibles?|errónea?o?s?|equivocad[ao]s?|excluid[ao]s?)|se (?:descarta|"
        "puede descartar|pueden descartar|descartan)|(?:puede|pueden) descartarse|sería más|tampoco"
    ),
    first_thoughts=(
        "al principio|primero|inicialmente|pensé|pensaba|creí|creía|parecía|habría dicho|hubiera dicho|"
        "a primera vista|en un primer momento|de entrada|podría pensarse|uno podría|consideré"
    ),
    first_thoughts_after=r"al principio|pensé|creí|inicialmente|a primera vista|fue mi primera",
    doubts=r"quizás?|tal vez|podría|puede|acaso|a lo mejor|posiblemente",
    doubts_after=r"(?:también )?es posible|si|podría ser|tal vez",
    answer_nouns=r"respuesta|solución|conclusión|veredicto|resultado|respuesta final|resp",
    result_nouns=(
        "elección|opción|etiqueta|categoría|clase|emoción|género|instrumento|escena|letra|tono|sentimiento|"
        "estado de ánimo|sonido|alternativa"
    ),
    copulas=r"es|son|sería|era|debe ser|queda|corresponde a",
    decisions=(
        "(?:yo )?(?:elijo|escojo|diría(?: que)?|digo|opto por|voto por|me quedo con|creo que|pienso que|"
        r"selecciono|me inclino por|apuesto por|escogería|elegiría|marco|respondo)(?:[\s]|es|se|trata|de|sea)*|"
        "por (?:lo )?tanto|así que|entonces|por eso|luego|pero(?: en realidad)?(?: es| son| se trata de)|sino|"
        "en realidad|mejor|espera|un momento|de hecho|no,|perdón,?|mejor dicho|quiero decir|es decir|o sea|"
        "finalmente|al final|se trata de|corresponde a|corresponden a|en definitiva|corrección|más bien|"
        "rectifico|indica|en fin|solo queda|digo,|ya que es|definitivamente"
    ),
    confirmations=(
        r"porque|ya que|pues|puesto que|dado que|(?:es|está|sería|parece|me parece) (?:\w+ )?(?:correct[ao]|"
        "cierta?o?|la (?:correcta|respuesta|más probable|adecuada)|lo (?:correcto|más probable)|el correcto|"
        "acertad[ao]|la opción)|encaja|es la buena|sin duda"
    ),
    predicates=r"es|son|está|suena|parece|oye|escucha|transmite|expresa|era|habrá|hay|se trata de|pide",
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
    refusals=(
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
        "me es posible|soy capaz de) (?:oír|escuchar|acceder|procesar)(?=[.,;!]|$| (?:ni|sonidos|voces|"
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
    yes=r"sí",
    agreements=(
        "ya lo creo|y tanto|"
        "sí|si(?=[,.!;:]|$)|claro(?: que sí)?|por supuesto|efectivamente|correcto|cierto|exacto|exactamente|"
        "así es|desde luego|verdadero|afirmativo|en efecto|ciertamente|absolutamente|creo que sí|diría que sí|"
        "seguro|sin duda alguna|definitivamente|naturalmente"
    ),
    no=r"no",
    disagreements=(
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
    implied_yes=r"así es|(?:sí )?(?:se oye|lo oigo|la oigo|lo hay|la hay|los hay|lo es|lo está)",
    implied_no=(
        "no (?:se (?:oye|escucha|percibe|aprecia|detecta|trata|oyen|escuchan)|hay|oigo|escucho|es|son|está|están|"
        "contiene|aparece|suena|percibo|detecto|existe|habla|canta|puedo oír|logro|"
        r"parece)(?! (?:\w+ )?(?:ruidos? de fond|diferencia|problema|duda|defecto|distorsi|posible saber|seguro|"
        r"claro))|ningún \w+ (?:se|en|aparece)|no (?:la|el|son la|son el) mism[ao]"
    ),
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
        "nota|puntuación|puntaje|calificación|doy|daría|pongo|pondría|puntúo|califico|valoración|valoro|"
        "resultado|respuesta|total|conclusión|diría|merece|otorgo|asigno|global|final|un|es un|"
        "le|veredicto"
    ),
    rating_units=r"puntos?|estrellas?|sobre",
    other_units=(
        "segundos?|s|minutos?|hablantes?|personas?|voces|palabras?|veces|hz|khz|db|años?|horas?|frases?|pausas?|"
        "errores|instrumentos?"
    ),
    bounds=(
        "como mucho|a lo sumo|al menos|por lo menos|como mínimo|como máximo|a lo sumo|mínimo|máximo|más de|"
        "menos de|hasta|casi|por encima de|por debajo de|superior a|inferior a|entre|cerca de|mejor que|peor que"
    ),
    bounds_after=r"como mucho|como máximo|o más|o menos(?! )|como mínimo|como máximo|para arriba|por lo menos",
    has_decimal_comma=True,
)
