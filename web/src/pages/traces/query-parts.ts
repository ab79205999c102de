/**
 * Splits a query into parts while it is typed, so that terms can be highlighted and completed. Every text can be split, also one that
 * the server would reject: an open quote reaches to the end.
 */
export interface QueryPart {
  type: 'space' | 'parenthesis' | 'operator' | 'word' | 'term'
  start: number
  end: number
  /** `-tag:test`; the minus belongs to the part. */
  isNegated: boolean
  /** Only terms have one. */
  field?: {
    name: string
    start: number
    /** After the colon. */
    end: number
    /** After the comparison, such as `>=`. */
    valueStart: number
  }
}

export function splitQuery(query: string): QueryPart[] {
  const parts: QueryPart[] = []
  for (let at = 0; at < query.length; at = parts.at(-1)?.end ?? query.length) parts.push(readPart(query, at))
  return parts
}

const SPACES = /\s+/y
const PARENTHESIS = /[()]/y
const QUOTED = /"(?:\\.|[^"\\])*(?:"|\\?$)|'(?:\\.|[^'\\])*(?:'|\\?$)/y
const FIELD = /(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_$][\w$./@-]*):/y
const COMPARISON = /(?:>=|<=|>|<|=)/y
const RANGE = /[[{][^\]}]*[\]}]?/y
const WORD = /[^\s()"]+/y

function readPart(query: string, start: number): QueryPart {
  const plain = (type: QueryPart['type'], end: number): QueryPart => ({ type, start, end, isNegated: false })
  const spaces = endOf(SPACES, query, start)
  if (spaces !== undefined) return plain('space', spaces)
  const parenthesis = endOf(PARENTHESIS, query, start)
  if (parenthesis !== undefined) return plain('parenthesis', parenthesis)
  const isNegated = query.charAt(start) === '-'
  const nameStart = isNegated ? start + 1 : start
  const nameEnd = endOf(FIELD, query, nameStart)
  if (nameEnd !== undefined) {
    const valueStart = endOf(COMPARISON, query, nameEnd) ?? nameEnd
    const range = valueStart === nameEnd ? endOf(RANGE, query, valueStart) : undefined
    const end = range ?? endOf(QUOTED, query, valueStart) ?? endOf(WORD, query, valueStart) ?? valueStart
    const name = unquoted(query.slice(nameStart, nameEnd - 1))
    return { type: 'term', start, end, isNegated, field: { name, start: nameStart, end: nameEnd, valueStart } }
  }
  const end = endOf(QUOTED, query, nameStart) ?? endOf(WORD, query, nameStart) ?? nameStart
  const isOperator = ['AND', 'OR', 'NOT', '-'].includes(query.slice(start, end))
  return isOperator ? plain('operator', end) : { type: 'word', start, end, isNegated }
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

function unquoted(name: string): string {
  return /^["']/.test(name) ? name.slice(1, -1).replace(/\\(.)/g, '$1') : name
}

/** What is being written at the caret. Offsets are those of the text that a suggestion replaces. */
export type CaretContext = { start: number; end: number; typed: string; part: QueryPart | undefined } & (
  | { type: 'name' }
  /** The name after the dot of `score.` and `metadata.`. */
  | { type: 'key'; field: string }
  | { type: 'value'; field: string; key: string; hasComparison: boolean }
)

/** Undefined inside of a phrase, which is free text. */
export function contextAt(query: string, caret: number): CaretContext | undefined {
  const part = splitQuery(query).find(({ start, end, type }) => type !== 'space' && start < caret && caret <= end)
  if (!part || part.type === 'parenthesis')
    return { type: 'name', start: caret, end: caret, typed: '', part: undefined }
  if (part.field && caret >= part.field.end) return valueContext(query, caret, part, part.field)
  const start = part.field?.start ?? part.start + (part.isNegated ? 1 : 0)
  const end = part.field?.end ?? part.end
  const typed = query.slice(start, caret)
  const keyed = /^["']?(score|metadata)\.(.*)$/is.exec(typed)
  if (keyed) return { type: 'key', field: keyed[1]?.toLowerCase() ?? '', start, end, typed: keyed[2] ?? '', part }
  return /^["']/.test(typed) ? undefined : { type: 'name', start, end, typed, part }
}

function valueContext(query: string, caret: number, part: QueryPart, field: NonNullable<QueryPart['field']>) {
  const { valueStart, name } = field
  const dot = name.indexOf('.')
  return {
    type: 'value' as const,
    field: (dot === -1 ? name : name.slice(0, dot)).toLowerCase(),
    key: dot === -1 ? '' : name.slice(dot + 1),
    hasComparison: valueStart > field.end,
    start: field.end,
    end: part.end,
    // Without the quote that opens it: values are compared by their text.
    typed: query.slice(Math.min(valueStart, caret), caret).replace(/^["']/, ''),
    part,
  }
}

/** A value as it is written after a colon. */
export function writeValue(value: string): string {
  return /^[^\s()"'*?<>=[\]{}\\]+$/.test(value) ? value : JSON.stringify(value)
}

/** A field as it is written before its value: `score.correctness:`. */
export function writeField(name: string): string {
  return `${/^[A-Za-z_$][\w$./@-]*$/.test(name) ? name : JSON.stringify(name)}:`
}

/** The other terms of a query that is a plain list of terms; undefined if it is not, as then the others alone mean something else. */
export function otherTerms(query: string, part: QueryPart | undefined): string | undefined {
  const parts = splitQuery(query)
  if (parts.some(({ type }) => type === 'operator' || type === 'parenthesis')) return undefined
  const others = parts.filter((other) => other.type !== 'space' && other.start !== part?.start)
  return others.map(({ start, end }) => query.slice(start, end)).join(' ') || undefined
}
