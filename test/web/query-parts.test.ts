import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FIELD_NAMES } from '../../src/traces/query/query-fields.ts'
import { readTokens, type TermToken } from '../../src/traces/query/query-tokens.ts'
import { queryFields } from '../../web/src/pages/traces/query-field-list.ts'
import { contextAt, otherTerms, splitQuery, writeField, writeValue } from '../../web/src/pages/traces/query-parts.ts'

const VALID = [
  'status:error kind:tool',
  'model:gpt-4o* latency:>5s -tag:test',
  '"could not find your order" environment:production',
  '(rating:down OR score.correctness:<0.5) start:>-7d',
  '"score.Answer quality":>=0.8 "metadata.customer name":Ada',
  'start:{2026-11-14T09:00:00Z TO 2026-11-14T10:00:00+01:00}',
  'NOT (kind:tool OR kind:retriever) cost:[0.1 TO 0.5]',
  String.raw`name:"say \"hi\" (now)" don't 'a phrase'`,
]

function terms(query: string) {
  return readTokens(query).filter((token): token is TermToken => token.type === 'term')
}

describe('parts of a query', () => {
  it.each(VALID)('are the terms that the server reads: %s', (query) => {
    const parts = splitQuery(query).filter(({ type }) => type === 'term' || type === 'word')
    expect(parts.map(({ start, end, isNegated }) => [start + (isNegated ? 1 : 0), end])).toEqual(
      terms(query).map(({ position: { start, end } }) => [start, end]),
    )
    expect(parts.map(({ field }) => field?.name)).toEqual(terms(query).map(({ field }) => field?.written))
  })

  it('cover every text without gaps, also one that is not finished', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab:"\'\\()[]{}<>=-* \t.,TO😀') }), (query) => {
        const parts = splitQuery(query)
        expect(parts.map(({ start, end }) => query.slice(start, end)).join('')).toBe(query)
        expect(parts.every(({ start, end }) => end > start)).toBe(true)
      }),
    )
  })

  it('name every field of the server', () => {
    const names = FIELD_NAMES.map((name) => name.split('.')[0]).filter((name) => name !== 'trace')
    expect(queryFields.map(({ name }) => name)).toEqual(names)
  })
})

describe('the text at the caret', () => {
  it.each([
    ['sta', 3, { type: 'name', typed: 'sta', start: 0, end: 3 }],
    ['status:error ', 13, { type: 'name', typed: '', start: 13, end: 13 }],
    ['status:er tag:x', 9, { type: 'value', field: 'status', typed: 'er', start: 7, end: 9 }],
    ['-model:"gpt 4', 13, { type: 'value', field: 'model', typed: 'gpt 4', start: 7, end: 13 }],
    ['latency:>2', 10, { type: 'value', field: 'latency', typed: '2', hasComparison: true }],
    ['score.cor', 9, { type: 'key', field: 'score', typed: 'cor', start: 0, end: 9 }],
    ['score.correct:<', 15, { type: 'value', field: 'score', key: 'correct' }],
    ['(sta', 4, { type: 'name', typed: 'sta', start: 1 }],
    ['status:error', 3, { type: 'name', typed: 'sta', start: 0, end: 7 }],
  ])('of %j at %i', (query, caret, expected) => {
    expect(contextAt(query, caret)).toMatchObject(expected)
  })

  it('is free text inside of a phrase', () => {
    expect(contextAt('"where is', 9)).toBeUndefined()
  })
})

describe('written queries', () => {
  it('is read by the server as the same value', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (value) => {
        const query = `name:${writeValue(value)}`
        const [term] = terms(query)
        expect(term?.value).toMatchObject({ text: value })
        expect(term?.position).toEqual({ start: 0, end: query.length })
      }),
    )
  })

  it('is read by the server as the same field', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (key) => {
        const [term] = terms(`${writeField(`metadata.${key}`)}x`)
        expect(term?.field?.written).toBe(`metadata.${key}`)
      }),
    )
  })
})

describe('the other terms of a query', () => {
  it('limit the counts of suggestions if the query is a list of terms', () => {
    const query = 'status:error model: -tag:x'
    expect(otherTerms(query, splitQuery(query)[2])).toBe('status:error -tag:x')
  })

  it('are not used if the query has operators: without the term they would mean something else', () => {
    expect(otherTerms('tag:a OR tag:', undefined)).toBeUndefined()
    expect(otherTerms('(tag:a', undefined)).toBeUndefined()
  })
})
