"""Prompt templates, few-shot examples and chat formats."""

from auricle.prompts.template import Message as Message
from auricle.prompts.template import Prompt as Prompt
