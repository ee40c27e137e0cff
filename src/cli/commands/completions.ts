import type { Command } from 'commander'

import { CliError } from '../cli-error.ts'

/** A script for the shell that completes commands and flags, made from the commands themselves. */
export function completions(program: Command, shell: string): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    about: command.description(),
    flags: command.options.flatMap(({ long }) => long ?? []),
  }))
  switch (shell) {
    case 'bash':
      return bash(commands)
    case 'zsh':
      return zsh(commands)
    case 'fish':
      return fish(commands)
    default:
      throw new CliError('usage', `There are no completions for "${shell}".`, {
        hint: 'Choose bash, zsh or fish.',
      })
  }
}

interface Described {
  name: string
  about: string
  flags: string[]
}

function bash(commands: readonly Described[]): string {
  return `_shelf() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  case "\${COMP_WORDS[1]}" in
${commands.map(({ name, flags }) => `    ${name}) words="${flags.join(' ')}" ;;`).join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${commands.map(({ name }) => name).join(' ')}"; fi
  if [ "$COMP_CWORD" -eq 1 ] || [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _shelf shelf`
}

function zsh(commands: readonly Described[]): string {
  return `#compdef shelf
_shelf() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, about }) => `      ${quote(`${name}:${about.replaceAll(':', ' -')}`)}`).join('\n')}
    )
    _describe command commands
    return
  fi
  local -a flags
  case "$words[2]" in
${commands.map(({ name, flags }) => `    ${name}) flags=(${flags.join(' ')}) ;;`).join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then compadd -- $flags; else _files; fi
}
compdef _shelf shelf`
}

function fish(commands: readonly Described[]): string {
  return commands
    .flatMap(({ name, about, flags }) => [
      `complete -c shelf -n __fish_use_subcommand -f -a ${name} -d ${quote(about)}`,
      ...flags.map(
        (flag) => `complete -c shelf -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`,
      ),
    ])
    .join('\n')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
