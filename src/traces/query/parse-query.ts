/**
 * Parses the query language of traces. NOT has the highest precedence, then AND, which is implied between adjacent
 * terms, then OR. Every input results in a condition or in a 400 error with the position of the error.
 */
import { badRequest } from '../../base/errors.ts'
import { shortened } from '../../base/text.ts'
import type { Condition } from './condition.ts'
import { type QueryPosition, queryError } from './query-error.ts'
import { BARE_TEXT, FIELD_NAMES, findField, similarField } from './query-fields.ts'
import { readTokens, type TermToken, type Token } from './query-tokens.ts'
import { readTest } from './query-values.ts'

const QUERY_LENGTH_MAX = 2_000
const TERMS_MAX = 50
const DEPTH_MAX = 20

/**
 * `now`, in milliseconds, is the reference for relative times. Returns undefined for an empty query, which matches
 * everything.
 */
export function parseQuery(query: string, now: number): Condition | undefined {
  if (query.length > QUERY_LENGTH_MAX) {
    throw badRequest(`The query has ${query.length} characters; at most ${QUERY_LENGTH_MAX} are allowed`)
  }
  if (!query.isWellFormed()) throw badRequest('The query contains an unpaired surrogate')
  const tokens = readTokens(query)
  if (tokens.length === 0) return undefined
  const state = { query, now, tokens, at: 0, terms: 0 }
  const condition = parseOr(state, 0)
  const rest = tokens[state.at]
  if (rest) throw queryError(query, rest.position, 'this parenthesis was never opened')
  return condition
}

type ParserState = { query: string; now: number; tokens: Token[]; at: number; terms: number }

function parseOr(state: ParserState, depth: number): Condition {
  const parts = [parseAnd(state, depth)]
  while (state.tokens[state.at]?.type === 'or') {
    state.at += 1
    parts.push(parseAnd(state, depth))
  }
  return combine('or', parts)
}

function parseAnd(state: ParserState, depth: number): Condition {
  const parts = [parseUnary(state, depth)]
  for (;;) {
    const next = state.tokens[state.at]?.type
    if (next === undefined || next === 'or' || next === 'close') return combine('and', parts)
    if (next === 'and') state.at += 1
    parts.push(parseUnary(state, depth))
  }
}

/** Flattens nested conditions, so that all required conditions are in one list. */
function combine(type: 'and' | 'or', parts: Condition[]): Condition {
  const [only, ...more] = parts
  if (only && more.length === 0) return only
  return { type, parts: parts.flatMap((part) => (part.type === type ? part.parts : [part])) }
}

function parseUnary(state: ParserState, depth: number): Condition {
  const { query } = state
  const token = state.tokens[state.at]
  if (!token) throw queryError(query, { start: query.length, end: query.length }, 'a condition is missing here')
  if (depth > DEPTH_MAX) throw queryError(query, token.position, `nested more than ${DEPTH_MAX} levels deep`)
  state.at += 1
  if (token.type === 'term') return parseTerm(state, token)
  if (token.type === 'not') return { type: 'not', part: parseUnary(state, depth + 1) }
  if (token.type !== 'open') throw queryError(query, token.position, unexpectedToken(query, token.position))
  if (state.tokens[state.at]?.type === 'close') {
    throw queryError(query, token.position, 'there is nothing between these parentheses')
  }
  const inside = parseOr(state, depth + 1)
  if (state.tokens[state.at]?.type !== 'close')
    throw queryError(query, token.position, 'this parenthesis is never closed')
  state.at += 1
  return inside
}

function unexpectedToken(query: string, { start, end }: QueryPosition): string {
  const sign = query.slice(start, end)
  if (sign === ')') return 'a condition is missing before this parenthesis'
  return `${sign} needs a condition on both sides; to search for the word, put it in quotes`
}

function parseTerm(state: ParserState, token: TermToken): Condition {
  const { query, now } = state
  state.terms += 1
  if (state.terms > TERMS_MAX) throw queryError(query, token.position, `more than ${TERMS_MAX} terms`)
  const { field: written, value } = token
  if (!written) {
    const test = readTest({ query, now, name: 'this', field: BARE_TEXT, operator: ':', value })
    // A single asterisk matches everything.
    return test.is === 'present' ? { type: 'and', parts: [] } : { type: 'term', term: { field: 'text', key: '', test } }
  }
  const found = findField(written.written)
  if (!found) throw queryError(query, written.position, unknownField(written.written))
  const { name, field, key } = found
  if (!isStorable(key)) throw queryError(query, written.position, 'this contains a character that cannot be stored')
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
