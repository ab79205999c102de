import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LineCounter, parseDocument, visit } from 'yaml'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { checkYaml, type Schema } from './check-yaml.ts'

const PROJECT_FILE = 'touchstone.yaml'

export interface Gate {
  metric: string
  margin?: number
  maxMissing?: number
  corrected?: boolean
  sequential?: boolean
}

export interface ProjectFile {
  path: string
  url?: string
  component?: string
  dataset?: string
  run?: string
  baseline?: string
  name?: string
  split?: 'train' | 'validation' | 'test'
  evaluators?: (string | { type: string; name?: string })[]
  gate?: Gate
  config?: Record<string, unknown>
}

/** The file of a project, in this folder or above it. A file that is named must exist. */
export function readProjectFile(folder: string, named: string | undefined): ProjectFile | undefined {
  if (named !== undefined) {
    const text = readText(named)
    if (text === undefined) throw new CliError(`${named} does not exist.`, EXIT.usage)
    return parseProjectFile(text, named)
  }
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, PROJECT_FILE)
    const text = readText(path)
    if (text !== undefined) return parseProjectFile(text, path)
    if (dirname(at) === at) return undefined
  }
}

/** Throws with the line of everything that is wrong. */
export function parseProjectFile(text: string, path: string): ProjectFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const syntax = document.errors.map(({ pos, message }) => ({ line: lines.linePos(pos[0]).line, message }))
  if (syntax.length > 0) throw invalid(path, syntax)
  const secrets = findSecrets(document, lines)
  if (secrets.length > 0) throw invalid(path, secrets)
  const schema: Schema = JSON.parse(readFileSync(new URL('../../touchstone.schema.json', import.meta.url), 'utf8'))
  const problems = document.contents === null ? [] : checkYaml(document, lines, schema)
  if (problems.length > 0) throw invalid(path, problems)
  return { ...document.toJS(), path }
}

const KEY_NAME = /^(api[-_]?key|key|token|secret|password|access[-_]?token)$/i
const KEY_VALUE = /\btsk_[0-9A-Za-z]{8}_/

/** The file belongs into a repository: a key in it would be public. The message does not contain the value. */
function findSecrets(document: ReturnType<typeof parseDocument>, lines: LineCounter) {
  const found: { line: number; message: string }[] = []
  visit(document, {
    Scalar(role, node, path) {
      const isKeyName = role === 'key' && path.length <= 3 && KEY_NAME.test(String(node.value))
      if (isKeyName || KEY_VALUE.test(String(node.value))) {
        const { line } = lines.linePos(node.range?.[0] ?? 0)
        found.push({
          line,
          message: 'an API key must not be in this file: set TOUCHSTONE_API_KEY, or run touchstone login',
        })
      }
    },
  })
  return found
}

function invalid(path: string, problems: { line: number; message: string }[]): CliError {
  return new CliError(problems.map(({ line, message }) => `${path}:${line}: ${message}`).join('\n'), EXIT.usage)
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw new CliError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`, EXIT.usage)
  }
}
