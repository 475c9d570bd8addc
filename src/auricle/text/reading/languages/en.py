"""English phrasings."""

from auricle.text.reading.table import Phrasings

_NOT = r"not|never|neither|nor|cannot|cant|isnt|dont|\w+n't"
_BE = "is|are|was|were|seems?|looks?|sounds?|would be|being"
_AUDIO = (
    r"(?:audio|recordings?|sound files?|audio files?|media files?|voice (?:messages?|recordings?|clips?|notes?)|clips?|"
    r"files?|attachments?|sounds?)"
)
_NOT_A_DEFECT = (
    r"(?!\s+(?:artifacts?|artefacts?|noise|distortion|glitch\w*|issues?|problems?|difference\w*|evidence|cues?|clues?|"
    r"signs?|effects?|quality|of|like|interference|defects?|errors?|from|events?))"
)
_UNABLE = (
    r"(?:can't|cannot|can not|couldn't|could not|unable to|not able to|not capable of|incapable of|no way (?:of|to)|"
    r"(?:don't|do not) have (?:the|any) (?:ability|capability|means|way) (?:to|of)|no (?:ability|capability) to|"
    r"lack the (?:ability|capability) to|not (?:equipped|designed|built) to)"
)
_PERCEIVE = (
    r"(?:hear|listen(?:ing)?(?: to)?|play(?:ing)?(?: back)?|process(?:ing)?|access(?:ing)?|open(?:ing)?|"
    r"perceiv(?:e|ing)|decod(?:e|ing)|load(?:ing)?|interpret(?:ing)?|receiv(?:e|ing)|handl(?:e|ing)|"
    r"analy[sz](?:e|ing)|evaluat(?:e|ing)|assess(?:ing)?|transcrib(?:e|ing)|view(?:ing)?|read(?:ing)?)"
)
_DETERMINERS = r"(?:(?:the|this|that|these|those|your|any|an?|actual|attached|such|raw|directly|to|all|uploaded) )*"

TABLE = Phrasings(
    fillers=(
        "an?|the|option|choice|letter|answer|number|label|category|class|correct|most|very|more|likely|probably|"
        "definitely|clearly|certainly|indeed|simply|actually|obviously|really|just|quite|highly|rather|extremely|"
        "slightly|somewhat|so|too|mostly|mainly|primarily|also|both|all|therefore|thus|truly|particularly|especially|"
        "exactly|entirely|overly|even|instead|kind|type|sort|form|sound|of|playing|feeling|either|best|single|clear"
    ),
    verbs=(
        "be|been|being|is|are|was|were|it|it's|its|to|like|that|this|as|sounds?|seems?|appears?|choose|chosen|pick|"
        "select|hear|have|contain|match|mean|express|feel|show|convey|indicate|in|with|from|possible|possibly|"
        "necessarily|consistent|on|for|your|my|at|by"
    ),
    articles="an?|the|in|at|on|by|of|his|her|their|some",
    option_nouns="options?|choices?|letter|answer|number|alternative",
    conjunctions="or|nor|and|and/or|versus|vs|or else|or maybe|or perhaps|or possibly|and also",
    verbs_after_letter=(
        "is|isn't|was|and|or|nor|because|since|but|as|seems|fits|matches|would|could|can|cannot|can't|does|doesn't|"
        "sounds|rather|instead|should|must|looks|makes|if|then|so|might|may|best|wins|happens|comes|came|at first|"
        "to|it"
    ),
    negations=(
        r"what (?:\w+ )?(?:sounds?|sounded|seems?|seemed|looks?|looked|appears?|appeared|might be|could be|may be|"
        r"might sound|could sound|may sound|you might think is)(?: like| to be)?|"
        r"scratch(?: what i (?:said|wrote) about)?|forget (?:about|what i said about)|never mind|what i said about|"
        r"(?:any\w+|every\w*|all) but|so (?:is|are|does|do|would|could|can)|"
        r"contrary to|in contrast to|nowhere near|no hint of|devoid of|short of|in place of|in lieu of|cross(?:es|ed|"
        r"ing)? (?:out|off)|strik(?:e|es|ing) out|struck out|dismiss(?:es|ed|ing)?|mistook (?:it|this|that) for|"
        r"not even|nothing to suggest|no evidence (?:of|for)|no indication of|anything other than|posing as|"
        r"disguised as|imitat(?:es|ing|ion of)|impression of|takes? (?:out|off)|no trace of|no sign of|"
        rf"(?:{_NOT})(?!\s+only)|rather than|instead of|unlike|as opposed to|other than|except(?: for)?|without|no|"
        r"lacks?|rul(?:e|es|ed|ing) out|exclud\w+|eliminat\w+|discard\w*|reject\w*|versus|vs\.?|free of|"
        "compared (?:to|with)|different from|differs from|absence of|hardly|barely|scarcely|anything but|"
        r"far from|by no means|no longer|less|than|nothing like|too \w+ (?:to be|for)|closer to|nearer to|"
        "similar to|reminiscent of|reminds me of|resembles?|comparable to|unlikely to be|(?:mis)?taken for|"
        "confused with|mistake for"
    ),
    distant_negations=(
        r"nothing|none|refus(?:e|es|ed) to|pretending|feigns?|feigned|fakes?|faked|wouldn't|too \w+ to|nobody|no one|"
        r"not(?! (?:only|just|sure))|never|\w+n't(?! (?:only|just))|cannot|doubt|opposite|lacks?|lacking|hard to|"
        "difficult to|unlikely|impossible|hardly|neither|nor|not convinced|tries to|trying to|pretends?|"
        "fails? to|far from"
    ),
    denied_clauses=(
        r"(?:lyrics|words|text|story|topic|subject|title) (?:are|is|tells?|talks?|speaks?|sings?)(?: \w+)? (?:about|"
        r"of)|(?:an?|the|most|many|some|other) (?:user|listener|people|person|expert|annotator)s? (?:\w+ ){0,5}"
        r"(?:would|might|may|could)|"
        r"(?:make|made|making) an? (?:\w+ )?case for|argu(?:e|ed|ing|ment) for|case could be made for|"
        r"runner-?up|second (?:choice|guess|pick|best|place)|next best|distant second|close second|mix(?:ture)? of|"
        r"blend of|cross between|combination of|equal parts|half ?way between|toss-?up|undecided|fifty-fifty|(?:says|"
        r"said|saying|claims?|claimed|claiming|insists?|insisted|pretends?|pretended) (?:that )?(?:he|she|they|it|"
        r"i)(?:'s|'m|'re| is| am| are| was| were)|used to be|supposed to be|meant to be|would expect|"
        r"you'd expect|one would expect|let me consider|mistaken? (?:it |this )?for|mistake (?:it|this|that) for|"
        r"(?:some|someone|people|many|others|one) (?:\w+ )?(?:might|would|may|could) (?:\w+ )?(?:say|call|"
        "think|take|mistake|hear|describe)|"
        rf"(?:{_NOT})\s+(?:think|believe|say|feel|suggest|suppose|find)|whether|"
        r"(?:tell|determine|know|sure|identify|unclear|say|decide)\s+(?:if|between)|between|torn|"
        r"(?:listed|offered|given|possible|available) (?:options|choices|labels|answers)"
    ),
    denials=(
        r"neither|either(?=[.,;!]|$)|"
        r"(?:is|are) (?:the )?(?:only |first )?(?:ones?|options?|things?) (?:\w+ ){0,3}?(?:rule out|exclude|"
        r"eliminate|discard|dismiss|ruled out)|"
        r"(?:\w+ )?(?:usually|typically|generally|normally|tends? to)|(?:recordings?|clips?|sounds?|music|"
        r"voices?) (?:usually|typically|generally|normally|often|tend)|"
        r"no(?=\s*(?:[\n,;)]|\Z))|none(?=\s*(?:[\n,;)]|\Z))|false(?=\s*(?:[\n,;)]|\Z))|unlikely|not likely|(?:is|"
        r"are) (?:off|off the table|a red herring|a stretch|a non-starter|not it|nowhere|gone|just a distraction|"
        r"only mentioned|merely mentioned)|(?:drops?|falls?) (?:out|away|flat)|makes? no sense|"
        r"never (?:once )?(?:\w+s|\w+ed|does|did|once)|can go(?=[.,;!]|$)|would (?:need|require|come with|roll|show|"
        r"produce|leave|ring|give|be (?:a stretch|wrong|odd|strange|surprising))|doesn't|don't|didn't|(?:fails?|"
        r"failed) to|(?:is|was|are) (?:crossed out|struck|out|excluded|rejected|dismissed)|to be ruled out|"
        ",? or so (?:one|you|i)|"
        "(?:is|are) out of the question|has nothing to do|can (?:safely )?be (?:ruled out|excluded|dismissed)|"
        r"(?:is|are|was|were|does|do|did|can|could|would|should|will|must)\s+(?:\w+ly\s+)*not(?!\s+only)|(?:is|"
        rf"are|was|were|does|do|did|ca|could|would|should|wo)n't|cannot|(?:{_BE})\s+(?:(?:\w+ly|very|quite|all|too|"
        r"also|both|most)\s+)*(?:incorrect|wrong|false|inconsistent|unlikely|implausible|impossible|ruled out|"
        "eliminated|excluded|invalid|improbable|absent|out|less likely|irrelevant|not)|(?:can|could|may|should|"
        r"must)\s+(?:\w+\s+)?be\s+(?:ruled out|excluded|eliminated|discarded|dismissed|rejected)|incorrect|wrong|"
        r"false|ruled out|eliminated|excluded|would (?:sound|have)|would be (?:\w+er|more|less|too|"
        r"different)(?!\w)|than|came close|comes close|(?:happens|occurs|comes) (?:before|later|earlier|after)"
    ),
    first_thoughts=(
        r"(?:many|some|most|others|people|you|one) (?:\w+ )?(?:would|might|may|could|will) (?:\w+ )?(?:answer|say|"
        r"call|guess|reply)|"
        r"my (?:first |initial )?(?:guess|thought|pick|bet|answer) (?:was|had been)(?= [^.;!?\n]*(?:until|before|but))|"
        r"was going to|wanted to|would have (?:given|said|gone|picked|chosen)|(?:i'd|would) (?:love|like) to|"
        r"was about to|(?:nearly|almost) (?:gave|said|went|picked|chose)|tempt\w+|instinct|(?:could|might) pass for|"
        r"(?:almost|nearly)(?! certain| sure| definite| always| entire| exclusive| all)|was (?:about|going|ready|"
        r"inclined) to|wanted to|(?:first|initial) (?:instinct|guess|thought|reaction|answer|idea)|gut reaction|"
        r"on (?:a )?first (?:listen|hearing|pass)|to begin with|for a (?:moment|second|split second)|briefly|"
        r"momentarily|had me (?:thinking|fooled)|you'd think|you would think|easy to (?:mistake|"
        r"confuse|hear)|easily (?:mistaken|confused)|tempting to|forgiven for|would have (?:said|guessed|picked|gone|"
        r"chosen|voted|put)|i had (?:written|put|picked|chosen|noted|down)|toyed with|entertained|"
        r"started out (?:with|thinking)|leaned towards?|was leaning|my earlier|previously|earlier i|"
        "thought|guessed|suspected|consider(?:ed|ing)?|assumed|expected|mistook|confused|was tempted|(?:might|"
        r"may|could)(?: \w+)? (?:expect|think|say|assume|guess|suspect|suggest|mistake)|let's (?:look|start|"
        "begin)|let me (?:look|start|begin|think)|at first|initially|first impression|at first glance|one might"
    ),
    first_thoughts_after=(
        r"(?:until|till|before) (?:i|you|we) (?:\w+ )?(?:heard|hear|listen|listened|noticed|notice|caught|realized|"
        r"realised)|"
        r"was my (?:first|initial|gut)|came to mind first|crossed my mind|was tempting|is tempting|looked (?:likely|"
        r"right|good) at first|had me (?:fooled|for)|seemed (?:right|plausible|obvious) at first|"
        "at first|initially|was my first|i thought|seemed likely"
    ),
    appearances=r"seems?(?: to be| like)?|sounds? like|looks? like|appears? to be|feels? like",
    doubts=r"(?:might|may|could)|maybe|perhaps|possibly",
    doubts_after=r"if|unless|or something|is possible|is also possible|might be|may be|could be",
    answer_nouns="answer|ans|prediction|conclusion|verdict|final",
    result_nouns=(
        "choice|option|selection|pick|guess|label|category|class|classification|emotion|output|result|response|mood|"
        "genre|tone|instrument|scene"
    ),
    copulas=r"s(?<='s)|is|are|was|were|be|as|being|would be|should be|must be|remains",
    decisions=(
        r"in total|altogether|for a total of|adds? up to|adding up to|totall?(?:s|ing)?|all told|in other words|"
        r"which is to say|"
        r"(?:i'm |i am )?calling (?:it|this)|put(?:ting)? (?:it|this|me) down (?:as|for)|putting (?:my )?(?:money|"
        r"chips|bets?) on|my (?:money|bet|vote|guess|pick|choice|call|verdict|gut|ears?)(?:'s| is| goes| says?|"
        r" tells? me)?(?: on| for| to| it's| it is|:)?|i'd bet(?: on)?|betting (?:on|it's)|lock(?:ing|ed)?(?: it|"
        r" this)? in(?: as)?|log(?:ging|ged)? (?:it|this) as|tag(?:ging|ged)? (?:it|this)(?: as)?|fil(?:e|ed|"
        r"ing) (?:it|this) under|(?:all|everything|every|the) (?:\w+ )?(?:signs?|evidence|clues?|cues?) "
        r"(?:points?|say|says|to|towards?)+|(?:all|everything) (?:points|says)(?: to| towards?)*|must(?:'ve|"
        r" have) been|(?:has|have|'s|'ve)? ?got(?:ta| to) be|"
        r"can only be|could only be|none other than|unmistakabl[ey]|boils down to|comes? down (?:to|on)|"
        r"came down (?:to|on)|land(?:ed|ing|s)? on|i(?:'m| am) (?:with|on|picking|choosing|saying|settling on|"
        r"settling for|backing|sticking with|voting for|opting for|taking|inclined to say)|i(?:'ll|'d| will|"
        r" would) (?:take|have|put|call it|mark|enter|file|plump for|lock in)|opt(?:ing|ed)? for|plump(?:ing|"
        r"ed)? for|settl(?:e|ed|ing) (?:on|for)|(?:which|that) (?:makes|means|leaves)(?: it| this| us with| only|"
        r" just)?|making (?:it|this)|leaves only|only (?:option|one|candidate) left is|qualifies as|falls (?:under|"
        r"into)|best (?:fit|match|label|description) (?:is|would be|here is)|more precisely|to be precise|"
        r"let's (?:say|go with|call it)|mark (?:it|this|me)(?: down)? (?:as|for)|what (?:i|you|we) hear(?:d)? (?:is|"
        r"are)|recogni[sz]e(?:d)? (?:it|this)? ?as|"
        r"i(?:'d| would|'ll| will| should| must|'m| am)?\s+(?:\w+\s+)?(?:say|choose|pick|select|go with|"
        "going with|go for|going for|think|believe|guess|vote for|opt for|conclude|answer|lean towards?|"
        "leaning towards?|chose|picked|selected|settle on|stick with|label|classify|bet on|put it down as|"
        r"call)(?:\s*(?:that|it|this|as))*(?:\s*(?:is|'s|as|would be|must be|should be)(?![a-z]))?|choose|"
        "choosing|pick|picking|select|selecting|go with|settle on|must be|has to be|"
        "(?:so(?! (?:is|are|does|do|did|would|could|can|might) )|thus|therefore|hence|"
        "finally|actually|correction|wait|no|in fact|namely|on second thought|leaves?(?: us with)?|"
        "leaving(?: us with)?|sorry|rather|i mean|make that|scratch that|i meant|in the end|ultimately|"
        r"overall)(?:[\s,:]|(?:i mean|i meant|it|that|this|must|should|has|to|make|only|is|'s|be|was)(?![a-z]))*|"
        r"not[^.!?\n]*(?<![a-z])but\s*(?:(?:rather|instead|it|is)(?![a-z])\s*)*|dominated by|best described as|"
        r"classif\w+(?: it| this)? as|categori[sz]\w+(?: it| this)? as|label(?:led|ed)?(?: it| this)? as|"
        r"belongs? to|identified as|points?(?: \w+ly)? to|gives it away|corresponds? to|matches"
    ),
    confirmations=(
        r"yes(?=\s*(?:[\n,;)]|\Z))|true(?=\s*(?:[\n,;)]|\Z))|all the way|hands down|through and through|final answer|"
        r"written all over|locked in|gets my (?:vote|pick|money)|takes it|then(?=[.!]|$)|is (?:clearly |obviously |"
        r"definitely )?(?:the )?(?:winner|one|way to go|only (?:one|option|candidate)|clear (?:winner|choice)|"
        r"obvious (?:choice|answer|pick)|what (?:i|we|you) (?:hear|heard|get|have|are hearing))|is it(?=[.!]|$)|"
        r"is left(?=[.,!]|$)|remains(?=[.,!]|$)|(?:would be|is|'s) my (?:pick|guess|choice|answer|vote|bet|call|"
        r"verdict|final)|seems (?:best|right)|is where i land|no (?:doubt|question)|without (?:a )?(?:doubt|"
        r"question)|beyond (?:a )?doubt|hits? the mark|ticks? (?:all|every)|is the (?:best|closest|right)|"
        rf"because|since|given that|due to|as it|as the|(?:fits?|matches|makes|{_BE})(?:\s+to be)?\s+(?:(?:the|"
        r"only|one|my|\w+ly|most|more|very|quite|so)\s+)*(?:correct|right|best|better|well|answer|true|accurate|"
        "likely|plausible|appropriate|suitable|sense|choice|pick)|it is|is my (?:answer|choice|pick|final)|"
        "for sure|it must be|wins|stands out|dominates"
    ),
    predicates=(
        r"(?:places?|puts?|sets?) (?:us|it|this|the scene|the recording)(?: \w+ly)? (?:in|at|on|inside)|"
        r"takes place (?:in|at|on)|"
        r"betrays?|reveals?|gives? away|screams|confirms?|proves?|signals?|shows?|is (?:himself|herself|itself)|"
        r"speaks?|points? (?:squarely |clearly |straight )?(?:to|at|towards?)|says|spells|means|turns out(?: to be)?|"
        r"counts as|"
        "is|are|was|were|be|being|as|sounds?|seems?|appears?|feels?|expresses|conveys|called|hear|heard|makes it|"
        r"\w+'s|\w+'re|suggests?|indicates?|makes? (?:it|this)"
    ),
    catch_alls="others?|none|nothing|anything else|something else",
    ordinals=(
        *("first|1st", "second|2nd", "third|3rd", "fourth|4th"),
        *("fifth|5th", "sixth|6th", "seventh|7th", "eighth|8th"),
    ),
    last_ordinal="last|final",
    lists=(
        r"(?:on|in|from|of|among) (?:your|the|this|that|my|these) (?:\w+ )?(?:lists?|options|choices|"
        r"alternatives|answers)"
    ),
    questions="",
    conditions=(
        "otherwise,|otherwise,? (?:it|i|the|this)|"
        r"if|unless|(?<![\w,;] )(?:had|were) (?:it|there|i|he|she|they|the|this|that|someone|a)|provided that|assuming|"
        "suppose|without(?= .*would)|only when"
    ),
    harmless_conditions=(
        r"all things considered|everything (?:considered|taken into account)|taking everything into account|"
        r"on balance|"
        r"if (?:i|we) (?:really )?(?:have to|had to|must) (?:put a number|put a label|give a number)(?: on it)?|"
        r"if memory serves|if my ears (?:don't|do not) deceive me|if i(?:'m| am) honest|if you will|"
        r"if ever (?:there was|i heard)|if you (?:force|press|push) me|"
        "(?:even |only )?if (?:i|we|you) (?:really )?(?:have to|had to|must|were to|was to|were forced|"
        r"was forced|am forced|are forced|needed to|need to|should) (?:\w+ )?(?:to )?(?:guess|choose|pick|say|"
        r"decide|answer|select|commit|name|settle|bet)(?! (?:a|an|my|the) (?:runner|second|alternative|backup|other|"
        r"next))(?: (?:one|an answer|just one|only one|between\b[^,.]*))?|"
        "if (?:you|i|we|one) (?:were to )?listens? (?:closely|carefully|attentively|again|to)|if i(?:'m|"
        " am) not mistaken|if you ask me|if anything|as if|if i heard (?:it )?(?:right|correctly)|"
        "if forced to (?:choose|guess|pick)|if pressed|if in doubt|if not"
    ),
    causes="because|since|as|given that",
    concessions="although|even though|though|even if|despite|in spite of|while|whereas|granted",
    comparisons=(
        r"(?:my|some|other|another|an?|most|many|certain) (?:\w+ )?(?:colleagues?|friends?|listeners?|judges?|"
        r"critics?|people|reviewers?|raters?|others|person) (?:would|might|may|could|will|'d)[^.,;:!?\n]*|"
        r"others (?:would|might|may|could)[^.,;:!?\n]*|"
        r"[^.,;:!?\n]*(?:previous|preceding|earlier|prior) (?:one|clip|recording|sample|take|file|version|track|"
        r"submission|entry|rating|score)[^.,;:!?\n]*|(?:points?|stars?|notch|notches) (?:higher|lower|better|worse|"
        r"above|below|more|less)[^.,;!?\n]*|"
        "(?:closer|nearer|louder|quieter|softer|higher|lower|deeper|brighter|darker|faster|slower|bigger|smaller|"
        "longer|shorter|happier|sadder|angrier|calmer|clearer|warmer|harsher|stronger|weaker|more|less|better|"
        r"worse)\s(?:(?!rather|likely)[^.,;!?\n]){0,60}?than[^.,;:!?\n]*"
    ),
    indecision=(
        r"coin[- ](?:toss|flip)|toss-?up|could go either way|anyone's guess|on the fence|(?:just|"
        r"equally) as (?:plausible|"
        r"likely|possible)|equally (?:plausible|likely|possible)|(?:can't|cannot|couldn't|unable to|not able to|"
        r"not going to) (?:\w+ )?(?:decide|choose between|commit|settle on|give (?:you )?an? (?:\w+ )?(?:yes|no|answer|"
        r"verdict)|say (?:which|either way)|put a number)|i(?:'m| am) (?:torn|undecided)|hard to (?:say|tell|"
        r"decide) which"
    ),
    courtesies=(
        r"(?:(?:sure(?: thing)?|of course|certainly|absolutely|definitely|yes|yeah|okay|ok|right)[,!.]? )?(?:i'd|"
        r"i would|i'll|i will)"
        r" (?:gladly |be (?:more than )?(?:happy|glad|delighted|pleased) to |love to )(?:check|help|listen|look|"
        r"analy[sz]e|answer|assist|"
        r"take|give|rate|tell)[^.!?\n]*|(?:sure(?: thing)?|of course|certainly|absolutely|definitely|okay|ok)[,!.] "
        r"(?:happy|glad) to (?:help|check|listen|answer|assist)[^.!?\n]*|"
        r"thanks for (?:sharing|the|your|sending)[^.!,\n]*|happy to (?:take|give|have|look|weigh)|glad you asked|"
        r"sorry for the (?:delay|confusion)|sad(?:ly)? to (?:say|report)|no thanks|"
        "(?:not|without) the slightest doubt|there can be no doubt|(?:sure|certainly|of course|"
        r"absolutely)[!,.](?= (?:i|i've|i'll|let|here|happy)(?: listened| checked| analy\w+| can help|'ll|"
        " will| me|'s| is| to))|"
        r"(?:i'm|i am|i'd be|i would be|i'll be|we're|we are|always|more than|would be)\s+(?:\w+\s+)?"
        r"(?:happy|glad|pleased|delighted|sad|sorry|afraid|excited|surprised|angry)\s+(?:to|that|but|for|with|about)|"
        r"i'm (?:afraid|sorry|happy|glad)|i fear|happy to (?:help|assist|check|listen|answer)|glad to (?:help|assist)|"
        r"sad to say|sadly,? i|no problem|no worries|no doubt(?: about it)?|no question(?: about it)?|"
        r"without (?:a|any) doubt|(?:there's|there is|i have) no doubt|not a problem|no wonder|not to mention|"
        r"no need to worry|no matter|no idea|yes man|great question|good question|of no use|"
        r"not only|no offen[sc]e|if i'm honest|no hesitation|no trouble|not surprisingly|no surprise|no mistake|"
        r"can't deny|cannot deny|couldn't agree more|no other|not just|no longer just|"
        r"(?:yes|no),? (?:i can|i will|i'd love to|of course i can) (?:help|assist|do that|check)"
    ),
    dependences=(
        r"first (?:half|part)[^.!?\n]*(?:second|other|latter) (?:half|part)|"
        r"(?:it|that|this|the answer|everything) (?:\w+ )?depends|depending on"
    ),
    audio_nouns=(
        r"audio(?: (?:files?|clips?|samples?|recordings?|input|data|attachment|playback|content|track|stream))?|"
        r"recordings?|(?:sound|media|voice) (?:files?|clips?|samples?|recordings?|messages?)|voice ?notes?|clips?|"
        r"files?|attachments?|uploads?|media|(?:actual|any|the) sound(?=[.,;!]|$| at all)|playback|sample|link|"
        r"phone calls?|snippets?|excerpts?|wav|mp3|m4a|ogg|flac|url"
    ),
    locatives=(r"in|on|from|throughout|within|during|of|across"),
    inabilities=(
        r"(?:have|had|got) no (?:way|means|ability|chance) (?:to|of)|never (?:got|managed) to|lack(?:s|ing)? (?:any |"
        r"the )?(?:way|means|ability|hardware|tools?) (?:to|of|for)|wasn't able to|weren't able to|struggl(?:e|ed|"
        r"ing) to|"
        r"can't|cannot|can not|couldn't|could not|(?:un|not |n't )able to|won't be able to|(?:don't|do not|doesn't|"
        r"lack|no|without) (?:have |has |possess )?(?:the |any )?(?:capability|ability|capacity|means|way|"
        r"tools?) (?:to|of|for)|(?:in|not )capable of|not (?:equipped|designed|built|possible(?: for me)?) to|"
        r"impossible (?:for me )?to|failed to|no way (?:to|of)|don't|do not|didn't|did not"
    ),
    perceptions=(
        r"hear|listen(?:ing)?(?: to)?|play(?:ing)?(?: back)?|process(?:ing)?|access(?:ing)?|open(?:ing)?|perceiv(?:e|"
        r"ing)|decod(?:e|ing)|load(?:ing)?|interpret(?:ing)?|analy[sz](?:e|ing)|evaluat(?:e|ing)|transcrib(?:e|ing)|"
        r"handl(?:e|ing)|stream(?:ing)?|read|support|accept|work with"
    ),
    arrivals=(
        r"(?<=n't )(?:given|sent)|(?<=not )given|(?<=been )given|receiv\w*|arriv\w*|come? through|came through|"
        r"reach(?:ed)? me|attach\w*|upload\w*|load(?:ed)?|"
        r"open(?:ed)?(?! with)|available|accessible|provided|supplied|included|found|get|got|see|find|exist|"
        r"present(?! in)|sent|delivered|transmitted|supported(?! by the)|work(?:ing|ed)?|play(?:ed|able)?(?=[.,;!]|$|"
        r" back| for| on)"
    ),
    capacities=r"abilit(?:y|ies)|capabilit(?:y|ies)|capacity|tools?|means|hardware|equipment|sensors?|function|feature",
    policies=r"polic(?:y|ies)|guidelines|terms of (?:use|service)|usage rules|my (?:rules|instructions)",
    defects=(
        r"zero[- ]byte|(?:total|complete|utter|dead|pure|absolute) silence|(?:completely|entirely|totally|just|"
        r"only) silen(?:t|ce)|timed out|won't open|refuses to (?:open|play|load)|stalled|404|error(?:ed)?|"
        r"never (?:finished|loaded|arrived|completed|made it|came|reached|showed up|opened|played|started)|did(?:n't|"
        r" not) (?:finish|complete|make it|go through|survive|load|open|play|come)|in an unsupported|garbled beyond|"
        r"truncated to nothing|"
        r"(?:\w+ ?)?(?:corrupt(?:ed)?|empty|missing|unavailable|inaccessible|blank|unreadable|unplayable|unsupported|"
        r"damaged|broken|expired|not found|zero[- ](?:bytes|length|seconds)|(?<!\d)0 (?:bytes|seconds)|(?<!\d)(?:0:00|"
        r"00:00)|failed|silent file|nothing but silence)"
    ),
    refusals=(
        r"nothing (?:was|is|has been|seems to be) (?:attached|uploaded|received|sent|included)|"
        r"(?:can't|cannot|can not|unable to|not able to|couldn't) (?:\w+ly )?(?:give|assign|provide|offer) (?:it |"
        r"you |this |them )?(?:an?|any) "
        r"(?:\w+ )?(?:score|rating|grade|number|mark)(?! (?:above|below|higher|lower|over|under|better|of|than))|"
        r"(?:unable|not able) to analy[sz]e (?:it|this|that)|"
        r"(?:problem|trouble|issue|difficulty|difficulties)(?: \w+){0,4} (?:loading|playing|opening|accessing|"
        r"decoding|reading|hearing|with) (?:\w+ ){0,2}?(?:sound|audio|clip|file|recording|attachment)s?|"
        r"no (?:\w+ )?(?:from me|from my side) (?:this time|today)|"
        r"(?:have|has|got|possess) no (?:ears|hearing|sense of hearing|auditory|audio (?:input|support|capabilit\w+|"
        r"processing|module))|lacks? (?:ears|hearing|auditory|audio)|no (?:listening|hearing|audio|"
        r"auditory) (?:capabilit|abilit|support|module|input|channel|function)\w*|(?:don't|do not|doesn't|can't|"
        r"cannot) (?:do|support|take|accept|handle|ingest) (?:audio|sound)|deaf(?: to| here)|hearing is (?:beyond|"
        r"not)|(?:audio|listening|hearing) (?:isn't|is not|lies|is) (?:something|part of|among|within|outside|"
        r"beyond)|nothing (?:\w+ ){0,2}?(?:came|comes|got|played|plays|reached|arrived|loaded|loads)(?: through|"
        r" back| over| to me| for me| on my end| here)?(?=[.,;!]|$| to| for| on| when)|nothing audible|"
        r"in no position to|(?:mind|would you mind|care to|try|maybe) (?:re-?)?(?:sending|"
        r"uploading|attaching|sharing)|re-?(?:send|upload|attach)(?:ing)?|send (?:it|that|the file|the clip|"
        r"me the \w+) (?:again|over|once more|one more time)|all i (?:got|get|see|have|received|can see) (?:is|was|"
        r"are|were) (?:an? |the |your )?(?:file ?name|link|text|transcript|question|prompt|placeholder|icon|error|"
        r"message|written|blank|empty|player)|none of the (?:actual )?(?:sound|audio)|(?:upload|transfer|download|"
        r"playback|decoding|decoder|player|codec) (?:\w+ ){0,3}?(?:never|failed|stalled|timed out|crashed|errored|"
        r"hung|broke|didn't|did not|gave up|aborted|threw|refused)|(?:format|codec|file type|"
        r"extension) (?:\w+ ){0,3}?(?:isn't|is not|unsupported|unknown|can't|cannot)|anything i (?:said|say|wrote|"
        r"told you|claimed)[^.!?\n]{0,30} would be|(?:policy|policies|guidelines|rules|"
        r"terms) (?:\w+ ){0,4}?(?:prevents?|forbids?|prohibits?|don't|do not|doesn't|bars?|stops?|keeps?|precludes?|"
        r"against)|sit this one out|(?:abstain|refrain) from|(?:i'll|i|i'd|i will|i would) (?:have to |rather |"
        r"prefer to |respectfully )?(?:pass(?: on this)?(?=[.,;]|$)|abstain|bow out)|(?:can't|cannot|unable to|"
        r"not able to|won't be able to|won't|will not) (?:\w+ )?(?:help|assist)(?: you)? (?:with|on) (?:this|that|"
        r"it)|(?:can't|cannot|won't|will not|refuse to|rather not|prefer not to|not going to|not willing to|"
        r"unable to) (?:\w+ )?(?:put a (?:number|score|label) on|label|profile|characteri[sz]e|categori[sz]e|score|"
        r"rate|grade|comment on|make claims about|draw conclusions about|guess) (?:\w+ ){0,4}?(?:people|person|"
        r"someone|somebody|real|individuals?|strangers?|humans?|identity|from (?:a|their|his|her) voice)|"
        "(?:isn't|is not|not) something i(?:'m| am)? (?:able|willing|comfortable|do|can(?: do)?)(?=[.,;]|$| to|"
        " with)|i (?:won't|will not|can't|"
        "cannot|don't|do not|shouldn't) (?:guess|infer|speculate|diagnose|score|rate|"
        r"judge)(?: \w+){0,3}? (?:an?|any|the|this|another)? ?(?:person|someone|somebody|people|"
        r"individual)\w*|(?:can't|cannot|won't|unable to|not)[^.!?\n]{0,30} medical (?:diagnosis|advice)|"
        r"please consult an? (?:\w+ ){0,2}?(?:professional|doctor|"
        "physician)|(?:don't|do not|wouldn't) feel comfortable|(?:have to|must|i'll|i will) pass on|"
        "i won't be (?:picking|choosing|answering|rating|guessing|scoring)|(?:error|failure|"
        "problem) (?:while |when )?(?:decoding|loading|opening)|decoding (?:error|failed)|"
        r"link (?:\w+ ){0,3}?(?:expired|broken|invalid)|(?:file|audio|recording) (?:\w+ ){0,2}?(?<!\d)(?:0|"
        "zero)[ -](?:bytes?|seconds long)|invalid (?:audio|file)|"
        rf"(?:doesn't|does not|don't|do not) (?:seem|appear) to be (?:an?|any) {_AUDIO}|(?:need|"
        rf"require) {_DETERMINERS}{_AUDIO}|(?:wasn't|isn't|aren't|not|never|"
        rf"n't been) (?:attached|uploaded|received|supported(?! by the))|limited to text|(?:but|and) not the {_AUDIO}|"
        rf"without (?:hearing|listening|access to)|without the {_AUDIO}|{_AUDIO} (?:would|will|could) (?:not|"
        "n't) (?:open|play|load)|(?:won't|wouldn't|couldn't) (?:open|load|play)(?= on| for| in|[.,;!]|$)|"
        r"have (?:no )?ears|something i (?:don't|can't|won't|do not|cannot) do|"
        r"as an ai[^.!?\n]*(?:can't|cannot|unable to|not able to|don't|do not) (?:hear|listen|perceive|process|"
        "have)|(?:can't|cannot|unable to|not able to|won't|don't|do not) (?:judge|rate|assess|identify|"
        "recogni[sz]e|evaluate|verify|name) (?:the audio|audio|sound quality|(?:people|speakers?|someone|anyone|"
        r"a person|individuals?)[^.!?\n]*voices?)|(?:no|without(?: any)?) (?:(?:attached|accompanying|actual|"
        "audible|playable|valid|uploaded|such|usable|input|audio|sound|voice|media|corresponding|real|"
        rf"provided) )*{_AUDIO}{_NOT_A_DEFECT}|(?:don't|do not|didn't|did not|can't|cannot|couldn't|could not|"
        r"unable to|not able to|haven't|have not|never|failed to|wasn't able to)(?: \w+ly| currently| seem to|"
        " even)* (?:see|find|receive|received|get|got|have|hear|detect|locate|been given|have access to|"
        rf"access) {_DETERMINERS}{_AUDIO}{_NOT_A_DEFECT}|{_UNABLE}(?: \w+ly| currently)* {_PERCEIVE}(?! (?:any|an?|"
        rf"the|its?|his|her|their) (?!{_AUDIO}|actual|attached|uploaded|voices?|speech|content|"
        rf"media))(?: {_DETERMINERS}{_AUDIO}|[.,;!]|$| (?:and|or|but|because|since|as|anything|voices?|speech|"
        "content|media|multimedia))|(?:no|don't have|do not have|without|lack|"
        rf"lacking) (?:direct )?access to {_DETERMINERS}{_AUDIO}|{_AUDIO}(?: you\W\w+ \w+| you \w+|"
        r" that \w+ \w+)?(?: (?:didn't|did not|failed to|couldn't|could not|cannot|can't|doesn't|does not|won't|"
        "wasn't|was not|isn't|is not|hasn't|has not|never|not|seems? not to|to))+(?: (?:seem to|appear to|be|"
        "have|been|actually|properly|successfully|currently|yet|able to be))* (?:load|play|open|upload|com|arriv|"
        "attach|includ|provid|available|accessible|process|decod|work|render|transmi|receiv|present|there|reach|"
        rf"download|retriev|supported)\w*|"
        "i(?:'m| am) (?:just |only |merely )?an? (?:text|"
        "language)(?:-based|-only| based| only)?(?: language| ai)? (?:model|assistant|ai|system)|(?:text|"
        r"language)(?:-based|-only| only)? (?:model|assistant|ai)[^.!?\n]*(?:can't|cannot|no way|unable|not|don't|"
        "beyond|only)|only (?:able to |capable of )?(?:work|deal|handle|process|accept|read|understand|see|"
        r"support)\w*(?: with)? (?:text|written)|text-only|text only|beyond what i can (?:perceive|hear|process)|"
        "(?:please|could you|can you|try|kindly)(?: please)? (?:re-?)?(?:upload|attach|send|shar|provid|resend|"
        rf"upload)\w*(?: \w+){{0,4}}? (?:audio|files?|recordings?|clips?|it again|again)|i(?:'m| am|'ve|"
        " have)? ?(?:can't|cannot|can not|won't|will not|unable to|not able to|not going to) (?:help|assist|"
        "comply|fulfil|fulfill)(?! but)|(?:not|aren't|isn't) (?:allowed|permitted|authori[sz]ed|supposed|"
        "in a position|comfortable|willing)|(?:can't|cannot|unable to|not able to|won't|shouldn't|"
        r"can not)(?: \w+ly)? (?:infer|identify|verify|determine|analy[sz]e|estimate|recogni[sz]e|assess|judge|"
        "guess|speculate|make|draw|comment|discuss|process|share|engage|provide|offer|"
        r"give)[^.!?\n]*(?:real (?:person|people)|individuals?|identit\w+|emotional state|mental state|(?:from|by|"
        "based on) (?:their|his|her|a|the|someone's) (?:voice|speech)|personal|private|privacy|biometric|"
        r"ethnicity|sensitive|policy|guidelines)|(?:for|due to|because of|out of) (?:\w+ )?(?:privacy|safety|"
        "security|ethical|legal|policy|confidentiality)|(?:violates?|against|goes against) (?:my|our|"
        r"the) (?:\w+ )?(?:polic\w+|guidelines|rules|programming)|i (?:must|have to|need to|will|respectfully|"
        "'ll)? ?(?:respectfully |politely )?(?:decline|refuse)|i(?:'d| would) (?:rather|prefer) not|"
        "nothing to (?:classify|analy[sz]e|listen to|rate|evaluate|hear|work with)"
    ),
    yes=r"yes|yeah|yep|yup",
    agreements=(
        r"sure enough|as a matter of fact yes|that it (?:is|does)|your hunch is right|you guessed (?:it|right)|"
        r"you heard (?:it|that|right|correctly)|"
        r"that(?:'s| is) (?:correct|right|true|the case)|quite so|i(?:'d| would) say yes|yes indeed|"
        r"(?:it )?sure (?:does|is|do|did)|spot on|precisely|aye|uh-huh|mm-?hm+|totally|very likely|most likely|"
        r"i would think so|i'd think so|it seems so|seems so|(?:seems|looks) that way|sounds like it|"
        r"it would (?:appear|seem) so|so it seems|apparently so|you(?:'re| are) right|it most certainly (?:is|does)|"
        r"no doubt|loud and clear|plenty|you can|"
        "yes|yeah|yep|yup|true|correct|affirmative|absolutely|definitely|certainly|indeed|of course|exactly|sure|"
        "right|i think so|i believe so|i'd say so|i would say so|undoubtedly|without question|positive|"
        "most certainly|very much so|that's right|it certainly is|it sure is|by all means|you bet|most definitely"
    ),
    no=r"no|nope|nah",
    disagreements=(
        r"i(?:'d| would) say no|not that i (?:can|could)? ?(?:hear|heard|notice|noticed|tell|detect)|"
        r"not in this (?:clip|recording|one)|not one bit|not a chance|no chance|nothing of the (?:sort|kind)|"
        r"on the contrary|not so|not even (?:close|once)|not by a long shot|not once|(?:he|she|it|"
        r"they) never (?:does|do|did)|i wouldn't think so|(?:it )?doesn't (?:seem|sound|look|appear) (?:so|like it|"
        r"that way)|it would (?:appear|seem) not|seems not|not likely|highly unlikely|not remotely|"
        r"none (?:at all|whatsoever|to speak of|that i can hear)|zilch|zero|far from it|anything but|"
        "no|nope|nah|false|incorrect|wrong|negative|absolutely not|definitely not|certainly not|of course not|"
        "not at all|not really|not quite|i don't think so|i do not think so|i don't believe so|i wouldn't say so|"
        "i doubt it|i'd say not|probably not|apparently not|i'm afraid not|i think not|by no means|hardly|"
        r"not in the least|not exactly|surely not|clearly not|no way|quite the opposite|not as far as i can \w+|never"
    ),
    both=(
        "(?:impossible|hard|difficult) not to|(?:can't|cannot|impossible to|hard to|couldn't) miss|"
        r"no denying|not a (?:single )?\w+ (?:goes by|passes) without|can't help|(?:can't|cannot|couldn't|"
        r"hard to|difficult to) (?:say|claim|tell)[^.!?\n]*|no sooner|no fewer than|"
        r"neither yes nor no|no more than|no less than|yes\s*(?:/|,|or|and|but also|&)\s*no|no\s*(?:/|or|"
        r"and)\s*yes|true\s*(?:/|or)\s*false|whether[^.,;!?\n]*|right (?:from|at|after|before|now|away|here|there|"
        "channel|ear|side|hand|beside|behind)|(?:for|be|not|so|pretty|quite) (?:sure|certain|positive|right)|"
        r"sure (?:about|that|if|of|how)|not (?:absolutely|entirely|completely|\w+ly) (?:sure|certain|clear)|either way"
    ),
    speech_verbs="(?:(?:he|she|they) )?(?:says?|said|answers|answered|repl(?:y|ies)|shouts?|yells?|cries|repeats?)",
    negators=(
        r"not|no|never|none|nothing|nobody|no one|cannot|\w+n't|without|impossible|den(?:y|ies|ied|ying)|doubt\w*|"
        r"wrong|false|untrue|inaccurate|incorrect|lie|lying|fail\w*|hardly|barely|unlikely|mistaken?|absen(?:t|ce)"
    ),
    certainties=(
        r"no doubt(?: about it)?|without (?:a|any|the slightest) doubt|without (?:a )?question|"
        r"no question(?: about it)?|undeniabl[ey]|unmistakabl[ey]|no mistaking|no denying|(?:can't|cannot|can not|"
        r"couldn't|could hardly|impossible to|hard to|you'd have to be deaf to|nobody could|"
        r"no one could) (?:possibly )?(?:miss|deny|overlook|be denied|be missed|be mistaken|fail to)|(?:impossible|"
        r"hard|difficult|can't|cannot|couldn't) not to|can't help but|goes without saying|not only(?! not)|not just|"
        r"as plain as day|beyond (?:a |any )?doubt|far from (?:absent|silent)"
    ),
    wavering=(
        r"(?:he|she|it|they|some) (?:do|does|did|is|are|was|were)[,;.](?=[^\n]*(?:n't| not)\s*[.!])|"
        r"yes and no|or (?:maybe|perhaps|possibly|then again)?,? ?(?:not|no)(?=[.!?,]|$)|sometimes|at times|"
        r"at moments|(?:hard|difficult|impossible|tough) to (?:say|tell|judge|know|be sure)|(?:can't|cannot|can not|"
        r"couldn't|could not) (?:really |quite )?(?:say|tell|decide|be sure|be certain|determine)|not (?:entirely |"
        r"quite |completely |at all )?(?:sure|certain)|unsure|unclear|no idea|who knows|debatable|open question|"
        r"depends|jury is still out|i don't know|up for debate|fifty-fifty|could go either way|either way|"
        r"in some (?:places|parts)|partly|in a way|in a sense|kind of|sort of yes"
    ),
    implied_yes=(
        r"[^:.\n]{1,40}: present(?=\W*\Z)|supported(?=\W*\Z)|"
        r"(?:(?:yes|well|oh|clearly|definitely|indeed)\W+)?(?:it|they|he|she|there|that|this|these|those|i|"
        r"you)(?: \w+ly)? (?:is|are|does|do|did|was|were|can|has|have)(?: indeed)?|(?:that|it|this|the statement|"
        "the claim)(?:'s| is|'s indeed| is indeed) (?:correct|true|right|accurate|the case)"
    ),
    implied_no=(
        r"at no (?:point|time|moment|stage) (?:does|do|did|is|are|was|were|can)|none of the \w+ (?:contains?|"
        r"includes?|features?)|(?:statement|claim|caption|description|sentence) (?:is|was)(?:n't| not) (?:supported|"
        r"correct|true|"
        r"accurate|right)|(?<![^\n])[^:.\n]{1,40}: (?:absent|not present|none)(?=\W*\Z)|"
        r"nothing (?:suggests?|indicates?|points to)|"
        r"(?:can't|cannot|couldn't|could not|don't|didn't|unable to) (?:\w+ly )?(?:pick out|discern|spot|catch|"
        r"locate|distinguish|sense|find) (?:an?|any|the)|"
        r"(?:none|nobody|no one) (?:of (?:\w+ )?\w+ )?(?:is|are|was|were|"
        r"does|do|did|can|could|ever|sings?|speaks?|laughs?|barks?|plays?|says?|mentions?|suggests?|indicates?)|"
        r"there(?:'s| is| was) nothing (?:like|of|resembling|to suggest)|(?:is|are) (?:nowhere|entirely absent|"
        r"completely absent|missing from)|no (?:hint|evidence|indication|suggestion|instance) of|not one(?! bit)|"
        r"doesn't (?:contain|feature|include|have|mention|come up|occur|appear)|devoid of|far too \w+ (?:to be|for)|"
        r"(?<![^.!?\n])\s*(?:no (?:\w+ ){1,4}?(?:is|are|was|were|can be|could be|barks?|sings?|speaks?|plays?|"
        r"appears?|occurs?)|not a (?:single |trace|hint|sound|word)|no sign of|no trace of|nothing (?:of the|like|in|"
        r"suggests|indicates|points))|there(?:'s| is) no way|(?:no|not a) (?:trace|sign|hint) of (?:an?|any|the)|"
        r"nowhere (?:to be heard|in)|no \w+ (?:to be heard|can be heard|is audible|anywhere)|(?:it|this|"
        r"that) is anything but|not an? [\w ]+ though|"
        "(?:there(?:'s| is| are| was| were)|contains?|has|have|hear|detect|includes?|perceive|find|notice|with|"
        "shows?) (?:absolutely |really |clearly |audibly )?no(?:ne)?(?! (?:noise|problem|difference|issue|"
        "distortion|error|defect|doubt|glitch|mistake|question|background|interference|flaw|change|need|reason|"
        "way|trouble|other))|(?:can't|cannot|can not|don't|do not|couldn't|could not|didn't|"
        "did not) (?:actually |really |clearly )?(?:hear|detect|find|notice|perceive|make out|see|identify|"
        r"recogni[sz]e|pick up)(?! (?:\w+ )?(?:noise|problem|difference|issue|distortion|error|defect|glitch|"
        "mistake|background|interference|flaw|change))|(?:it|this|that|they|these|those|he|she|there|speakers?|"
        "voices?|singer|clips?|recordings?|one)(?:'s|'re| is| are| was| were| does| do| did) not(?! (?:yes|"
        r"no)\b)|(?:it|this|that|they|these|those|he|she|there|speakers?|voices?|singer|clips?|"
        "recordings?) (?:isn't|aren't|wasn't|weren't|doesn't|don't|didn't)|(?:definitely|certainly|clearly|"
        r"absolutely|probably|obviously|surely|most likely|apparently|likely) not|(?<![^.!?\n])\s*not (?:the|an?|"
        "in|as|even)|is absent|are absent|absence of|nothing of the (?:kind|sort)|not (?:audible|present|heard|"
        "in tune|the same)"
    ),
    content_free=(
        "so|therefore|thus|hence|overall|during|throughout|moment|time|"
        "an?|the|this|that|these|those|there|here|it|its|he|she|they|we|you|i|him|her|them|his|their|me|us|my|"
        "your|s|ve|ll|re|d|m|is|are|was|were|be|been|being|am|do|does|did|has|have|had|having|can|of|in|on|at|to|"
        "for|by|from|with|as|and|any|some|someone|somebody|anyone|anybody|something|anything|one|hear|hears|"
        "heard|hearing|audible|audibly|detect|detected|perceive|perceived|notice|noticed|present|exists?|"
        "contains?|contained|include[sd]?|features?|featured|sounds?|sounding|seems?|appears?|audio|recordings?|"
        "clips?|files?|tracks?|sample|please|question|answer|speech clip|clearly|definitely|certainly|indeed|"
        "actually|really|obviously|evidently|undoubtedly|all|point|ever|at|whatsoever|single|so|too|also|who|"
        r"which|\w+n't"
    ),
    adverbials=(
        "background|foreground|very|playing|distance|distant|twice|once|times?|several|two|three|repeatedly|briefly|"
        "throughout|end|ending|start|beginning|middle|then|later|finally|again|toward|towards?|near|around|after|"
        r"about|seconds?|minutes?|several|few|many|multiple|loud|faint|just|both|\w+ly"
    ),
    persons=(
        "speakers?|persons?|people|man|woman|men|women|girl|boy|guy|lady|singer|caller|narrator|speaker's|voice|child"
    ),
    definites="the|his|her|their|its|this|that|my|your",
    displacements=(
        r"or|if|whether|would|could|should|might|may|will|shall|must|ought|imitat\w+|mimic\w*|pretend\w*|fak\w+|"
        r"mention\w*|describ\w+|talk\w*|discuss\w*|says?|said|saying|tells?|told|ask\w*|wonder\w*|claim\w*|"
        r"think\w*|thought|believe\w*|assum\w+|imagin\w+|expect\w*|want\w*|tr(?:y|ies|ied|ying)|refus\w+|stop\w*|"
        r"ceas\w+|quit\w*|avoid\w*|plan\w*|promis\w+|threaten\w*|about to|going to|almost|nearly|hardly|barely|"
        r"like|than|as if|as though|other|another|different|else|elsewhere|instead|only|toy|supposed\w*|"
        r"alleged\w*|possibl[ey]|apparent\w*|never|rather|remind\w*|resembl\w+|used to|too|usually|typically|"
        r"normally|often|should|need\w*|far from|listen\w* for|look\w* for|search\w*|called|titled|named|neither|"
        r"either|both|every|few|little|anti\w*|unless|until|before|without|\w*less|un(?:able|likely|aware)|"
        "at first|initially"
    ),
    inflections="ings?|ed|e?s|e",
    number_words={
        **dict(
            zip(
                ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
                range(11),
                strict=True,
            )
        ),
        **dict(
            zip(
                ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
                range(20, 100, 10),
                strict=True,
            )
        ),
        "eleven": 11,
        "twelve": 12,
        "fifteen": 15,
        "hundred": 100,
        "one hundred": 100,
        "a hundred": 100,
    },
    halves=r"and a half|and one half|and half",
    decimal_words="point",
    minus="minus|negative",
    rating_cues=(
        r"all told|hand(?:ing|ed)?(?: it| this| out)*|peg(?:ged)? (?:it|this) at|chalk(?:ing)? (?:it )?up|my score|"
        r"i'm (?:giving|handing|going|awarding)|considered|"
        r"lands? (?:at|on)|sits? at|comes? (?:in|out) (?:at|to)|clocks in at|works out (?:at|to)|i'm at|goes? to|"
        r"makes? it|that's an?|call (?:this|that)|warrants?|down for|award(?:ing)?|marks?|hovers? (?:at|around)|"
        r"bump(?:ed)?(?: it)? (?:up|down) to|leaves? (?:it|us) (?:at|with)|"
        "score|scored|scores|rating|rate|rated|answer|grade|value|result|number|total|mark|give|gave|giving|"
        r"deserves?|merits?|gets?|assign|say|call it|put (?:it|this|the \w+) at|verdict|overall|final|choose|pick|"
        "earns?|award|go with|solid|strong|settle on|estimate|it's an?|it is an?"
    ),
    full_marks=(
        r"(?:full|top) marks|(?:a )?perfect (?:score|rating)|"
        r"(?:the )?(?:highest|maximum|top) (?:possible )?(?:score|rating|mark)(?! (?:is|would))"
    ),
    rating_units="stars?|points?|pts?|marks?",
    other_units=(
        "s|sec|secs|seconds?|ms|min|minutes?|h|hours?|hz|khz|db|bpm|speakers?|people|persons?|voices?|words?|"
        "times|kbps|bits?|channels?|clips?|syllables?|pauses?|errors?|clicks?|issues?|artifacts?|notes?|"
        "instruments?|singers?|sentences?|sounds?|listeners?|samples?|recordings?|files?|(?:of|out of) (?:them|"
        "the)|th|st|nd|rd|years?|months?|days?"
    ),
    bounds=(
        r"beats?|beating|tops|outdoes|shy of|just shy of|short of|north of|south of|upwards? of|approaching|"
        r"bordering on|better of|(?:higher|lower|better|worse|more|less|above|below) (?:than )?(?:the|my|that)|"
        "at best|at worst|at least|at most|no less than|no more than|more than|less than|fewer than|over|under|"
        "above|below|(?<!add )(?<!adds )(?<!adding )up to|minimum|maximum|min|max|a minimum of|a maximum of|almost|"
        "nearly|just under|just over|"
        "not more than|higher than|lower than|better than|worse than|greater than|close to|between|anywhere from|"
        "somewhere around|north of|south of|shy of|exceeds?"
    ),
    bounds_after=(
        r",? ?(?:(?:or|but|maybe|perhaps|possibly|probably|even) )*(?:just |slightly |somewhat |a (?:bit|little|touch|"
        r"hair|shade) )"
        r"(?:less|more|higher|lower|better|worse|above|below|under|over)(?=[.,;!)]|$)|,? ?(?:maybe|perhaps|possibly|"
        r"if not) (?:less|more|higher|lower|better|worse|above|below)(?=[.,;!)]|$)|"
        r"(?:points? )?(?:higher|lower|better|worse|above|below|more|less) than|and up|or thereabouts either way|"
        r"tops|max|i gave|from (?:last|the previous)|"
        "at best|at worst|or more|or less(?! )|or higher|or lower|or above|or below|or better|or worse|and above|"
        "at least|at most|minimum|at minimum|plus"
    ),
)
