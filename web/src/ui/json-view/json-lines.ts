import { countOf } from '../format-number.ts'

/** A JSON value as lines of a tree, in the order they are read. */

type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

export interface JsonLine {
  /** Steps from the root: `["messages", 0, "content"]`. */
  path: readonly (string | number)[]
  kind: JsonKind
  /** The scalar as JSON; for objects and arrays their size in words. */
  text: string
  value: unknown
  /** The number of lines below this one that are part of it. */
  descendantCount: number
}

/** Deeper values are shown as text: a document nested this deep is an attack or an accident. */
const depthMax = 200

export function toJsonLines(value: unknown): JsonLine[] {
  const lines: JsonLine[] = []
  addLines(lines, value, [])
  return lines
}

function addLines(lines: JsonLine[], value: unknown, path: readonly (string | number)[]): void {
  const kind = kindOf(value)
  const entries = path.length >= depthMax ? [] : childrenOf(value)
  const line: JsonLine = { path, kind, value, text: textOf(value, kind, entries.length), descendantCount: 0 }
  const index = lines.push(line)
  for (const [key, child] of entries) addLines(lines, child, [...path, key])
  line.descendantCount = lines.length - index
}

function kindOf(value: unknown): JsonKind {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return 'number'
  return typeof value === 'boolean' ? 'boolean' : 'object'
}

function childrenOf(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return value.map((child, index) => [index, child])
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function textOf(value: unknown, kind: JsonKind, size: number): string {
  if (kind === 'array') return countOf(size, 'item')
  if (kind === 'object') return countOf(size, 'field')
  return JSON.stringify(value) ?? 'null'
}

/** "$.messages[0].content", and "$["odd name"]" for names that are no identifiers. */
export function formatPath(path: readonly (string | number)[]): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`
    return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
  })
  return `$${steps.join('')}`
}

/** The indexes of lines that are not inside of a collapsed line. */
export function visibleIndexes(lines: JsonLine[], collapsed: ReadonlySet<number>): number[] {
  const visible: number[] = []
  for (let index = 0; index < lines.length; index += 1) {
    visible.push(index)
    if (collapsed.has(index)) index += lines[index]?.descendantCount ?? 0
  }
  return visible
}

/** The lines around this one, from the root. */
export function ancestorsOf(lines: JsonLine[], index: number): number[] {
  const ancestors: number[] = []
  for (let at = 0; at < index; at += 1) {
    const end = at + (lines[at]?.descendantCount ?? 0)
    if (end >= index) ancestors.push(at)
    else at = end
  }
  return ancestors
}

export function matchingIndexes(lines: JsonLine[], query: string): number[] {
  if (query === '') return []
  const wanted = query.toLowerCase()
  return lines.flatMap((line, index) => {
    const key = String(line.path.at(-1) ?? '')
    const isContainer = line.kind === 'object' || line.kind === 'array'
    const isMatch = key.toLowerCase().includes(wanted) || (!isContainer && line.text.toLowerCase().includes(wanted))
    return isMatch ? [index] : []
  })
}
