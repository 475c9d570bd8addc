"""Prompt templates, few-shot examples and chat formats."""

from auricle.data.prompts.template import Message as Message
from auricle.data.prompts.template import Prompt as Prompt
