"""Portuguese phrasings."""

from auricle.text.reading.table import Phrasings

_AUDIO = (
    "(?:áudios?|grava(?:ção|ções)|ficheiros?(?: de áudio| de som)?|arquivos?(?: de áudio| de som)?|sons?|anexos?|"
    "clipes?|clips?|mensage(?:m|ns) de voz|faixas?(?: de áudio)?)"
)
_DET = (
    "(?:(?:o|a|os|as|um|uma|este|esta|esse|essa|seu|sua|teu|tua|nenhum|nenhuma|ao|à|aos|do|da|de|qualquer|"
    "diretamente|diretamente o|corretamente|nem) )*"
)
_PERCEIVE = (
    "(?:ouvir|escutar|reproduzir|processar|abrir|aceder|acessar|analisar|carregar|receber|avaliar|encontrar|ver|"
    "ter acesso|perceber|interpretar)"
)

TABLE = Phrasings(
    fillers=(
        "o|a|os|as|um|uma|uns|opção|resposta|letra|alternativa|número|provavelmente|certamente|claramente|muito|"
        "mais|sem dúvida|bastante|realmente|simplesmente|principalmente|de|do|da|em|no|na|bem|possivelmente|"
        "etiqueta|rótulo|correta|mesmo"
    ),
    verbs=(
        "é|são|era|seja|ser|está|estar|soa|parece|se|ouve|ouve-se|escuta|trata|trata-se|como|que|tão|"
        "particularmente|especialmente|há|mostra|expressa|nada|propriamente"
    ),
    articles=r"o|a|os|as|um|uma|uns|umas|d[oae]s?|n[oa]s?|em|ao|à|num|numa|por|pel[oa]|sobre",
    option_nouns=r"op(?:ção|ções)|respostas?|letra|alternativas?|número|escolha|hipótese",
    conjunctions=r"ou|e|nem|ou então|ou talvez|assim como|ou seria|ou pode ser|ou será",
    verbs_after_letter=r"é|e|ou|nem|porque|pois|parece|seria|não|corresponde|está",
    negations=(
        "excluiria|descartaria|"
        "nem sinal de|nem sombra de|"
        "descartar|excluir|eliminar|não(?! só| apenas| somente)|nem|sem|exceto|menos|salvo|em vez de|ao invés de|"
        "nunca|jamais|tampouco|mal|nenhum|nenhuma|tudo menos|nada|longe de(?: estar| ser)?|do que|"
        "ao contrário de|descarto|descartamos|mais perto d[eoa]|mais próximo d[eoa]|parecido com|semelhante a|"
        r"lembra|faz lembrar|demasiado \w+ para|pouco|dificilmente|qualquer (?:coisa|um|uma) menos"
    ),
    distant_negations=(
        "ninguém|"
        r"mal se|não(?! só)|nunca|jamais|duvido|difícil|contrário|nenhum|impossível"
    ),
    denied_clauses=(
        "(?:todos|muitos) pensam|"
        r"(?:alguns|alguém|outros|muitos) (?:\w+ )?(?:diriam|diria|pensariam|pensaria|chamariam|chamaria)|"
        "poder-se-ia (?:pensar|dizer)|"
        "entre|hesito|não sei|as (?:opções|etiquetas|respostas|alternativas|hipóteses) (?:são|possíveis)|"
        "tenho dúvidas|não creio|se é|não acho"
    ),
    denials=(
        "(?:certamente|claramente|com certeza) não|"
        "é que não|está fora de (?:questão|cogitação)|não tem nada a ver|nem pensar|"
        r"não(?! só)|(?:é|são|está|estão|fica|ficam|seria|parece) (?:\w+ )?(?:incorret[ao]s?|fals[ao]s?|"
        "descartad[ao]s?|errad[ao]s?|improvável|improváveis|impossível|excluíd[ao]s?|de excluir)|(?:pode|"
        "podem) ser (?:descartad|excluíd|eliminad)[ao]s?|seria mais|do que|tampouco"
    ),
    first_thoughts=(
        "no início|a princípio|primeiro|inicialmente|pensei|pensava|achei|achava|parecia|teria dito|"
        "diria à primeira|à primeira vista|ao início|de início|no começo|julguei|poderia pensar-se|considerei"
    ),
    first_thoughts_after=(
        "no início|a princípio|pensei|achei|à primeira vista|inicialmente|foi o meu primeiro|no começo"
    ),
    doubts=r"talvez|poderia|pode|se calhar|quem sabe|possivelmente|quiçá",
    doubts_after=r"(?:também )?é possível|se|pode ser|talvez",
    answer_nouns=r"resposta|solução|conclusão|veredicto|resultado|resposta final|resp|gabarito",
    result_nouns=(
        "escolha|opção|etiqueta|rótulo|categoria|classe|emoção|gênero|género|instrumento|cena|letra|tom|"
        "sentimento|som|alternativa|estado de espírito"
    ),
    copulas=r"é|são|seria|era|deve ser|fica|será",
    decisions=(
        "(?:eu )?(?:escolho|escolheria|diria(?: que)?|digo|opto (?:por|pela|pelo)|voto (?:em|na|no)|fico com|"
        "acho que|creio que|penso que|seleciono|inclino-me (?:para|pela)|aposto (?:em|na|no)|marco|respondo|"
        r"acredito que|ficaria com)(?:[\s]|é|se|trata|de|seja)*|portanto|logo|então|por isso|assim|"
        "mas(?: na verdade)?(?: é| são| trata-se d[eoa])|mas sim|e sim|na verdade|espere|espera|de fato|de facto|"
        "aliás|não,|desculpe,?|perdão,?|melhor dizendo|quero dizer|ou seja|isto é|ou melhor|finalmente|no fim|"
        "trata-se d[eoa]|corresponde a|em suma|correção|antes|indica|resta(?: apenas)?|só resta|digo,|"
        "definitivamente|afinal"
    ),
    confirmations=(
        r"porque|pois|já que|visto que|uma vez que|(?:é|está|seria|parece|parece-me) (?:\w+ )?(?:corret[ao]|"
        "cert[ao]|a (?:correta|resposta|mais provável|adequada|certa)|o (?:correto|mais provável|certo)|"
        "acertad[ao])|encaixa|sem dúvida"
    ),
    predicates=r"é|são|está|soa|parece|ouve|ouve-se|escuta|transmite|expressa|era|haverá|há|trata-se de|pede",
    ordinals=(
        "primeir[ao]|1[ªº]",
        "segund[ao]|2[ªº]",
        "terceir[ao]|3[ªº]",
        "quart[ao]|4[ªº]",
        "quint[ao]|5[ªº]",
        "sext[ao]|6[ªº]",
        "sétim[ao]",
        "oitav[ao]",
    ),
    last_ordinal=r"últim[ao]",
    conditions=(
        "caso contrário|senão|do contrário|"
        r"se (?:\w+ ){0,4}?(?:\w+(?:asse|esse|isse|osse|assem|essem|issem|ossem)|for|forem|tiver|houver|estiver|"
        "fizer|fosse)|caso|desde que|a menos que|supondo|a não ser que|sem(?= .*(?:seria|daria|teria|mereceria))"
    ),
    harmless_conditions=(
        r"se (?:\w+ )?(?:tivesse|tiver|tenho|fosse|precisasse|precisar|for) (?:que |de |para |a )?(?:escolher|"
        r"decidir|adivinhar|dizer|responder|optar|arriscar|palpitar|eleger)(?: uma?| um)?|se (?:\w+ )?(?:ouvir|"
        r"escutar|ouvirmos|escutarmos|ouvires)\w* (?:bem|com atenção|atentamente)|se não me engano|"
        r"se me pergunt\w+|como se|se não estou enganad[ao]|se ouvi bem"
    ),
    causes=r"porque|pois|já que|visto que",
    concessions=r"embora|ainda que|apesar de|mesmo que|se bem que|enquanto|mesmo sendo",
    comparisons=r"(?:mais|menos|melhor|pior)\s(?:(?!provável|certo)[^.,;!?\n]){0,60}?que[^.,;!?\n]*",
    courtesies=(
        "sim,? (?:posso ajudar|com (?:todo o |muito )?(?:prazer|gosto)|claro,? (?:posso|vou) ajudar)|"
        "não (?:há|tenho|resta) (?:a menor|a mínima|sombra de) dúvida|não há como negar|não se pode negar|"
        "nem é preciso dizer|"
        r"(?:ficaria|fico|estou|estaria|ficarei|seria) (?:\w+ )?(?:contente|feliz|triste|alegre|"
        "encantad[ao])(?: em| por| de| que| mas)?|com (?:todo o |muito )?(?:prazer|gosto)|com alegria|"
        "sem problemas?|não há (?:qualquer |nenhuma )?dúvidas?|sem (?:qualquer |nenhuma |sombra de )?dúvidas?|"
        "não tenho (?:qualquer |nenhuma )?dúvidas?|não resta(?:m)? dúvidas?|desculpe|lamento|não só|não apenas|"
        "de nada|fico feliz|não há problema|infelizmente|não se preocupe|não tem de quê|não somente"
    ),
    dependences=(
        r"primeira (?:metade|parte)[^.!?\n]*segunda|"
        "(?:tudo |isso )?depende|consoante|conforme se"
    ),
    refusals=(
        "(?:envie|anexe|carregue) (?:primeiro )?(?:o|a|um) (?:áudio|arquivo|ficheiro|gravação)|"
        "não foi possível (?:abrir|carregar|reproduzir|processar|acessar|aceder|ler)|"
        r"nada (?:me )?chegou (?:aqui|por aqui|até|a mim)|preciso que (?:\w+ )?(?:envie|anexe|carregue|mande|"
        r"partilhe|compartilhe)|"
        r"não (?:identifico|julgo|avalio|faço|dou|emito) (?:\w+ ){0,3}?(?:pessoas|julgament|juízo|"
        r"diagnóstic)\w*|prefi(?:ro|ria) não (?:responder|avaliar|opinar|julgar|classificar|comentar|dar)|"
        r"link (?:\w+ ){0,3}?(?:expirou|expirado|inválido)|"
        "acesso (?:apenas |só )?ao texto|erro ao (?:decodificar|carregar|abrir|ler|processar)|"
        r"arquivo (?:\w+ )?(?:inválido|não encontrado)|não [^.!?\n]{0,25} diagnóstico médico|áudio não chega|"
        "me abstenho|abstenho-me|"
        r"não me cheg\w+|não disponho|sem (?:o áudio|a gravação|o ficheiro|o arquivo|ouvir|escutar)|"
        "(?:vai )?contra (?:as )?minhas|pela voz|(?:não (?:há|recebi|vejo|encontrei|encontro|tenho|foi|foram|"
        "existe|veio|detecto|deteto|ouço|escuto|chegou|consta|enviou|anexou|consigo (?:ver|encontrar))|"
        r"sem)(?: \w+)?(?: (?:nenhum|nenhuma|o|a|um|seu|sua|qualquer|acesso|ao|à|anexad[ao]|"
        rf"recebid[ao]))* ?{_AUDIO}(?! d[eoa] (?:um|uma)\b)|nenhum {_AUDIO} (?:foi|anexad|na (?:sua|tua)|"
        "disponível)|não (?:consigo|posso|me é possível|sou capaz de|tenho (?:a )?(?:capacidade|possibilidade|"
        rf"como|forma|meios) (?:de|para)?|é possível)(?: \w+mente)? ?{_PERCEIVE} {_DET}{_AUDIO}|não (?:consigo|"
        "posso|me é possível|sou capaz de) (?:ouvir|escutar|aceder|acessar|processar)(?=[.,;!]|$| (?:nem|sons|"
        rf"vozes|conteúdo))|{_AUDIO}(?: \w+){{0,3}}? não (?:foi|está|pôde|carregou|abriu|abre|chegou|veio|carrega|"
        rf"funciona|se|foram|pode|conseguiu|toca)\w*|{_AUDIO}(?: \w+)? (?:está|parece|parece estar|veio|"
        "chegou) (?:vazi[ao]|danificad[ao]|corrompid[ao]|em branco|mudo|ausente|em falta)|(?:só|apenas|somente|"
        r"unicamente) (?:\w+ )?(?:processo|trabalho com|consigo (?:processar|ler)|lido com|entendo|aceito|"
        r"leio)?\s?texto|modelo (?:de (?:linguagem|texto)|linguístico|baseado em texto)[^.!?\n]*(?:não|"
        "impossível)|por (?:motivos|razões|questões) de (?:privacidade|segurança|confidencialidade|política)|"
        r"não (?:posso|consigo) (?:ajud\w+|auxiliar|atender|responder a|cumprir|partilhar|compartilhar|"
        "identificar (?:uma|a) pessoa|analisar esta|inferir|deduzir|avaliar o estado emocional)|não (?:estou|"
        "me é|tenho) (?:autorizad[ao]|permitid[ao]|permissão)|(?:viola as|vai contra|contraria)|(?:devo|tenho de|"
        r"preciso) (?:recusar|declinar)|por favor,? (?:\w+ )?(?:anex|envi|carreg|partilh|compartilh|reenvi|forneç|"
        r"volt)\w*|(?:poderia|pode|podes) (?:\w+ )?(?:anexar|enviar|reenviar|carregar|voltar a)"
    ),
    yes=r"sim",
    agreements=(
        "e como|se há|"
        "sim|claro(?: que sim)?|com certeza|certamente|efetivamente|correto|certo|exato|exatamente|isso mesmo|"
        "verdadeiro|afirmativo|de fato|de facto|absolutamente|acho que sim|creio que sim|diria que sim|"
        "sem dúvida nenhuma|naturalmente|pois é|isso(?=[,.!]|$)|é verdade|evidentemente"
    ),
    no=r"não",
    disagreements=(
        "longe disso|que nada|"
        r"não(?=[,.!;:\"—–-]|$| creio| acho| exatamente| realmente)|de modo (?:nenhum|algum)|de forma (?:nenhuma|"
        "alguma)|de jeito nenhum|claro que não|nem pensar|falso|incorreto|negativo|acho que não|creio que não|"
        "diria que não|nunca|jamais|de maneira nenhuma|nada disso|parece que não|nem um pouco"
    ),
    both=(
        r"impossível não|como não|não (?:para|param|deixa|deixam|cessa) de|não é que[^.!?\n]*|"
        r"não se pode (?:não|dizer)[^.!?\n]*|"
        "sim (?:e|ou|/) ?não|não (?:e|ou) sim|nem sim nem não|não (?:tenho|estou) (?:a )?(?:certeza|cert[ao]|"
        "segur[ao])|sim/não|não sei|certo de|certeza (?:de|que)x|não (?:é|está) (?:totalmente )?claro"
    ),
    implied_yes=r"é verdade|(?:sim )?(?:ouve-se|há|ouço|é|está)|isso mesmo|é isso",
    implied_no=(
        "não (?:se (?:ouve|escuta|percebe|nota|deteta|detecta|trata|ouvem)|há|ouço|escuto|é|são|está|estão|"
        "contém|aparece|soa|percebo|existe|tem|fala|canta|consigo (?:ouvir|escutar|detetar|detectar|identificar)|"
        r"parece|existem|surge)(?! (?:\w+ )?(?:ruídos? de fund|diferença|problema|dúvida|defeito|distorç|"
        r"possível saber|clar))|nenhum[a]? \w+ (?:se|n[ao]|aparece)|não (?:a|o|são a|são o) mesm[ao]"
    ),
    number_words={
        **dict(
            zip(
                ["zero", "um", "dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez"],
                range(11),
                strict=True,
            )
        ),
        "uma": 1,
        "duas": 2,
    },
    halves=r"e mei[oa]|vírgula cinco",
    decimal_words="vírgula|ponto",
    minus="menos",
    rating_cues=(
        "nota|pontuação|dou|daria|dava|atribuo|avalio|avaliação|classificação|resultado|resposta|total|conclusão|"
        "diria|merece|global|final|ponho|veredicto|classifico|é um|leva"
    ),
    rating_units=r"pontos?|estrelas?|valores",
    other_units=(
        "segundos?|s|minutos?|falantes?|locutores?|pessoas?|vozes|palavras?|vezes|hz|khz|db|anos?|horas?|frases?|"
        "pausas?|erros|instrumentos?"
    ),
    bounds=(
        "na melhor das hipóteses|pelo menos|no mínimo|no máximo|ao menos|mínimo|máximo|mais de|menos de|até|"
        "quase|acima de|abaixo de|superior a|inferior a|entre|perto de|melhor (?:do )?que|pior (?:do )?que|"
        "mais do que|menos do que"
    ),
    bounds_after=r"no máximo|ou mais|ou menos(?! )|no mínimo|no máximo|para cima|pelo menos",
    has_decimal_comma=True,
)
