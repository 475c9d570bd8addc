"""How a sample becomes requests. An inferencer asks; it never scores and never batches.

Each inferencer is a frozen dataclass, so that its `repr` is its signature.
"""

from auricle.infer.base import Either as Either
from auricle.infer.base import Inferencer as Inferencer
from auricle.infer.base import preview as preview
from auricle.infer.base import suited as suited
from auricle.infer.converse import Converse as Converse
from auricle.infer.converse import Rounds as Rounds
from auricle.infer.likelihood import Choose as Choose
from auricle.infer.likelihood import Continue as Continue
from auricle.infer.likelihood import FirstToken as FirstToken
from auricle.infer.measure import Compare as Compare
from auricle.infer.measure import Measure as Measure
from auricle.infer.respond import Respond as Respond
from auricle.infer.reward import Appraise as Appraise
from auricle.infer.reward import InWords as InWords
from auricle.infer.reward import Prefer as Prefer
from auricle.infer.reward import Rate as Rate
from auricle.infer.told import telling as telling
from auricle.prompts.fields import render as render
