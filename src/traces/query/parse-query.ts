/**
 * Reads the query language of traces. NOT binds closest, then AND, which is also meant where two terms simply follow each
 * other, then OR. Whatever the text is, the result is a condition or a 400 that points at the mistake.
 */
import { badRequest } from '../../base/errors.ts'
import type { Condition } from './condition.ts'
import { type Place, queryError, shortened } from './query-error.ts'
import { BARE_TEXT, FIELD_NAMES, findField, similarField } from './query-fields.ts'
import { readTokens, type TermToken, type Token } from './query-tokens.ts'
import { readTest } from './query-values.ts'

const QUERY_LENGTH_MAX = 2_000
const TERMS_MAX = 50
const DEPTH_MAX = 20

/** `now`, in milliseconds, is what relative times count from. Undefined if the query is empty: it then asks for everything. */
export function parseQuery(query: string, now: number): Condition | undefined {
  if (query.length > QUERY_LENGTH_MAX) {
    throw badRequest(`The query has ${query.length} characters; at most ${QUERY_LENGTH_MAX} are allowed`)
  }
  if (!query.isWellFormed()) throw badRequest('The query has half of a surrogate pair, which no text can contain')
  const tokens = readTokens(query)
  if (tokens.length === 0) return undefined
  const reading = { query, now, tokens, at: 0, terms: 0 }
  const condition = readAlternatives(reading, 0)
  const rest = tokens[reading.at]
  if (rest) throw queryError(query, rest.place, 'this parenthesis was never opened')
  return condition
}

type Reading = { query: string; now: number; tokens: Token[]; at: number; terms: number }

function readAlternatives(reading: Reading, depth: number): Condition {
  const parts = [readAll(reading, depth)]
  while (reading.tokens[reading.at]?.type === 'or') {
    reading.at += 1
    parts.push(readAll(reading, depth))
  }
  return joined('or', parts)
}

function readAll(reading: Reading, depth: number): Condition {
  const parts = [readOne(reading, depth)]
  for (;;) {
    const next = reading.tokens[reading.at]?.type
    if (next === undefined || next === 'or' || next === 'close') return joined('and', parts)
    if (next === 'and') reading.at += 1
    parts.push(readOne(reading, depth))
  }
}

/** Flat where it can be, so that what every trace must fulfil is one list. */
function joined(type: 'and' | 'or', parts: Condition[]): Condition {
  const [only, ...more] = parts
  if (only && more.length === 0) return only
  return { type, parts: parts.flatMap((part) => (part.type === type ? part.parts : [part])) }
}

function readOne(reading: Reading, depth: number): Condition {
  const { query } = reading
  const token = reading.tokens[reading.at]
  if (!token) throw queryError(query, { start: query.length, end: query.length }, 'something is missing here')
  if (depth > DEPTH_MAX) throw queryError(query, token.place, `nested more than ${DEPTH_MAX} levels deep`)
  reading.at += 1
  if (token.type === 'term') return readTerm(reading, token)
  if (token.type === 'not') return { type: 'not', part: readOne(reading, depth + 1) }
  if (token.type !== 'open') throw queryError(query, token.place, unexpected(query, token.place))
  if (reading.tokens[reading.at]?.type === 'close') {
    throw queryError(query, token.place, 'there is nothing between these parentheses')
  }
  const inside = readAlternatives(reading, depth + 1)
  if (reading.tokens[reading.at]?.type !== 'close')
    throw queryError(query, token.place, 'this parenthesis is never closed')
  reading.at += 1
  return inside
}

function unexpected(query: string, { start, end }: Place): string {
  const sign = query.slice(start, end)
  if (sign === ')') return 'something is missing in front of this parenthesis'
  return `${sign} needs a condition on both sides; to search for the word, put it in quotes`
}

function readTerm(reading: Reading, token: TermToken): Condition {
  const { query, now } = reading
  reading.terms += 1
  if (reading.terms > TERMS_MAX) throw queryError(query, token.place, `more than ${TERMS_MAX} terms`)
  const { field: written, value } = token
  if (!written) {
    const test = readTest({ query, now, name: 'this', field: BARE_TEXT, operator: ':', value })
    // A lonely asterisk means everything, as it does elsewhere.
    return test.is === 'present' ? { type: 'and', parts: [] } : { type: 'term', term: { field: 'text', key: '', test } }
  }
  const found = findField(written.written)
  if (!found) throw queryError(query, written.place, unknownField(written.written))
  const { name, field, key } = found
  if (!isStorable(key)) throw queryError(query, written.place, 'this has a character that is never stored')
  const test = readTest({ query, now, name: written.written, field, operator: written.operator, value })
  return { type: 'term', term: { field: name, key, test } }
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function unknownField(written: string): string {
  const similar = similarField(written)
  const hint = similar ? `did you mean ${similar}?` : 'to search for it as text, put it in quotes.'
  return `${shortened(written, 24)} is not a field; ${hint} Fields are ${FIELD_NAMES.join(', ')}`
}
