import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { explainMapping, unusedKeys } from '../../src/traces/semconv/explain-mapping.ts'
import { mapSpan } from '../../src/traces/semconv/map-span.ts'
import { mapModelParameters } from '../../src/traces/semconv/model-parameters.ts'
import type { ReceivedSpan } from '../../src/traces/storing/received-span.ts'
import { readGoldenFiles, receivedSpan, type SentSpan, spanWith } from './golden-spans.ts'

const golden = readGoldenFiles()

function meaningOf(span: ReceivedSpan) {
  return { mapped: mapSpan(span), parameters: mapModelParameters(span) }
}

/** Takes one attribute after the other away: what the meaning of the span changes by has been used. */
function expectUsedAttributesToBeReported(sent: SentSpan) {
  const span = receivedSpan(sent)
  const entries = explainMapping(span)
  const unused = entries.filter(
    ({ source, outcome }) => source === 'span' && (outcome === 'kept' || outcome === 'outranked'),
  )
  // An attribute of which only a part became a field is among them, too.
  expect(unusedKeys(span)).toEqual(expect.arrayContaining(unused.map(({ key }) => key)))
  const meaning = meaningOf(span)
  const outcomeOf = (source: string, key: string) =>
    entries.find((entry) => entry.source === source && entry.key === key)?.outcome
  for (const key of span.attributes.keys()) {
    const { [key]: _, ...attributes } = sent.attributes
    const isSame = isDeepStrictEqual(meaning, meaningOf(receivedSpan({ ...sent, attributes })))
    if (!isSame) expect([key, outcomeOf('span', key)]).toEqual([key, expect.stringMatching(/^(used|linked)$/)])
  }
  for (const key of Object.keys(sent.resource ?? {})) {
    const { [key]: _, ...resource } = sent.resource ?? {}
    const isSame = isDeepStrictEqual(meaning, meaningOf(receivedSpan({ ...sent, resource })))
    const expected = isSame ? /^(kept|outranked)$/ : /^(used|linked)$/
    expect([key, outcomeOf('resource', key)]).toEqual([key, expect.stringMatching(expected)])
  }
}

describe('explaining a mapping', () => {
  it.each(golden)('reports of $name as used every attribute that changes the result', ({ file }) => {
    expectUsedAttributesToBeReported(file.span)
  })

  it('holds for any mixture of conventions', () => {
    const attributes = golden.flatMap(({ file }) => Object.entries(file.span.attributes))
    const sent = fc.record({
      attributes: fc.subarray(attributes, { maxLength: 25 }).map((chosen) => Object.fromEntries(chosen)),
      events: fc.constantFrom(...golden.map(({ file }) => file.span.events ?? [])),
    })
    fc.assert(
      fc.property(sent, (mixture) => expectUsedAttributesToBeReported({ name: 'mixture', ...mixture })),
      { numRuns: 200 },
    )
  })

  it('lists each attribute of the span, the resource and the events exactly once', () => {
    for (const { file } of golden) {
      const span = receivedSpan(file.span)
      const eventAttributes = span.events.flatMap(({ name, attributes }) =>
        [...attributes.keys()].map((key) => `event:${name} ${key}`),
      )
      expect(explainMapping(span).map(({ source, key }) => `${source} ${key}`)).toEqual([
        ...[...span.attributes.keys()].map((key) => `span ${key}`),
        ...[...span.resourceScope.resource.keys()].map((key) => `resource ${key}`),
        ...eventAttributes,
      ])
    }
  })

  it('names the attribute with precedence', () => {
    const entries = explainMapping(spanWith({ 'input.value': 'a', 'gen_ai.input.messages': 'b', strange: 1 }))
    expect(entries).toEqual([
      {
        source: 'span',
        key: 'input.value',
        value: 'a',
        convention: 'OpenInference',
        field: 'input',
        outcome: 'outranked',
        note: 'gen_ai.input.messages comes first',
      },
      {
        source: 'span',
        key: 'gen_ai.input.messages',
        value: 'b',
        convention: 'GenAI',
        field: 'input',
        outcome: 'used',
        note: null,
      },
      { source: 'span', key: 'strange', value: 1, convention: null, field: null, outcome: 'kept', note: null },
    ])
  })

  it('names the rule for the cached tokens', () => {
    const notesOf = (cached: number) =>
      explainMapping(spanWith({ 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.cache_read.input_tokens': cached })).map(
        ({ note }) => note,
      )
    expect(notesOf(5)).toEqual(Array(2).fill('inclusive: the cached tokens are a part of the input'))
    expect(notesOf(50)).toEqual(Array(2).fill('additive: the cached tokens were added to the input'))
  })

  it('reports for a resource that the span has precedence', () => {
    const attributes = { 'touchstone.component': 'own' }
    const resource = { 'touchstone.component': 'other', 'service.name': 'demo' }
    const entries = explainMapping(receivedSpan({ name: 'x', attributes, resource }))
    expect(entries.map(({ source, outcome }) => `${source} ${outcome}`)).toEqual([
      'span linked',
      'resource outranked',
      'resource kept',
    ])
  })

  it('reports link attributes as linked', () => {
    const [entry] = explainMapping(spanWith({ 'promptic.run': 'r' }))
    expect(entry).toMatchObject({ outcome: 'linked', field: 'links.run' })
  })

  it('lists which events became messages', () => {
    const file = golden.find(({ name }) => name === 'genai-old-events')?.file
    const entries = explainMapping(receivedSpan(file?.span ?? { name: '', attributes: {} }))
    expect(entries.find(({ source, key }) => source === 'event:gen_ai.choice' && key === 'message')).toMatchObject({
      field: 'output',
      outcome: 'used',
    })
  })
})
