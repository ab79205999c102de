/**
 * Splits a query into tokens: parentheses, AND, OR, NOT, and terms such as `latency:>2s`. Terms are not interpreted
 * here.
 *
 * The syntax is that of Lucene as the library liqe parses it. The library is not used: it does not support `start:>-24h`,
 * `model:openai/gpt-4o` or `latency:[1s TO 2s]`, and it needs exponential time for adjacent parentheses, so that a query of 63
 * characters would block the server for most of a minute.
 */
import { type QueryPosition, queryError } from './query-error.ts'

export type Operator = ':' | '=' | '>' | '>=' | '<' | '<='
export type WrittenText = { text: string; isQuoted: boolean; position: QueryPosition }
export type WrittenRange = { from: WrittenText; to: WrittenText; isFromIncluded: boolean; isToIncluded: boolean }

export type TermToken = {
  type: 'term'
  position: QueryPosition
  /** Absent for words and phrases without a field. */
  field?: { written: string; position: QueryPosition; operator: Operator }
  value: WrittenText | WrittenRange
}

export type Token = TermToken | { type: 'and' | 'or' | 'not' | 'open' | 'close'; position: QueryPosition }

type Cursor = { readonly query: string; at: number }

export function readTokens(query: string): Token[] {
  const cursor = { query, at: 0 }
  const tokens: Token[] = []
  for (;;) {
    match(cursor, SPACES)
    if (cursor.at >= query.length) return tokens
    tokens.push(readToken(cursor))
  }
}

const SPACES = /\s*/y
const FIELD = /[A-Za-z_$][\w$./@-]*:/y
const OPERATOR = /(?:>=|<=|>|<|=)?/y
const WORD = /[^\s()"]+/y
const RANGE_WORD = /[^\s\]}"']+/y
const TO = /\s+TO\s+/y
const END_OF_VALUE = /(?=[\s()]|$)/y

// Maps instead of objects because `constructor` is a valid word.
const SIGNS = new Map<string, 'open' | 'close' | 'not'>(Object.entries({ '(': 'open', ')': 'close', '-': 'not' }))
const OPERATOR_WORDS = new Map<string, 'and' | 'or' | 'not'>(Object.entries({ AND: 'and', OR: 'or', NOT: 'not' }))

function readToken(cursor: Cursor): Token {
  const start = cursor.at
  const sign = SIGNS.get(cursor.query.charAt(start))
  if (sign) {
    cursor.at += 1
    // In `foo - bar` the minus is more likely a dash than a NOT.
    if (sign === 'not' && match(cursor, /(?=[\s)]|$)/y) !== undefined) {
      throw queryError(
        cursor.query,
        { start, end: cursor.at },
        'a minus must directly precede the term that it excludes',
      )
    }
    return { type: sign, position: { start, end: cursor.at } }
  }
  const field = readField(cursor)
  if (field) return readFieldTerm(cursor, field)
  const value = readText(cursor, WORD)
  const word = value.isQuoted ? undefined : OPERATOR_WORDS.get(value.text)
  return word ? { type: word, position: value.position } : { type: 'term', position: value.position, value }
}

type WrittenField = { written: string; position: QueryPosition }

/** A field name with spaces may be quoted; the colon identifies it as a field. */
function readField(cursor: Cursor): WrittenField | undefined {
  const start = cursor.at
  if (isQuote(cursor)) {
    const { text, position } = readQuoted(cursor)
    if (match(cursor, /:/y) !== undefined) return { written: text, position }
    cursor.at = start
    return undefined
  }
  const name = match(cursor, FIELD)
  return name === undefined ? undefined : { written: name.slice(0, -1), position: { start, end: cursor.at - 1 } }
}

function readFieldTerm(cursor: Cursor, { written, position }: WrittenField): Token {
  const operator = operatorOf(match(cursor, OPERATOR))
  const next = cursor.query.charAt(cursor.at)
  if (next === '(') throw syntaxError(cursor, `write ${written}:… before every value, with OR between them`)
  if (next === '' || next === ')' || /\s/.test(next)) throw syntaxError(cursor, `there is no value after ${written}:`)
  const isRange = operator === ':' && (next === '[' || next === '{')
  const value = isRange ? readRange(cursor) : readText(cursor, WORD)
  return {
    type: 'term',
    position: { start: position.start, end: cursor.at },
    field: { written, position, operator },
    value,
  }
}

function operatorOf(sign: string | undefined): Operator {
  if (sign === '=' || sign === '>' || sign === '>=' || sign === '<' || sign === '<=') return sign
  return ':'
}

function readRange(cursor: Cursor): WrittenRange {
  const start = cursor.at
  const rangeError = () =>
    queryError(
      cursor.query,
      { start, end: cursor.at + 1 },
      'a range is written [a TO b] or {a TO b}; text needs quotes',
    )
  const isFromIncluded = cursor.query.charAt(start) === '['
  cursor.at += 1
  match(cursor, SPACES)
  const from = readBound(cursor)
  if (!from || match(cursor, TO) === undefined) throw rangeError()
  const to = readBound(cursor)
  match(cursor, SPACES)
  const close = match(cursor, /[\]}]/y)
  if (!to || close === undefined) throw rangeError()
  requireEndOfValue(cursor)
  return { from, to, isFromIncluded, isToIncluded: close === ']' }
}

function readBound(cursor: Cursor): WrittenText | undefined {
  if (isQuote(cursor)) return readQuoted(cursor)
  const start = cursor.at
  const text = match(cursor, RANGE_WORD)
  return text === undefined ? undefined : { text, isQuoted: false, position: { start, end: cursor.at } }
}

function readText(cursor: Cursor, word: RegExp): WrittenText {
  const start = cursor.at
  const isQuoted = isQuote(cursor)
  const value = isQuoted
    ? readQuoted(cursor)
    : { text: match(cursor, word) ?? '', isQuoted, position: { start, end: cursor.at } }
  requireEndOfValue(cursor)
  return value
}

/** `name:"a"b` and `a"b` are most likely errors. */
function requireEndOfValue(cursor: Cursor): void {
  if (match(cursor, END_OF_VALUE) !== undefined) return
  throw syntaxError(cursor, 'a space is missing here, or the whole value should be in quotes')
}

function isQuote({ query, at }: Cursor): boolean {
  const next = query.charAt(at)
  return next === '"' || next === "'"
}

const ESCAPES = new Map(
  Object.entries({ '"': '"', "'": "'", '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }),
)

function readQuoted(cursor: Cursor): WrittenText {
  const { query, at: start } = cursor
  const quote = query.charAt(start)
  let text = ''
  for (cursor.at += 1; cursor.at < query.length; cursor.at += 1) {
    const next = query.charAt(cursor.at)
    if (next === quote) {
      cursor.at += 1
      return { text, isQuoted: true, position: { start, end: cursor.at } }
    }
    text += next === '\\' ? readEscape(cursor) : next
  }
  throw queryError(query, { start, end: query.length }, 'this quote is never closed')
}

/** Leaves the cursor at the last character of the escape sequence. */
function readEscape(cursor: Cursor): string {
  const [start, next] = [cursor.at, cursor.query.charAt(cursor.at + 1)]
  cursor.at += 1
  const known = ESCAPES.get(next)
  if (known !== undefined) return known
  const code = /^u[\da-f]{4}/i.exec(cursor.query.slice(cursor.at, cursor.at + 5))?.[0]
  if (!code) throw queryError(cursor.query, { start, end: start + 2 }, 'inside quotes a backslash is written \\\\')
  cursor.at += 4
  return String.fromCharCode(Number.parseInt(code.slice(1), 16))
}

/** Matches at the cursor and advances it. */
function match(cursor: Cursor, sticky: RegExp): string | undefined {
  sticky.lastIndex = cursor.at
  const found = sticky.exec(cursor.query)?.[0]
  if (found !== undefined) cursor.at += found.length
  return found
}

function syntaxError(cursor: Cursor, message: string) {
  return queryError(cursor.query, { start: cursor.at, end: cursor.at + 12 }, message)
}
