/** Checks of code blocks that no test runs: against the description of the API, the parsers of commands, and schemas. */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { buildCli } from '../../packages/cli/src/application.ts'
import { parseCommandLine } from '../../src/cli/parse-command-line.ts'
import { SETTINGS } from '../../src/config.ts'

type Operation = {
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Record<string, { schema: object }> }
}
type Description = { paths: Record<string, Record<string, Operation>>; components: object }

const description: Description = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema({ $id: 'touchstone', components: description.components })

/** What is served outside of the description: pages, OTLP, MCP, the state of the process, sign-in with the library. */
const OTHER_PATHS =
  /^(\/|\/docs|\/guide|\/mcp|\/metrics|\/health|\/ready|(\/api\/v1|\/api\/public\/otel|\/api\/public)?(\/v1)?\/(traces|logs|metrics)|\/api\/auth\/.*|\/shared\/[^/]+)$/

export type Request = { method: string; url: string; body?: string }

/** What is wrong with a request that a document shows; nothing, if the server has this route, parameters and body. */
export function problemsOfRequest({ method, url, body }: Request): string[] {
  const [path = '', query = ''] = url.split('?', 2)
  const operation = findOperation(method, path)
  if (operation === undefined) return OTHER_PATHS.test(path) ? [] : [`${method} ${path} is no route of the server`]
  const known = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name)
  const names = query
    .split('&')
    .flatMap((part) => part.split('=', 1))
    .filter((name) => /^\w/.test(name))
  const unknown = names.filter((name) => !known.includes(name)).map((name) => `${path} has no parameter ${name}`)
  const schema = operation.requestBody?.content['application/json']?.schema
  if (body === undefined || schema === undefined) return unknown
  const validate = ajv.compile(
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"touchstone#/components/')),
  )
  if (validate(JSON.parse(withValues(body)))) return unknown
  return [...unknown, `the body of ${method} ${path}: ${ajv.errorsText(validate.errors)}`]
}

function findOperation(method: string, path: string): Operation | undefined {
  const segments = path.replace(/^\/api\/v1/, '').split('/')
  // A path without parameters comes before one that has a parameter in the same location.
  const candidates = Object.entries(description.paths).filter(([known]) => {
    const parts = known.split('/')
    return parts.length === segments.length && parts.every((part, at) => part.startsWith('{') || part === segments[at])
  })
  const literal =
    candidates.find(([known]) => !known.includes('{')) ?? candidates.find(([, one]) => one[method.toLowerCase()])
  return literal?.[1][method.toLowerCase()]
}

const ANY_ID = '00000000-0000-7000-8000-000000000000'

/** Documents shorten values, or have them in variables; any id is as good as another. */
function withValues(json: string): string {
  return elided(json).replace(/"(…|\$\w+)"/g, `"${ANY_ID}"`)
}

/** JSON with `…` in place of entries becomes JSON without them. */
export function elided(json: string): string {
  return json
    .replace(/,\s*…(?=\s*[}\]])/g, '')
    .replace(/(?<=[[{])\s*…\s*(?=[}\]])/g, '')
    .replace(/,\s*"…": "…"/g, '')
}

const VARIABLES: Record<string, string> = {
  API: '/api/v1',
  BASE: '/api/v1',
  TOUCHSTONE: '',
  TOUCHSTONE_URL: '',
  DATASET: '/api/v1/components/x/datasets/x',
}

/** What is wrong with a line of a shell block. */
export async function problemsOfCommand(line: string): Promise<string[]> {
  const words = splitWords(line)
  const [program = '', ...rest] = words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word)))
  if (words.every((word) => /^(export|[A-Z_]+=.*)$/.test(word))) return problemsOfSettings(words)
  if (program === 'touchstone') return problemsOfClient(rest)
  if (program === 'npm') return problemsOfNpm(rest)
  if (program === 'claude')
    return problemsOfRequest({ method: 'POST', url: pathOf(rest.find((word) => word.startsWith('http:')) ?? '') })
  if (program === 'curl' || program === 'call') return problemsOfRequest(requestOf(rest))
  return [`no test knows the command ${program}`]
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
  const names = words.filter((word) => word !== 'export').map((word) => word.split('=', 1)[0] ?? '')
  const known: readonly string[] = [...SETTINGS, 'TOUCHSTONE', 'TOUCHSTONE_API_KEY']
  return names.filter((name) => !known.includes(name)).map((name) => `${name} is no setting`)
}

function problemsOfNpm([command, ...rest]: string[]): string[] {
  const text = [command, ...rest].join(' ')
  if (/^(ci|install --global touchstone-cli|install touchstone-sdk)$/.test(text)) return []
  if (command === 'run') return isScript(rest[0]) ? [] : [`there is no script ${rest[0]}`]
  if (command !== 'start') return [`no test knows npm ${text}`]
  const [separator, ...words] = rest
  if (separator !== undefined && separator !== '--') return [`npm start needs -- before ${separator}`]
  try {
    // A placeholder for the name of a command.
    parseCommandLine(words.map((word) => (word === 'COMMAND' ? 'serve' : word)))
    return []
  } catch (error) {
    return [String(error)]
  }
}

function isScript(name = ''): boolean {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return Object.hasOwn(manifest.scripts, name)
}

/** By the definitions that the parser of the command line itself uses. */
async function problemsOfClient(words: string[]): Promise<string[]> {
  const { root } = buildCli({ hasColor: false })
  let target = root
  const rest = [...words]
  while ('getRoutingTargetForInput' in target) {
    const word = rest.shift() ?? ''
    const next = target.getRoutingTargetForInput(word)
    if (next === undefined) return [`touchstone has no command ${word}`]
    target = next
  }
  const flags: Record<string, { kind: string; values?: readonly string[] }> = target.parameters.flags ?? {}
  const aliases: Record<string, string> = target.parameters.aliases ?? {}
  const values: string[] = []
  while (rest.length > 0) {
    const word = rest.shift() ?? ''
    if (!word.startsWith('-') || word === '-') {
      values.push(word)
      continue
    }
    const [name = '', given] = word.replace(/^--?/, '').split('=', 2)
    const flag = flags[aliases[name] ?? name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    if (flag === undefined) return [`touchstone ${words.join(' ')}: there is no ${word}`]
    if (flag.kind === 'boolean') continue
    const value = given ?? rest.shift()
    if (value === undefined || value.startsWith('--')) return [`touchstone ${words.join(' ')}: ${word} needs a value`]
    if (flag.values && !flag.values.includes(value))
      return [`touchstone ${words.join(' ')}: ${word} cannot be ${value}`]
  }
  const { positional } = target.parameters
  if (positional?.kind === 'array') return []
  const parameters: readonly { optional?: boolean; default?: unknown }[] = positional?.parameters ?? []
  const needed = parameters.filter((one) => !one.optional && one.default === undefined).length
  const fits = values.length >= needed && values.length <= parameters.length
  return fits
    ? []
    : [`touchstone ${words.join(' ')}: ${values.length} arguments, ${needed} to ${parameters.length} are needed`]
}

const DATA_FLAGS = ['-d', '--data', '--data-binary', '--json']

/** The request that `curl` sends, or the function `call` of the README. */
function requestOf(words: string[]): Request {
  let method: string | undefined
  let body: string | undefined
  let url = ''
  for (let at = 0; at < words.length; at++) {
    const [word = '', next = ''] = words.slice(at, at + 2)
    if (word === '-X') method = next
    if (DATA_FLAGS.includes(word)) body = next
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
