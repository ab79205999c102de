import type { CliContext, CommonFlags } from '../cli-context.ts'

/** The shells ask the program itself, so that a script never has to be generated again. */
const SCRIPTS = {
  bash: `_touchstone() {
  local IFS=$'\\n'
  COMPREPLY=($(touchstone __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _touchstone touchstone
`,
  zsh: `#compdef touchstone
_touchstone() {
  local -a proposals
  proposals=("\${(@f)$(touchstone __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$proposals" ]]; then compadd -a proposals; else _files; fi
}
compdef _touchstone touchstone
`,
  fish: `function __touchstone_complete
  set -l words (commandline -opc) (commandline -ct)
  touchstone __complete $words[2..-1] 2>/dev/null
end
complete -c touchstone -a '(__touchstone_complete)'
`,
}

export type Shell = keyof typeof SCRIPTS

export async function printCompletion(this: CliContext, _flags: CommonFlags, shell: Shell): Promise<void> {
  this.terminal.data(SCRIPTS[shell])
}
