/** Parses the command line. Errors are one line with a suggestion. */
import { parseArgs } from 'node:util'
import { closest, distance } from 'fastest-levenshtein'
import { AppError } from '../base/errors.ts'
import { SETTINGS } from '../config.ts'
import { COMMANDS, type CommandName, commandOf, isCommand, OPTIONS, type OptionName } from './commands.ts'
import { PROGRAM, START } from './program-name.ts'

export type CommandLine =
  | { action: 'version' }
  | { action: 'help'; command: CommandName | undefined }
  | { action: 'run'; command: CommandName; rest: string[]; options: Options }

export type Options = {
  isWithoutWorker: boolean
  name: string | undefined
  application: string | undefined
  role: string | undefined
  expiresInDays: string | undefined
  workspace: string | undefined
  to: string | undefined
  restarts: boolean
  isForced: boolean
}

/** The maximum edit distance of a suggestion. */
const MISTAKES_MAX = 2

export function parseCommandLine(words: readonly string[]): CommandLine {
  // Not strict: strict parsing has Node's error messages and does not support options per command.
  const { values, positionals, tokens } = parseArgs({
    args: [...words],
    allowPositionals: true,
    strict: false,
    tokens: true,
    options: OPTIONS,
  })
  const [name, ...rest] = positionals
  if (values.version === true) return { action: 'version' }
  if (name === 'help') return { action: 'help', command: rest[0] === undefined ? undefined : commandNamed(rest[0]) }
  const given = tokens.filter((token) => token.kind === 'option')
  // Checked first, because the value of an unknown option is parsed as a command: `--port 8080`.
  for (const option of given) if (!Object.hasOwn(OPTIONS, option.name)) throw unknownOption(name, option)
  const command = commandNamed(name ?? 'serve')
  if (values.help === true) return { action: 'help', command: name === undefined ? undefined : command }
  for (const option of given) checkOption(command, option)
  checkArguments(command, rest)
  const options = {
    isWithoutWorker: values['no-worker'] === true,
    name: textOf(values.name),
    application: textOf(values.application),
    role: textOf(values.role),
    expiresInDays: textOf(values['expires-in-days']),
    workspace: textOf(values.workspace),
    to: textOf(values.to),
    restarts: values.restart === true,
    isForced: values.force === true,
  }
  return { action: 'run', command, rest, options }
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function commandNamed(name: string): CommandName {
  if (isCommand(name)) return name
  const missing = `There is no command ${name}.`
  // npm consumes `--port` of `npm start --port 8080` and passes on the rest.
  if (/^\d+$/.test(name)) throw usageError(`${missing} The port is a setting: PORT=${name} ${START}`)
  if (/^[A-Z_]+=/.test(name)) throw usageError(`${missing} Settings come first: ${name} ${START}`)
  throw usageError(`${missing}${suggestion(name, Object.keys(COMMANDS))} \`${PROGRAM} help\` lists the commands`)
}

type GivenOption = { name: string; rawName: string; value?: string | undefined }

function unknownOption(command: string | undefined, { name, rawName }: GivenOption): AppError {
  const missing = `There is no option ${rawName}.`
  const setting = settingLike(name)
  if (setting) return usageError(`${missing} It is a setting: ${setting}=… ${START}`)
  const nearest = command !== undefined && isCommand(command) ? command : 'serve'
  const known = commandOf(nearest).options.map((option) => `--${option}`)
  return usageError(`${missing}${suggestion(rawName, known)} ${listOptions(nearest)}`)
}

function checkOption(command: CommandName, option: GivenOption): void {
  const allowed: readonly OptionName[] = commandOf(command).options
  const known = allowed.find((name) => name === option.name)
  if (known === undefined) throw unknownOption(command, option)
  const needsValue = OPTIONS[known].type === 'string'
  if (needsValue && option.value === undefined) {
    throw usageError(`The option ${option.rawName} needs a value. ${listOptions(command)}`)
  }
  if (!needsValue && option.value !== undefined) {
    throw usageError(`The option ${option.rawName} does not accept a value. ${listOptions(command)}`)
  }
}

function listOptions(command: CommandName): string {
  return `\`${PROGRAM} help ${command}\` lists the options`
}

function settingLike(option: string): string | undefined {
  const name = option.toUpperCase().replaceAll('-', '_')
  return SETTINGS.find((setting) => setting === name || setting === `TOUCHSTONE_${name}`)
}

function checkArguments(command: CommandName, rest: readonly string[]): void {
  const { argumentsMin, argumentsMax, usages } = commandOf(command)
  const usage = `Usage: ${PROGRAM} ${usages[0]?.line}`
  if (rest.length < argumentsMin) throw usageError(`The command ${command} needs more arguments. ${usage}`)
  const extra = rest[argumentsMax]
  if (extra !== undefined) {
    throw usageError(`The command ${command} does not accept the argument ${JSON.stringify(extra)}. ${usage}`)
  }
}

function suggestion(word: string, known: readonly string[]): string {
  if (known.length === 0) return ''
  const nearest = closest(word, known)
  return distance(word, nearest) <= MISTAKES_MAX ? ` Did you mean ${nearest}?` : ''
}

function usageError(message: string): AppError {
  return new AppError(500, message)
}
