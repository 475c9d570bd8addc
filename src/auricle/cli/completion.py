"""`auricle completion`: print a script that lets a shell complete commands, options and names.

The scripts of all shells send the command line up to the cursor in a variable and read one candidate per line, with a
tab and a description. Instead of candidates, the line `:files` or `:folders` lets the shell list these itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress

import click
from click.shell_completion import CompletionItem, ShellComplete, split_arg_string

from auricle.cli import COMPLETE_VARIABLE, cli
from auricle.cli.output import echo

PROGRAM = "auricle"
LINE_VARIABLE = "COMP_LINE"
NATIVE_LISTS = {"file": ":files", "dir": ":folders"}
"""What a shell lists itself, by the type of an item."""
BASH_SPECIAL = re.compile(r"([^\w@%+=:,./~-])")
BASH_WORD_BREAKS = re.compile(r".*[:=]")
"""Bash completes only what follows the last of these characters."""

BASH_SCRIPT = r"""
_auricle_complete() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :files) compopt -o default 2>/dev/null ;;
            :folders) compopt -o dirnames 2>/dev/null ;;
            *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <(COMP_LINE="${COMP_LINE:0:COMP_POINT}" _AURICLE_COMPLETE=bash auricle 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/:=] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o nosort -F _auricle_complete auricle 2>/dev/null || complete -F _auricle_complete auricle
"""
ZSH_SCRIPT = r"""
#compdef auricle
_auricle_complete() {
    local line value
    local -a complete_words open_words
    while IFS= read -r line; do
        case $line in
            :files) _files; return ;;
            :folders) _files -/; return ;;
        esac
        value=${line%%$'\t'*}
        if [[ $value == *[/:=] ]]; then
            open_words+=("${value//:/\\:}")
        else
            complete_words+=("${value//:/\\:}${${line#$value}/$'\t'/:}")
        fi
    done < <(COMP_LINE="${(j: :)words[1,CURRENT]}" _AURICLE_COMPLETE=zsh auricle 2>/dev/null)
    _describe -V auricle complete_words -- open_words -S ''
}
if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
    _auricle_complete "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
    compdef _auricle_complete auricle
fi
"""
FISH_SCRIPT = r"""
function _auricle_complete
    for line in (COMP_LINE=(commandline -cp) _AURICLE_COMPLETE=fish auricle 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete --command auricle --no-files --arguments '(_auricle_complete)'
"""
SCRIPTS = {"bash": BASH_SCRIPT, "zsh": ZSH_SCRIPT, "fish": FISH_SCRIPT}


@click.command()
@click.argument("shell", type=click.Choice(list(SCRIPTS)))
def completion(shell: str) -> None:
    """Print the script with which a shell completes commands, options and names.

    Add a line to the file that your shell reads when it starts:

    ~/.bashrc: eval "$(auricle completion bash)"

    ~/.zshrc: eval "$(auricle completion zsh)"

    ~/.config/fish/config.fish: auricle completion fish | source
    """
    echo(SCRIPTS[shell].strip())


def print_candidates(environment: Mapping[str, str] = os.environ) -> None:
    """Print what the last word of a command line may become, for the scripts above.

    Nothing that goes wrong is printed: the message would appear in the middle of what is being typed.

    Args:
        environment: Variables with the shell and with the command line up to the cursor.
    """
    with suppress(Exception, SystemExit):
        finder = CandidateFinder(environment[COMPLETE_VARIABLE], environment.get(LINE_VARIABLE, ""))
        if candidates := finder.complete():
            click.echo(candidates)


class CandidateFinder(ShellComplete):
    """Find the candidates for the last word of a command line.

    Args:
        shell: One of `SCRIPTS`.
        line: The command line up to the cursor.
    """

    def __init__(self, shell: str, line: str) -> None:
        super().__init__(cli, {}, PROGRAM, COMPLETE_VARIABLE)
        self._shell = shell
        words = split_arg_string(line)
        is_between_words = not words or (line[-1].isspace() and not line.endswith("\\ "))
        self._incomplete = "" if is_between_words else words.pop()
        self._arguments = words[1:]

    def get_completion_args(self) -> tuple[list[str], str]:
        return self._arguments, self._incomplete

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """Return the candidates; after a command, files where nothing else is known."""
        items = super().get_completions([*args], incomplete)
        is_option = incomplete.startswith("-") and "=" not in incomplete
        if not items and args and not is_option:
            return [CompletionItem(incomplete, type="file")]
        return [item for item in items if item.value != incomplete or not incomplete.endswith((":", "="))]

    def format_completion(self, item: CompletionItem[str]) -> str:
        if item.type in NATIVE_LISTS:
            return NATIVE_LISTS[item.type]
        value = self._join_option(item.value)
        if self._shell == "bash":
            if prefix := BASH_WORD_BREAKS.match(self._incomplete):
                value = value.removeprefix(prefix.group())
            value = BASH_SPECIAL.sub(r"\\\1", value)
        return f"{value}\t{' '.join(item.help.split())}" if item.help else value

    def _join_option(self, value: str) -> str:
        """Return a value as it was begun: `--model=echo` if the option and its value are one word."""
        option, equals, _ = self._incomplete.partition("=")
        return f"{option}={value}" if equals and option.startswith("-") else value
