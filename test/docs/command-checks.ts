/** Checks of command lines in documents, with the parser of the server and the definitions of the client. */
import { readFileSync } from 'node:fs'
import { parseCommandLine } from '../../src/cli/parse-command-line.ts'
import { SETTINGS } from '../../src/config.ts'
import { problemsOfClient, type Use } from './client-command-checks.ts'
import { problemsOfRequest, type Request } from './request-checks.ts'

/** The programs and variables of other tools, which only their own documentation can describe. */
const OTHER_PROGRAMS = ['inspect', 'npx', 'pip', 'promptfoo']
const OTHER_VARIABLES = /^(HELICONE|LANGFUSE|LANGSMITH|MLFLOW|OTEL|PHOENIX)_/

/** What is wrong with a line of a shell block, or with a command in a text. */
export function problemsOfCommand(line: string, use: Use = 'run'): string[] {
  const words = splitWords(line)
  const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word))
  const isSetting = words[0] === 'export' || start < 0
  const settings = problemsOfSettings(isSetting ? words : words.slice(0, start))
  if (isSetting) return settings
  const [program = '', ...rest] = words.slice(start)
  return [...settings, ...problemsOfProgram(program, rest, use)]
}

function problemsOfProgram(program: string, words: string[], use: Use): string[] {
  if (program === 'touchstone') return problemsOfClient(words, use)
  if (program === 'touchstone-server') return problemsOfServer(words, use)
  if (program === 'npm') return problemsOfNpm(words, use)
  if (program === 'claude')
    return problemsOfRequest({ method: 'POST', url: pathOf(words.find((word) => /^https?:/.test(word)) ?? '') })
  if (program === 'curl' || program === 'call') return problemsOfRequest(requestOf(words))
  if (program === 'npx' && words[0]?.startsWith('touchstone')) return problemsOfProgram(words[0], words.slice(1), use)
  return OTHER_PROGRAMS.includes(program) ? [] : [`no test covers the command ${program}`]
}

/** Up to a pipe or a redirection. */
function splitWords(line: string): string[] {
  const words = [...line.matchAll(/(?:"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word)
  const end = words.findIndex((word) => /^([|>;]|&&|2>)/.test(word))
  return (end < 0 ? words : words.slice(0, end)).map(unquoted)
}

function unquoted(word: string): string {
  return word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
    double === undefined ? (single ?? '') : double.replace(/\\(.)/g, '$1'),
  )
}

function problemsOfSettings(words: string[]): string[] {
  const known: readonly string[] = [...SETTINGS, 'TOUCHSTONE', 'TOUCHSTONE_API_KEY']
  const names = words.filter((word) => word !== 'export').map((word) => word.split('=', 1)[0] ?? '')
  const unknown = names.filter((name) => !known.includes(name) && !OTHER_VARIABLES.test(name))
  return unknown.map((name) => `${name} is no setting`)
}

function problemsOfNpm([command, ...rest]: string[], use: Use): string[] {
  const text = [command, ...rest].join(' ')
  if (/^(ci|install --global touchstone-cli|install touchstone-sdk)$/.test(text)) return []
  if (command === 'run') return isScript(rest[0]) ? [] : [`there is no script ${rest[0]}`]
  if (command !== 'start') return [`no test covers npm ${text}`]
  const [separator, ...words] = rest
  if (separator !== undefined && separator !== '--') return [`npm start needs -- before ${separator}`]
  return problemsOfServer(words, use)
}

function problemsOfServer(words: string[], use: Use): string[] {
  try {
    // A placeholder for the name of a command.
    parseCommandLine(words.map((word) => (word === 'COMMAND' ? 'serve' : word)))
    return []
  } catch (error) {
    return use === 'mention' && /needs more arguments/.test(String(error)) ? [] : [String(error)]
  }
}

function isScript(name = ''): boolean {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return Object.hasOwn(manifest.scripts, name)
}

const VARIABLES: Record<string, string> = {
  API: '/api/v1',
  BASE: '/api/v1',
  TOUCHSTONE: '',
  TOUCHSTONE_URL: '',
  DATASET: '/api/v1/components/x/datasets/x',
}

/** The request that `curl` sends, or the function `call` of the README. */
function requestOf(words: string[]): Request {
  let method: string | undefined
  let body: string | undefined
  let url = ''
  for (let at = 0; at < words.length; at++) {
    const [word = '', next = ''] = words.slice(at, at + 2)
    if (word === '-X') method = next
    if (['-d', '--data', '--data-binary', '--json'].includes(word)) body = next
    if (/^(-X|-H|-o|-d|--data|--data-binary|--json|--header)$/.test(word)) at++
    else if (!word.startsWith('-')) url = word
  }
  const expanded = pathOf(url).replace(/\$\{?(\w+)(?::\?)?\}?/g, (_, name: string) => VARIABLES[name] ?? 'x')
  const isJson = body?.startsWith('{') || body?.startsWith('[')
  return { method: method ?? (body === undefined ? 'GET' : 'POST'), url: expanded, ...(isJson && body ? { body } : {}) }
}

function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]+/, '')
}
