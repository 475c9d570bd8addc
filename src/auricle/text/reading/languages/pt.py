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
        "tanto|"
        "é|são|era|seja|ser|está|estar|soa|parece|se|ouve|ouve-se|escuta|trata|trata-se|como|que|tão|"
        "particularmente|especialmente|há|mostra|expressa|nada|propriamente"
    ),
    articles=r"o|a|os|as|um|uma|uns|umas|d[oae]s?|n[oa]s?|em|ao|à|num|numa|por|pel[oa]|sobre",
    option_nouns=r"op(?:ção|ções)|respostas?|letra|alternativas?|número|escolha|hipótese",
    conjunctions=(
        "quanto|como|"
        r"ou|e|nem|ou então|ou talvez|assim como|ou seria|ou pode ser|ou será"
    ),
    verbs_after_letter=r"é|e|ou|nem|porque|pois|parece|seria|não|corresponde|está",
    negations=(
        "(?:mais|menos) de|ao menos|pelo menos|no (?:mínimo|máximo)|nada (?:parecido com|semelhante a)|"
        "(?:tirad|descartad|eliminad|excluíd)[oa]s?(?: também)?|"
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
        r"(?:menciona|conta|cita|anuncia|diz que|se diz)(?= [^.!?\n]*(?:mas|porém|embora|no entanto|todavia))|"
        r"quanto (?:ao|à|aos|às) (?=[^.!?\n]*\Z)|não confundir com|"
        "(?:todos|muitos) pensam|"
        r"(?:alguns|alguém|outros|muitos) (?:\w+ )?(?:diriam|diria|pensariam|pensaria|chamariam|chamaria)|"
        "poder-se-ia (?:pensar|dizer)|"
        "entre|hesito|não sei|as (?:opções|etiquetas|respostas|alternativas|hipóteses) (?:são|possíveis)|"
        "tenho dúvidas|não creio|se é|não acho"
    ),
    denials=(
        r"(?:eu )?(?:descarto|elimino|excluo|risco)|é que (?:\w+ )?não|nem pensar|(?:está|"
        r"fica) (?:descartad[oa]|eliminad[oa]|fora)|nem de longe|(?:pode|podemos|dá para) (?:\w+ )?(?:descart|"
        r"risc|elimin|esquec)\w+|impossível|de jeito nenhum|com certeza não|mal se ouve|só acompanha|"
        "não encaixa|não bate|aparecem? só (?:de leve|ao fundo)|só ao fundo|seria a resposta óbvia|"
        r"tampouco|também não|"
        "(?:certamente|claramente|com certeza) não|"
        "é que não|está fora de (?:questão|cogitação)|não tem nada a ver|nem pensar|"
        r"não(?! só)|(?:é|são|está|estão|fica|ficam|seria|parece) (?:\w+ )?(?:incorret[ao]s?|fals[ao]s?|"
        "descartad[ao]s?|errad[ao]s?|improvável|improváveis|impossível|excluíd[ao]s?|de excluir)|(?:pode|"
        "podem) ser (?:descartad|excluíd|eliminad)[ao]s?|seria mais|do que|tampouco"
    ),
    first_thoughts=(
        "me inclinava|inclinava-me|tendia a|a ponto de|quase digo|estava para|menciona|mencionam|"
        r"(?:outros|muitos|alguns|alguém|qualquer um|o público|a plateia|meu \w+|minha \w+|um crítico|"
        r"os outros|há quem) (?:\w+ )?(?:lhe )?(?:dariam?|poriam?|teriam? dado|diriam?|diga|tomariam?|"
        "confundiriam?)|ia para|caminhava para|pela letra|no papel|"
        r"ia (?:dar|dizer|colocar|pôr|escolher|marcar)|queria(?! dizer)|teria (?:dado|posto|escolhido)|gostaria|"
        r"estive para|"
        r"por instinto|à primeira escuta|quase (?:dei|disse)|tentad[oa] a|"
        "no início|a princípio|primeiro|inicialmente|pensei|pensava|achei|achava|parecia|teria dito|"
        "diria à primeira|à primeira vista|ao início|de início|no começo|julguei|poderia pensar-se|considerei"
    ),
    first_thoughts_after=(
        "sim,? (?:embora|mas)|na aparência|no papel|seria a resposta (?:óbvia|fácil)|para quem só|"
        "no início|a princípio|pensei|achei|à primeira vista|inicialmente|foi o meu primeiro|no começo"
    ),
    appearances=r"parec\w+|soa(?: a)?|lembra",
    doubts=(
        "a não ser que|a menos que|pode ser que|quem sabe se|"
        r"talvez|poderia|pode|se calhar|quem sabe|possivelmente|quiçá"
    ),
    doubts_after=r"(?:também )?é possível|se|pode ser|talvez",
    answer_nouns=r"resposta|solução|conclusão|veredicto|resultado|resposta final|resp|gabarito",
    result_nouns=(
        "evento|sotaque|idioma|lugar|ambiente|motivo|intenção|"
        "escolha|opção|etiqueta|rótulo|categoria|classe|emoção|gênero|género|instrumento|cena|letra|tom|"
        "sentimento|som|alternativa|estado de espírito"
    ),
    copulas=r"é|são|seria|era|deve ser|fica|será",
    decisions=(
        r"no total|ao todo|no conjunto|opto (?:\w+ ){0,5}?(?:por|pelo|pela)|fico (?:\w+ ){0,5}?com|eu conto|conto|"
        "me decido por|decido-me por|meu voto (?:vai )?(?:para|é)|vou (?:de|com|na|no)|vai para|"
        "fico (?:então )?com|classifico como|classificaria como|eu classificaria como|situo em|"
        "é próprio d[eoa]|"
        "são própri[oa]s d[eoa]|própri[oa]s? d[eoa]|típic[oa]s? d[eoa]|característic[oa]s? d[eoa]|"
        "o destaque (?:mesmo )?vai para|vai mesmo para|sobra|total|equivale a|"
        "pertence a|só pode ser|tem de ser|tem que ser|há de ser|não pode ser outr[oa] que|porém(?: é)?|"
        "cravo|crava|é essa que eu|"
        "(?:eu )?(?:escolho|escolheria|diria(?: que)?|digo|opto (?:por|pela|pelo)|voto (?:em|na|no)|fico com|"
        "acho que|creio que|penso que|seleciono|inclino-me (?:para|pela)|aposto (?:em|na|no)|marco|respondo|"
        r"acredito que|ficaria com)(?:[\s]|é|se|trata|de|seja)*|portanto|logo|então|por isso|assim|"
        "mas(?: na verdade)?(?: é| são| trata-se d[eoa])|mas sim|e sim|na verdade|espere|espera|de fato|de facto|"
        "aliás|não,|desculpe,?|perdão,?|melhor dizendo|quero dizer|ou seja|isto é|ou melhor|finalmente|no fim|"
        "trata-se d[eoa]|corresponde a|em suma|correção|antes|resta(?: apenas)?|só resta|digo,|"
        "definitivamente|afinal"
    ),
    confirmations=(
        r"porque|pois|já que|visto que|uma vez que|(?:é|está|seria|parece|parece-me) (?:\w+ )?(?:corret[ao]|"
        "cert[ao]|a (?:correta|resposta|mais provável|adequada|certa)|o (?:correto|mais provável|certo)|"
        "acertad[ao])|encaixa|sem dúvida"
    ),
    predicates=(
        "aponta para|apontam para|denuncia|denunciam|revela|revelam|denota|denotam|sinaliza|continua|"
        "continua sendo|permanece|indica|indicam|sugere|sugerem|"
        r"é|são|está|soa|parece|ouve|ouve-se|escuta|transmite|expressa|era|haverá|há|trata-se de|pede"
    ),
    catch_alls="outr[oa]s?|nenhuma?|nada",
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
        r"se (?:[\w:]+ ){0,5}?(?:\w+(?:asse|esse|isse|osse|assem|essem|issem|ossem)|for|forem|tiver|houver|estiver|"
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
    audio_nouns=(
        "downloads?|player|reprodutor|formato|nota de voz|mensagem de voz|"
        r"(?:arquivo|ficheiro|clipe|conteúdo|documento|trecho|mensagem)s?(?: (?:de (?:áudio|voz|som)|sonor[oa]|"
        r"anexad[oa]|anexo))?|áudios?|gravaç(?:ão|ões)|anexo|som(?=[.,;!]|$)|sons(?=[.,;!]|$)|link|"
        r"amostra(?: de (?:áudio|voz))?"
    ),
    locatives=(r"em|n[oa]s?|durante|ao longo d[oa]"),
    inabilities=(
        r"não (?:consigo|posso|pude|consegui|sou capaz de|me é possível|é possível|foi possível|"
        r"tenho (?:a )?(?:capacidade|possibilidade|forma|meios|como)(?: de| para)?|dá para|disponho de)|impossível|"
        r"incapaz de"
    ),
    perceptions=(
        "baixar|ouvi-l[oa]|escutá-l[oa]|abri-l[oa]|rodar|executar|descodificar|"
        r"ouvir|escutar|reproduzir|abrir|processar|ac(?:ess|ed)er|acessar|aceder|analisar|perceber|decodificar|"
        r"carregar|avaliar|ler|interpretar|transcrever|tocar"
    ),
    arrivals=(
        r"compatível|suportad[oa]|reconhec\w+|aceit[oae]|baixou|rodou|roda|"
        r"receb\w+|cheg(?:ou|aram|a)|anexad[oa]s?|anexou|carreg(?:ou|ado|a)|abr(?:e|iu)|disponível|acessível|"
        r"encontr\w+|fornecid[oa]s?|incluíd[oa]s?|enviad[oa]s?|enviou|toca|funciona|veio|está(?=[.,;!]|$)|aparece|"
        r"vejo|existe|consta"
    ),
    capacities=r"capacidade|possibilidade|meios|ferramentas?|função|recursos?",
    policies=r"políticas?|diretrizes|minhas (?:regras|normas)|termos de uso",
    defects=(
        "falh(?:ou|a|ado)|bloquead[oa]|negado|404|403|inutilizável|incompatível|(?:dura|tem|de) (?:0|"
        "zero) segundos|inexistente|"
        r"vazi[oa]|danificad[oa]|corrompid[oa]|em branco|ausente|ilegível|inacessível|defeituos[oa]|inválid[oa]|"
        r"expirad[oa]|expirou|quebrad[oa]|em falta|falta(?:ndo)?|não (?:suportado|compatível|encontrado)|"
        r"sem (?:nenhum )?(?:som|áudio)|mud[oa]"
    ),
    refusals=(
        "que não (?:pude|consegui|consigo|posso) (?:ouvir|escutar)|(?:nenhuma|sem) capacidade (?:de escuta|"
        "auditiva)|não (?:conseguiu|pôde) (?:decodificar|abrir|processar|carregar|reproduzir)|"
        r"(?:erro|falha) (?:404|403|500)|(?:erro|falha|problema)s? (?:ao|no|na|de) (?:\w+ )?(?:carregar|abrir|"
        "ler|baixar|reproduzir|processar|decodificar|enviar|receber|carregamento|leitura|reprodução)|"
        r"(?:formato|player|reprodutor) (?:\S+ ){0,3}?(?:não|nem) (?:é |está |foi |o )?(?:\w+ )?(?:compatível|"
        "suportad[oa]|reconhecid[oa]|reconhece|aceita|abre|toca)|"
        r"(?:não tenho|careço de|sem|não possuo) (?:\w+ )?(?:ouvidos?(?! como)|orelhas|audição|"
        "capacidade auditiva|função de áudio)|"
        r"(?:só|apenas|somente|unicamente|exclusivamente) (?:\w+ )?(?:leio|lê|processo|processa|entendo|"
        "trabalho|aceito|sei ler|consigo ler)(?=[.,;:!]|$| (?:texto|com texto|o que (?:é|está)|"
        "palavras escritas|caracteres))|"
        r"(?:leio|processo|entendo|trabalho) (?:\w+ )?(?:só|apenas|somente|exclusivamente) (?:\w+ )?(?:texto|"
        "escrita|caracteres)|"
        "não (?:consigo|posso|pude|consegui|sei|sou capaz de|me é possível|podemos) (?:ouvir|escutar|"
        "reproduzir|abrir)(?: (?:a|o|as|os|sua|seu|essa|esse|esta|este) (?:voz|vozes|falantes?|sons?|som|"
        r"música|canção|pessoa|ligação|conversa|faixa|arquivo|locutor\w*|ficheiro)| nada)?(?=[.,;!]|$)|"
        r"não (?:há|existe|tem|veio|recebi|foi) (?:nada|nenhum \w+|nenhuma \w+) (?:anexad[oa]|anexo|em anexo|"
        "enviad[oa]|para (?:eu )?(?:ouvir|classificar|avaliar|analisar|julgar|escutar))|nada (?:foi |está |"
        "veio )?(?:anexad[oa]|enviad[oa]|em anexo|recebid[oa])|"
        "nada (?:para|a) (?:eu )?(?:classificar|avaliar|pontuar|analisar|ouvir|escutar|julgar|identificar)|"
        "não há (?:o que|nada que|como) (?:avaliar|classificar|analisar|ouvir|julgar|pontuar)|"
        "falta(?:-me)? (?:o|a) (?:áudio|gravação|arquivo|ficheiro|som|anexo)|faltou (?:o|a|anexar|"
        "enviar) (?:áudio|gravação|arquivo|ficheiro|o áudio|o arquivo)|cadê o (?:áudio|arquivo|anexo)|"
        "assim que (?:você )?(?:anexar|enviar|mandar|carregar|reenviar|partilhar|compartilhar)|"
        "(?:aperto|clico|carrego|dou|cliquei|apertei) (?:em |no |na )?(?:o )?(?:play|reproduzir|"
        r"botão)[^.!?\n]*(?:nada|não|erro)|"
        "(?:música|canção|faixa|ligação|voz) não (?:toca|abre|carrega|roda|chegou|veio)(?= aqui|[.,;!]|$)|"
        "prefiro (?:não me manifestar|me abster|não comentar)|conforme (?:as )?(?:diretrizes|políticas|"
        "normas)|(?:minhas|nossas) (?:diretrizes|políticas) (?:não|impedem|proíbem)|"
        "(?:ouvir|escutar|a audição) (?:não (?:está|faz|consta|figura)|foge|excede|"
        r"está além) (?:\w+ ){0,3}?(?:entre|parte|das minhas|às minhas|capacidades|alcance)|"
        "no lugar do áudio|em vez do áudio|sem (?:poder )?(?:ouvi-l[oa]|escutá-l[oa])|"
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
    reservations=(
        "prefiro (?:não|me abster)|preferiria (?:não|me abster)|não (?:devo|quero|vou|desejo|pretendo|"
        "me cabe|me compete|é apropriado|seria apropriado|é ético|estou autorizad[oa] a|me é permitido|"
        "tenho permissão para)|recuso-me a|me recuso a|declino|me abstenho de|abstenho-me de|opto por não|"
        "evito|escolho não"
    ),
    judgements=(
        "(?:me )?(?:opinar|manifestar|pronunciar|julgar|avaliar|pontuar|qualificar|responder|comentar|"
        "especular|identificar|diagnosticar|inferir|deduzir|classificar|rotular|adivinhar|emitir|"
        "abster)(?:-me|-se)?"
    ),
    yes=r"sim",
    agreements=(
        "correta|verdadeira|"
        "confirmo|confirmado|com (?:toda )?(?:a )?certeza|com toda a certeza|sem sombra de dúvida|pode crer|"
        "positivo|é sim|é,? sim(?: senhor)?|sim senhor|tem sim|há sim|exato|perfeitamente|com efeito|"
        "pois sim|pois então|ora se|claro|óbvio|lógico|decerto|seguramente|certíssimo|"
        "é o caso|isso aí|é fato|"
        "e como|se há|"
        "sim|claro(?: que sim)?|com certeza|certamente|efetivamente|correto|certo|exato|exatamente|isso mesmo|"
        "verdadeiro|afirmativo|de fato|de facto|absolutamente|acho que sim|creio que sim|diria que sim|"
        "sem dúvida nenhuma|naturalmente|pois é|isso(?=[,.!]|$)|é verdade|evidentemente"
    ),
    no=r"não",
    disagreements=(
        "errad[oa]|incorreta|inexat[oa]|"
        "negativo|de forma alguma|nem de longe|nem por sombras|nem a pau|necas|nada|neca|nadinha|que não|"
        "não senhor|muito pelo contrário|não é o caso|nem em sonhos|em momento (?:algum|nenhum)|"
        "não que eu saiba|de todo|nem vestígio|jamé|qual o quê|"
        "longe disso|que nada|"
        r"não(?=[,.!;:\"—–-]|$| creio| acho| exatamente| realmente)|de modo (?:nenhum|algum)|de forma (?:nenhuma|"
        "alguma)|de jeito nenhum|claro que não|nem pensar|falso|incorreto|negativo|acho que não|creio que não|"
        "diria que não|nunca|jamais|de maneira nenhuma|nada disso|parece que não|nem um pouco"
    ),
    both=(
        r"impossível não|como não (?:ouvir|notar|perceber|reparar)|não (?:para|param|deixa|deixam|cessa) de|"
        r"não é que[^.!?\n]*|"
        r"não se pode (?:não|dizer)[^.!?\n]*|"
        "sim (?:e|ou|/) ?não|não (?:e|ou) sim|nem sim nem não|não (?:tenho|estou) (?:a )?(?:certeza|cert[ao]|"
        "segur[ao])|sim/não|não sei|certo de|certeza (?:de|que)x|não (?:é|está) (?:totalmente )?claro"
    ),
    speech_verbs="diz|dizem|responde|grita|repete|exclama|sussurra",
    negators=(
        r"não|nunca|jamais|tampouco|sem|impossível|neg(?:ar|aria|ável)|dúvida\w*|fals[oa]|mentira|difícil|nem|ninguém"
    ),
    certainties=(
        "não (?:dá para|se pode|é possível|podemos|posso) (?:dizer|"
        r"afirmar) que [^.,;:!?\n]*?não [^.,;:!?\n]*(?=[,;:])|"
        r"não é que não [^.,;:!?\n]*(?=[,;:])|difícil (?:dizer|responder) que não|"
        r"não é que \w+ (?:\w+ )?mesmo\?*|o contrário (?:seria|me surpreenderia)(?: \w+)?|estranho seria|"
        "não,? (?:você )?não (?:se engana|está enganad[oa])|não me engano|está fora de dúvida|"
        "salta aos ouvidos|"
        r"sem (?:qualquer |nenhuma |sombra de |a menor |margem para )?dúvidas?(?: alguma| nenhuma)?|não (?:há|existe|"
        r"tenho|resta|restam) (?:a menor |qualquer |nenhuma |margem para )?dúvidas?|indubitavelmente|inegável|"
        r"inegavelmente|inconfundível|impossível (?:não|negar|ignorar)|não há (?:como|maneira de) (?:não|negar)|"
        r"como não (?:ouvir|notar|perceber|reparar)|não se pode (?:não|negar|ignorar)|não (?:só|apenas|"
        r"somente)|escusado será dizer|"
        r"nem é preciso dizer|não (?:para|param|deixa|deixam|cessa) de|ninguém (?:pode|poderia) negar|difícil não|"
        r"não deixa (?:margem para )?dúvidas"
    ),
    wavering=(
        "não (?:dá|há como|tem como|é possível|se pode|se consegue) (?:para )?(?:saber|ter certeza)|"
        r"fica (?:\w+ ){0,2}?em aberto|"
        "vá saber|sei lá|vai saber|não me atrevo|não se sabe|fica no ar|a ver|não fica claro|não (?:mostra|"
        "revela|diz|deixa claro)|sem conclusão|difícil cravar|"
        r"sim e não|nem sim nem não|às vezes|por vezes|ora sim|ora|em alguns momentos|(?:difícil|impossível|"
        r"complicado) (?:de )?(?:dizer|saber|determinar|decidir|afirmar|precisar)|não (?:tenho|estou) (?:a )?(?:bem |"
        r"muito |totalmente )?(?:certeza|cert[oa]|segur[oa])|não (?:sei|saberia)|não faço ideia|quem sabe|depende|"
        r"ou (?:talvez|quem sabe|se calhar)? ?não(?=[.!?,]|$)|não (?:posso|poderia|consigo) (?:dizer|afirmar|"
        r"garantir|determinar)|não (?:é|está) (?:nada |totalmente |muito )?claro|discutível|de certa forma|"
        r"mais ou menos"
    ),
    implied_yes=(
        "(?:a (?:afirmação|frase)|o enunciado|isso) (?:é|está) (?:corret[oa]|verdadeir[oa]|verdade|cert[oa])|"
        r"é verdade|(?:sim )?(?:ouve-se|há|ouço|é|está)|isso mesmo|é isso"
    ),
    implied_no=(
        "ausência (?:total |absoluta )?de|"
        "(?:a (?:afirmação|frase)|o enunciado|isso) (?:é|está) (?:incorret|fals|inexat|errad)[oa]|"
        r"(?<![^.!?\n])\s*(?:nem (?:um|uma) (?:só|única?)|nenhum \w+|nenhuma (?!dúvida)\w+|nem (?:sinal|sombra|"
        r"rasto)|nada (?:indica|sugere|disso)|ninguém (?!pode|poderia)\w+)|nem sinal|não (?:o|a|os|as) (?:ouço|"
        r"escuto|percebo)|"
        "não (?:se (?:ouve|escuta|percebe|nota|deteta|detecta|trata|ouvem)|há|ouço|escuto|é|são|está|estão|"
        "contém|aparece|soa|percebo|existe|tem|fala|canta|consigo (?:ouvir|escutar|detetar|detectar|identificar)|"
        r"parece|existem|surge)(?! (?:\w+ )?(?:ruídos? de fund|diferença|problema|dúvida|defeito|distorç|"
        r"possível saber|clar))|nenhum[a]? \w+ (?:se|n[ao]|aparece)|não (?:a|o|são a|são o) mesm[ao]"
    ),
    content_free=(
        "toca|tocando|soa|portanto|então|absoluto|momento|durante|"
        "o|a|os|as|um|uma|uns|umas|de|do|da|dos|das|no|na|nos|nas|em|ao|aos|à|e|que|se|seu|sua|seus|suas|este|"
        "esta|isto|esse|essa|isso|ele|ela|eles|elas|eu|há|é|são|era|eram|está|estão|estava|ser|estar|tem|têm|ter|"
        "foi|pode|podem|ouve|ouvem|ouço|ouvir|escuta|escuto|escutar|percebe|nota|soa|parece|contém|presente|"
        "existe|existem|alguém|algo|algum|alguma|aqui|ali|gravação|áudio|clipe|arquivo|claramente|realmente|"
        "efetivamente|definitivamente|por|para|com|também|trata|nenhum|nenhuma|sim"
    ),
    adverbials=(
        "força|bastante|longe|clareza|muito|vários|"
        "fundo|duas|dois|três|vezes|final|início|começo|alto|depois|finalmente|muito|várias|vários|prazer|"
        r"segundos?|bem|\w+mente"
    ),
    persons="falantes?|pessoas?|homem|mulher|menin[oa]|rapaz|moça|cantora?|locutora?|voz|criança",
    definites="o|a|os|as|seu|sua|este|esta|esse|essa|ao|à|do|da|no|na",
    displacements=(
        r"ou|se (?=[^.]*(?:estivesse|fosse))|caso|poderia\w*|deveria\w*|seria|haveria|queria|quer|querem|vai|deve|"
        r"imit\w+|fing\w+|simul\w+|mencion\w+|descrev\w+|fala\w* (?:de|d[oa]|sobre)|conta|diz\w*|pergunt\w+|"
        r"acredit\w+|acha\w*|pens\w+|sup[oõ]\w+|tent\w+|recus\w+|deix(?:a|am|ou|aram|ar|ando) de|"
        r"par(?:a|am|ou|ar|ando) de|evit\w+|ameaç\w+|quase|mal|como|outr[oa]s?|diferentes?|talvez|possível|"
        r"provável|possivelmente|aparentemente|lembra|parecid[oa]|costuma\w*|normalmente|às vezes|antes|sem|nem|"
        r"somente|só|apenas|em vez|pretend\w+|supost\w+|mais que|menos"
    ),
    concords="não|nenhuma?|nada|ninguém|nunca|jamais|tampouco|nem",
    inflections=(
        "indo|endo|ando|aram|eram|iram|avam|ava|adas?|ados?|idas?|idos?|ar|er|ir|am|em|as|os|es|ou|eu|iu|o|a|e|s"
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
        "baixo para|desço para|subo para|"
        "nota|sobra|fica|fica em|vale|leva|tira|merece|cravo|redondo|apesar de tudo|no geral|no total|"
        "digamos|deixo em|fecho em|fecho com|minha nota|a minha|sobra um|"
        "nota|pontuação|dou|daria|dava|atribuo|avalio|avaliação|classificação|resultado|resposta|total|conclusão|"
        "diria|merece|global|final|ponho|veredicto|classifico|é um|leva"
    ),
    rating_units=r"pontos?|estrelas?|valores",
    other_units=(
        "palavras?|sílabas?|frases?|"
        "metros?|euros?|reais|quilômetros?|centímetros?|graus?|dias?|semanas?|m[eê]s(?:es)?|compassos?|"
        "sílabas?|por cento|milissegundos?|ms|kbps|bits?|cortes?|estalos?|microfones?|cães|cachorros?|"
        "estrofes?|tentativas?|batidas?|notas?|falantes?|locutor(?:es)?|"
        "segundos?|s|minutos?|falantes?|locutores?|pessoas?|vozes|palavras?|vezes|hz|khz|db|anos?|horas?|frases?|"
        "pausas?|erros|instrumentos?"
    ),
    bounds=(
        "na melhor das hipóteses|pelo menos|no mínimo|no máximo|ao menos|mínimo|máximo|mais de|menos de|até|"
        "quase|acima de|abaixo de|superior a|inferior a|entre|perto de|melhor (?:do )?que|pior (?:do )?que|"
        "mais do que|menos do que"
    ),
    bounds_after=(
        "(?:talvez|até|quem sabe)(?: até| um pouco| algo)* (?:menos|mais)|"
        r"no máximo|ou mais|ou menos(?! )|no mínimo|no máximo|para cima|pelo menos"
    ),
    has_decimal_comma=True,
)
