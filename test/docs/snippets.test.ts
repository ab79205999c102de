/** Code blocks that are shown and not run must still be right: requests, commands, settings, JSON, YAML and queries. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parsePromptFile } from '../../packages/cli/src/prompts/prompt-file.ts'
import { parseProjectFile } from '../../packages/cli/src/settings/project-file.ts'
import { problemsOfCommand } from './command-checks.ts'
import { DOCUMENTS } from './documents.ts'
import { elided, problemsOfRequest } from './request-checks.ts'

const ROOT = join(import.meta.dirname, '../..')
const documents = globSync('{README,CONTRIBUTING}.md', { cwd: ROOT })
  .concat(globSync(['docs/guide/*.md', 'docs/security.md'], { cwd: ROOT }))
  .sort()

type Block = { language: string; code: string }

const textOf = (document: string) => readFileSync(join(ROOT, document), 'utf8')

function blocksOf(document: string): Block[] {
  const blocks = textOf(document).matchAll(/^ *```(\S*)\n([\s\S]*?)^ *```/gm)
  return [...blocks].map(([, language = '', code = '']) => ({ language, code }))
}

/** Their blocks in these languages are run word for word; coverage.test.ts checks that none is missing. */
const isRun = (document: string, language: string) =>
  Object.values<string>(DOCUMENTS).includes(document) && ['sh', 'ts', 'python'].includes(language)

/** Examples of these are checked more strictly by the tests of evaluators, of the query language and on Citus. */
const CHECKED_ELSEWHERE: Record<string, string> = {
  'docs/guide/query-language.md': 'text',
  'docs/guide/evaluators.md': 'json',
  'docs/guide/model-evaluators.md': 'json',
  'docs/guide/scaling.md': 'sql',
  'docs/guide/experiments.md': 'yaml',
  'docs/guide/trials.md': 'yaml',
}

function problemsOf(document: string, { language, code }: Block): string[] {
  if (isRun(document, language)) return []
  if (language === 'sh') return commandsOf(code).flatMap((command) => problemsOfCommand(command))
  if (language === 'http') return problemsOfHttp(code)
  if (language === 'json') return problemsOfJson(code)
  if (language === 'yaml') return problemsIn(() => parseProjectFile(code, 'touchstone.yaml'))
  if (language === 'markdown') return problemsIn(() => parsePromptFile(code, 'prompt.md'))
  if (language === 'ts') return problemsIn(() => stripTypeScriptTypes(code))
  if (language === 'python') return problemsOfPython(code)
  if (language === 'text' || language === 'console') return []
  return [`no test checks blocks of the language "${language}"`]
}

/** A route that model providers have. */
const OF_PROVIDERS = 'GET /models'

/** Joins lines that end with a backslash, or inside of quotes. */
function commandsOf(code: string): string[] {
  const lines = code.replaceAll('\\\n', ' ').trimEnd().split('\n')
  const commands: string[] = []
  for (const line of lines) {
    const open = commands.at(-1)
    if (open !== undefined && (open.replaceAll('\\"', '').match(/"/g)?.length ?? 0) % 2 === 1)
      commands[commands.length - 1] = `${open}\n${line}`
    else commands.push(line)
  }
  return commands
}

function problemsOfHttp(code: string): string[] {
  const [first = '', ...rest] = code.trimEnd().split('\n')
  const [, method, url = ''] = /^([A-Z]+) (\/\S+)$/.exec(first) ?? []
  const body = rest.join('\n')
  if (method === undefined) return /^([A-Z][\w-]+: |\d{3}$)/.test(first) ? [] : [`no request: ${first}`]
  return problemsOfRequest({ method, url, ...(body === '' ? {} : { body }) })
}

const problemsOfJson = (code: string) => problemsIn(() => JSON.parse(elided(code)))

function problemsIn(read: () => unknown): string[] {
  try {
    read()
    return []
  } catch (error) {
    return [String(error)]
  }
}

/** Its syntax, if Python is installed. */
function problemsOfPython(code: string): string[] {
  const program = 'import ast, sys; ast.parse(sys.stdin.read())'
  const { status, stderr } = spawnSync('python3', ['-c', program], { input: code, encoding: 'utf8' })
  return status === 0 || status === null ? [] : [stderr]
}

describe('the code blocks', () => {
  it.each(documents)('of %s are run, or of a kind that is checked, and right', (document) => {
    const blocks = blocksOf(document).filter(({ language }) => CHECKED_ELSEWHERE[document] !== language)
    expect(blocks.flatMap((block) => problemsOf(document, block))).toEqual([])
  })
})

describe('the text', () => {
  it.each(documents)('of %s names only requests and commands that exist', (document) => {
    const prose = textOf(document).replace(/^ *```[\s\S]*?^ *```/gm, '')
    const spans = [...prose.matchAll(/`([^`\n]+)`/g)]
      .map(([, code = '']) => code)
      .filter((code) => code !== OF_PROVIDERS)
    const requests = spans.flatMap((code) => {
      const [, method = '', url = ''] = /^(GET|POST|PUT|PATCH|DELETE) (\/[^\s…]*)/.exec(code) ?? []
      return method === '' ? [] : problemsOfRequest({ method, url })
    })
    const commands = spans.filter((code) => /^(touchstone(-server)? [a-z]|npm (start|run) )/.test(code))
    expect([...requests, ...commands.flatMap((command) => problemsOfCommand(command, 'mention'))]).toEqual([])
  })
})

describe('a mistake in a document is found', () => {
  it.each([
    ['touchstone evall run', 'no command evall'],
    ['touchstone eval run --baselin main', 'there is no --baselin'],
    ['touchstone eval run --run', 'needs a value'],
    ['touchstone eval wait', '0 arguments'],
    ['npm start -- bakup', 'no command bakup'],
    ['touchstone-server backup', 'needs more arguments'],
    ['npm start -- serve --port 1', 'no option --port'],
    ['npm run biuld', 'no script biuld'],
    ['TOUCHSTONE_PUBLIC_ULR=https://example.com', 'no setting'],
    ['curl "$BASE/component/$COMPONENT"', 'no route'],
    ['call "$API/traces?querry=x"', 'no parameter querry'],
    [`call $API/components -d '{"nam": "x"}'`, 'must NOT have additional properties'],
    ['make all', 'no test covers'],
  ])('%s', (command, problem) => {
    expect(problemsOfCommand(command).join()).toContain(problem)
  })

  it('in the method of a route', () => {
    expect(problemsOfRequest({ method: 'PUT', url: '/api/v1/components' })).toHaveLength(1)
  })
})
