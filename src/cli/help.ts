import { VERSION } from '../base/version.ts'
import { COMMANDS, type CommandName, commandOf, OPTIONS, type OptionName } from './commands.ts'
import { PROGRAM, START } from './program-name.ts'

/** The help of one command, or of all. */
export function helpText(command: CommandName | undefined): string {
  return command === undefined ? helpOnAll() : helpOn(command)
}

function helpOnAll(): string {
  const usages = Object.values(COMMANDS).flatMap(({ usages: lines }) => [...lines])
  return `Touchstone ${VERSION}

${columns(usages.map(({ line, summary }) => [`${PROGRAM} ${line}`, summary]))}

\`${PROGRAM} help COMMAND\` describes one command, \`${PROGRAM} --version\` prints the version.
Settings are environment variables, such as PORT=8080 ${START}; docs/guide/settings.md lists them.
`
}

function helpOn(name: CommandName): string {
  const { usages, options } = commandOf(name)
  const shown: readonly OptionName[] = [...options, 'help']
  return `${columns(usages.map(({ line, summary }) => [`${PROGRAM} ${line}`, summary]))}

Options:
${columns(shown.map((option) => [OPTIONS[option].usage, OPTIONS[option].summary]))}
`
}

function columns(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
