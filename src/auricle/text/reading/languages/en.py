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
        "no trace of|no sign of|"
        rf"(?:{_NOT})(?!\s+only)|rather than|instead of|unlike|as opposed to|other than|except(?: for)?|without|no|"
        r"lacks?|rul(?:e|es|ed|ing) out|exclud\w+|eliminat\w+|discard\w*|reject\w*|versus|vs\.?|free of|"
        "compared (?:to|with)|different from|differs from|absence of|hardly|barely|scarcely|anything but|"
        r"far from|by no means|no longer|less|than|nothing like|too \w+ (?:to be|for)|closer to|nearer to|"
        "similar to|reminiscent of|reminds me of|resembles?|comparable to|unlikely to be|(?:mis)?taken for|"
        "confused with|mistake for"
    ),
    distant_negations=(
        "nobody|no one|"
        r"not(?! (?:only|just|sure))|never|\w+n't(?! (?:only|just))|cannot|doubt|opposite|lacks?|lacking|hard to|"
        "difficult to|unlikely|impossible|hardly|neither|nor|not convinced|tries to|trying to|pretends?|"
        "fails? to|far from"
    ),
    denied_clauses=(
        "let me consider|"
        "mistaken? (?:it |this )?for|mistake (?:it|this|that) for|"
        r"(?:some|someone|people|many|others|one) (?:\w+ )?(?:might|would|may|could) (?:\w+ )?(?:say|call|"
        "think|take|mistake|hear|describe)|"
        rf"(?:{_NOT})\s+(?:think|believe|say|feel|suggest|suppose|find)|whether|"
        r"(?:tell|determine|know|sure|identify|unclear|say|decide)\s+(?:if|between)|between|torn|"
        r"(?:listed|offered|given|possible|available) (?:options|choices|labels|answers)"
    ),
    denials=(
        ",? or so (?:one|you|i)|"
        "(?:is|are) out of the question|has nothing to do|can (?:safely )?be (?:ruled out|excluded|"
        "dismissed)|"
        r"(?:is|are|was|were|does|do|did|can|could|would|should|will|must)\s+(?:\w+ly\s+)*not(?!\s+only)|(?:is|"
        rf"are|was|were|does|do|did|ca|could|would|should|wo)n't|cannot|(?:{_BE})\s+(?:(?:\w+ly|very|quite|all|too|"
        r"also|both|most)\s+)*(?:incorrect|wrong|false|inconsistent|unlikely|implausible|impossible|ruled out|"
        "eliminated|excluded|invalid|improbable|absent|out|less likely|irrelevant|not)|(?:can|could|may|should|"
        r"must)\s+(?:\w+\s+)?be\s+(?:ruled out|excluded|eliminated|discarded|dismissed|rejected)|incorrect|wrong|"
        r"false|ruled out|eliminated|excluded|would (?:sound|have)|would be (?:\w+er|more|less|too|"
        r"different)(?!\w)|than|came close|comes close|(?:happens|occurs|comes) (?:before|later|earlier|after)"
    ),
    first_thoughts=(
        "thought|guessed|suspected|consider(?:ed|ing)?|assumed|expected|mistook|confused|was tempted|(?:might|"
        r"may|could)(?: \w+)? (?:expect|think|say|assume|guess|suspect|suggest|mistake)|let's (?:look|start|"
        "begin)|let me (?:look|start|begin|think)|at first|initially|first impression|at first glance|one might"
    ),
    first_thoughts_after="at first|initially|was my first|i thought|seemed likely",
    doubts=r"(?:might|may|could)|maybe|perhaps|possibly",
    doubts_after=r"if|unless|or something|is possible|is also possible|might be|may be|could be",
    answer_nouns="answer|ans|prediction|conclusion|verdict|final",
    result_nouns=(
        "choice|option|selection|pick|guess|label|category|class|classification|emotion|output|result|response|mood|"
        "genre|tone|instrument|scene"
    ),
    copulas=r"is|are|was|were|be|as|being|would be|should be|must be|remains",
    decisions=(
        r"i(?:'d| would|'ll| will| should| must|'m| am)?\s+(?:\w+\s+)?(?:say|choose|pick|select|go with|"
        "going with|go for|going for|think|believe|guess|vote for|opt for|conclude|answer|lean towards?|"
        "leaning towards?|chose|picked|selected|settle on|stick with|label|classify|bet on|put it down as|"
        r"call)(?:\s*(?:that|it|this|as))*(?:\s*(?:is|'s|as|would be|must be|should be)(?![a-z]))?|choose|"
        "choosing|pick|picking|select|selecting|go with|settle on|must be|has to be|(?:so|thus|therefore|hence|"
        "finally|actually|correction|wait|no|in fact|namely|on second thought|leaves?(?: us with)?|"
        "leaving(?: us with)?|sorry|rather|i mean|make that|scratch that|i meant|in the end|ultimately|"
        r"overall)(?:[\s,:]|(?:i mean|i meant|it|that|this|must|should|has|to|make|only|is|'s|be|was)(?![a-z]))*|"
        r"not[^.!?\n]*(?<![a-z])but\s*(?:(?:rather|instead|it|is)(?![a-z])\s*)*|dominated by|best described as|"
        r"classif\w+(?: it| this)? as|categori[sz]\w+(?: it| this)? as|label(?:led|ed)?(?: it| this)? as|"
        r"belongs? to|identified as|points?(?: \w+ly)? to|gives it away|corresponds? to|matches"
    ),
    confirmations=(
        rf"because|since|given that|due to|as it|as the|(?:fits?|matches|makes|{_BE})(?:\s+to be)?\s+(?:(?:the|"
        r"only|one|my|\w+ly|most|more|very|quite|so)\s+)*(?:correct|right|best|better|well|answer|true|accurate|"
        "likely|plausible|appropriate|suitable|sense|choice|pick)|it is|is my (?:answer|choice|pick|final)|"
        "for sure|it must be|wins|stands out|dominates"
    ),
    predicates=(
        "is|are|was|were|be|being|as|sounds?|seems?|appears?|feels?|expresses|conveys|called|hear|heard|makes it|"
        r"\w+'s|\w+'re|suggests?|indicates?|makes? (?:it|this)"
    ),
    ordinals=(
        "first|1st",
        "second|2nd",
        "third|3rd",
        "fourth|4th",
        "fifth|5th",
        "sixth|6th",
        "seventh|7th",
        "eighth|8th",
    ),
    last_ordinal="last|final",
    questions="",
    conditions=(
        "otherwise,|"
        "otherwise,? (?:it|i|the|this)|"
        r"if|unless|(?<![\w,;] )(?:had|were) (?:it|there|i|he|she|they|the|this|that|someone|a)|provided that|assuming|"
        "suppose|without(?= .*would)|only when"
    ),
    harmless_conditions=(
        "(?:even |only )?if (?:i|we|you) (?:really )?(?:have to|had to|must|were to|was to|were forced|"
        r"was forced|am forced|are forced|needed to|need to|should) (?:\w+ )?(?:to )?(?:guess|choose|pick|say|"
        r"decide|answer|select|commit|name|settle|bet)(?: (?:one|an answer|just one|only one|between\b[^,.]*))?|"
        "if (?:you|i|we|one) (?:were to )?listens? (?:closely|carefully|attentively|again|to)|if i(?:'m|"
        " am) not mistaken|if you ask me|if anything|as if|if i heard (?:it )?(?:right|correctly)|"
        "if forced to (?:choose|guess|pick)|if pressed|if in doubt|if not"
    ),
    causes="because|since|as|given that",
    concessions="although|even though|though|even if|despite|in spite of|while|whereas|granted",
    comparisons=(
        "(?:closer|nearer|louder|quieter|softer|higher|lower|deeper|brighter|darker|faster|slower|bigger|smaller|"
        "longer|shorter|happier|sadder|angrier|calmer|clearer|warmer|harsher|stronger|weaker|more|less|better|"
        r"worse)\s(?:(?!rather|likely)[^.,;!?\n]){0,60}?than[^.,;!?\n]*"
    ),
    courtesies=(
        "(?:not|without) the slightest doubt|there can be no doubt|(?:sure|certainly|of course|"
        r"absolutely)[!,.](?= (?:i|i've|i'll|let|here|happy)(?: listened| checked| analy\w+| can help|'ll|"
        " will| me|'s| is| to))|"
        r"(?:i'm|i am|i'd be|i would be|i'll be|we're|we are|always|more than|would be)\s+(?:\w+\s+)?"
        r"(?:happy|glad|pleased|delighted|sad|sorry|afraid|excited|surprised|angry)\s+(?:to|that|but|for|with|about)|"
        r"i'm (?:afraid|sorry|happy|glad)|happy to (?:help|assist|check|listen|answer)|glad to (?:help|assist)|"
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
    refusals=(
        "(?:isn't|is not|not) something i(?:'m| am)? (?:able|willing|comfortable|do|can(?: do)?)(?=[.,;]|$| to|"
        " with)|i (?:won't|will not|can't|"
        "cannot|don't|do not|shouldn't) (?:guess|infer|speculate|diagnose|score|rate|"
        r"judge)(?: \w+){0,3}? (?:an?|any|the|this|another)? ?(?:person|someone|somebody|people|"
        r"individual)\w*|(?:can't|cannot|won't|unable to|not)[^.!?\n]{0,30} medical (?:diagnosis|advice)|"
        r"please consult an? (?:\w+ ){0,2}?(?:professional|doctor|"
        "physician)|(?:don't|do not|wouldn't) feel comfortable|(?:have to|must|i'll|i will) pass on|"
        "i won't be (?:picking|choosing|answering|rating|guessing|scoring)|(?:error|failure|"
        "problem) (?:while |when )?(?:decoding|loading|opening)|decoding (?:error|failed)|"
        r"link (?:\w+ ){0,3}?(?:expired|broken|invalid)|(?:file|audio|recording) (?:\w+ ){0,2}?(?:0|"
        "zero) (?:bytes|seconds long)|invalid (?:audio|file)|file not found|"
        rf"(?:doesn't|does not|don't|do not) (?:seem|appear) to be (?:an?|any) {_AUDIO}|(?:need|"
        rf"require) {_DETERMINERS}{_AUDIO}|(?:wasn't|weren't|haven't been|hasn't been|not) (?:given|sent|"
        rf"provided(?: with)?|supplied(?: with)?) {_DETERMINERS}{_AUDIO}|(?:wasn't|isn't|aren't|not|never|"
        rf"n't been) (?:attached|uploaded|received|supported)|limited to text|(?:but|and) not the {_AUDIO}|"
        rf"without (?:hearing|listening|access to)|without the {_AUDIO}|{_AUDIO} (?:would|will|could) (?:not|"
        "n't) (?:open|play|load)|(?:won't|wouldn't|couldn't) (?:open|load|play)(?= on| for| in|[.,;!]|$)|"
        rf"upload (?:\w+ ){{0,3}}?failed|have (?:no )?ears|something i (?:don't|can't|won't|do not|cannot) do|"
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
        rf"download|retriev|supported)\w*|{_AUDIO} (?:\w+ )?(?:is|was|are|appears?(?: to be)?|seems?(?: to be)?|"
        r"came(?: through)?|looks?)(?: (?:\w+ly|either|just|all))? (?:empty|missing|corrupt\w*|blank|unavailable|"
        "inaccessible|broken|damaged|unreadable|unsupported)|i(?:'m| am) (?:just |only |merely )?an? (?:text|"
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
        "nothing to (?:classify|analy[sz]e|listen to|rate|evaluate|hear|work with)|audio (?:missing|unavailable|"
        "not found)"
    ),
    yes=r"yes|yeah|yep|yup",
    agreements=(
        "yes|yeah|yep|yup|true|correct|affirmative|absolutely|definitely|certainly|indeed|of course|exactly|sure|"
        "right|i think so|i believe so|i'd say so|i would say so|undoubtedly|without question|positive|"
        "most certainly|very much so|that's right|it certainly is|it sure is|by all means|you bet|"
        "most definitely"
    ),
    no=r"no|nope|nah",
    disagreements=(
        "far from it|anything but|"
        "no|nope|nah|false|incorrect|wrong|negative|absolutely not|definitely not|certainly not|of course not|"
        "not at all|not really|not quite|i don't think so|i do not think so|i don't believe so|i wouldn't say so|"
        "i doubt it|i'd say not|probably not|apparently not|i'm afraid not|i think not|by no means|hardly|"
        r"not in the least|not exactly|surely not|clearly not|no way|quite the opposite|not as far as i can \w+|"
        "never"
    ),
    both=(
        "(?:impossible|hard|difficult) not to|(?:can't|cannot|impossible to|hard to|couldn't) miss|"
        r"no denying|not a (?:single )?\w+ (?:goes by|passes) without|can't help|(?:can't|cannot|couldn't|"
        r"hard to|difficult to) (?:say|claim|tell)[^.!?\n]*|no sooner|no fewer than|"
        r"neither yes nor no|no more than|no less than|yes\s*(?:/|,|or|and|but also|&)\s*no|no\s*(?:/|or|"
        r"and)\s*yes|true\s*(?:/|or)\s*false|whether[^.,;!?\n]*|right (?:from|at|after|before|now|away|here|there|"
        "channel|ear|side|hand|beside|behind)|(?:for|be|not|so|pretty|quite) (?:sure|certain|positive|right)|"
        r"sure (?:about|that|if|of|how)|not (?:absolutely|entirely|completely|\w+ly) (?:sure|certain|clear)|"
        "either way"
    ),
    implied_yes=(
        r"(?:(?:yes|well|oh|clearly|definitely|indeed)\W+)?(?:it|they|he|she|there|that|this|these|those|i|"
        r"you)(?: \w+ly)? (?:is|are|does|do|did|was|were|can|has|have)(?: indeed)?|(?:that|it|this|the statement|"
        "the claim)(?:'s| is|'s indeed| is indeed) (?:correct|true|right|accurate|the case)"
    ),
    implied_no=(
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
        "score|scored|scores|rating|rate|rated|answer|grade|value|result|number|total|mark|give|gave|giving|"
        r"deserves?|merits?|gets?|assign|say|call it|put (?:it|this|the \w+) at|verdict|overall|final|choose|pick|"
        "earns?|award|go with|solid|strong|settle on|estimate|it's an?|it is an?"
    ),
    rating_units="stars?|points?|pts?|marks?",
    other_units=(
        "s|sec|secs|seconds?|ms|min|minutes?|h|hours?|hz|khz|db|bpm|speakers?|people|persons?|voices?|words?|"
        "times|kbps|bits?|channels?|clips?|syllables?|pauses?|errors?|clicks?|issues?|artifacts?|notes?|"
        "instruments?|singers?|sentences?|sounds?|listeners?|samples?|recordings?|files?|(?:of|out of) (?:them|"
        "the)|th|st|nd|rd|years?|months?|days?"
    ),
    bounds=(
        "at best|at worst|at least|at most|no less than|no more than|more than|less than|fewer than|over|under|"
        "above|below|up to|minimum|maximum|min|max|a minimum of|a maximum of|almost|nearly|just under|just over|"
        "not more than|higher than|lower than|better than|worse than|greater than|close to|between|anywhere from|"
        "somewhere around|exceeds?"
    ),
    bounds_after=(
        "at best|at worst|or more|or less(?! )|or higher|or lower|or above|or below|or better|or worse|and above|"
        "at least|at most|minimum|at minimum|plus"
    ),
)
