"""What a task says to a model: templates, examples, and a model's own chat format."""

from auricle.prompts.template import Message as Message
from auricle.prompts.template import Prompt as Prompt
