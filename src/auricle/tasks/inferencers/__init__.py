"""Inferencers turn a sample into requests. They neither score nor batch.

Each inferencer is a frozen dataclass whose `repr` identifies it in the run directory.
"""

from auricle.prompts.placeholders import render as render
from auricle.tasks.inferencers.base import FirstSupported as FirstSupported
from auricle.tasks.inferencers.base import Inferencer as Inferencer
from auricle.tasks.inferencers.base import preview_requests as preview_requests
from auricle.tasks.inferencers.base import select_inferencer as select_inferencer
from auricle.tasks.inferencers.context import with_context as with_context
from auricle.tasks.inferencers.converse import Converse as Converse
from auricle.tasks.inferencers.converse import Rounds as Rounds
from auricle.tasks.inferencers.likelihood import Choose as Choose
from auricle.tasks.inferencers.likelihood import Continue as Continue
from auricle.tasks.inferencers.likelihood import FirstToken as FirstToken
from auricle.tasks.inferencers.measure import Compare as Compare
from auricle.tasks.inferencers.measure import Measure as Measure
from auricle.tasks.inferencers.respond import Respond as Respond
from auricle.tasks.inferencers.reward import Appraise as Appraise
from auricle.tasks.inferencers.reward import Prefer as Prefer
from auricle.tasks.inferencers.reward import Rate as Rate
from auricle.tasks.inferencers.reward import RateOrPrefer as RateOrPrefer
