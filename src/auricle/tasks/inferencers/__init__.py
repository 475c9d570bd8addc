"""How a sample becomes requests. An inferencer asks; it never scores and never batches.

Each inferencer is a frozen dataclass, so that its `repr` is its signature.
"""

from auricle.prompts.fields import render as render
from auricle.tasks.inferencers.base import Either as Either
from auricle.tasks.inferencers.base import Inferencer as Inferencer
from auricle.tasks.inferencers.base import preview as preview
from auricle.tasks.inferencers.base import suited as suited
from auricle.tasks.inferencers.context import telling as telling
from auricle.tasks.inferencers.converse import Converse as Converse
from auricle.tasks.inferencers.converse import Rounds as Rounds
from auricle.tasks.inferencers.likelihood import Choose as Choose
from auricle.tasks.inferencers.likelihood import Continue as Continue
from auricle.tasks.inferencers.likelihood import FirstToken as FirstToken
from auricle.tasks.inferencers.measure import Compare as Compare
from auricle.tasks.inferencers.measure import Measure as Measure
from auricle.tasks.inferencers.respond import Respond as Respond
from auricle.tasks.inferencers.reward import Appraise as Appraise
from auricle.tasks.inferencers.reward import InWords as InWords
from auricle.tasks.inferencers.reward import Prefer as Prefer
from auricle.tasks.inferencers.reward import Rate as Rate
