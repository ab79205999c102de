import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { explainMapping } from '../../src/traces/semconv/explain-mapping.ts'
import { mapMetadata, metadataJson } from '../../src/traces/semconv/map-metadata.ts'
import { mapModelParameters, parametersJson, pickParameters } from '../../src/traces/semconv/model-parameters.ts'
import { attributesJson } from '../../src/traces/storing/build-span-row.ts'
import type { AttributeValue } from '../../src/traces/storing/received-span.ts'
import { readGoldenFiles, receivedSpan, spanWith } from './golden-spans.ts'

describe('metadata', () => {
  it('has the unused attributes, the resource and the scope', () => {
    const span = receivedSpan({
      name: 'x',
      attributes: { 'input.value': 'hi', metadata: '{"plan":"pro"}', 'server.port': 443 },
      resource: { 'service.name': 'demo', 'server.port': 80 },
      scope: { name: 'openai', version: '1' },
    })
    expect({ ...mapMetadata(span) }).toEqual({
      'otel.scope.name': 'openai',
      'otel.scope.version': '1',
      'service.name': 'demo',
      'server.port': 443,
      metadata: { plan: 'pro' },
    })
  })

  it('shows no secret that a header carried', () => {
    const metadata = mapMetadata(
      spanWith({
        'ai.request.headers.authorization': 'Bearer s3cret',
        'ai.request.headers.Cookie': 's3cret',
        'ai.request.headers.x-api-key': 's3cret',
        'ai.request.headers.x-goog-api-key': 's3cret',
        'http.request.header.authorization': ['Bearer s3cret'],
        'http.request.headers': { authorization: 's3cret', accept: '*/*' },
        'ai.request.headers.user-agent': 'ai/7',
      }),
    )
    expect(JSON.stringify(metadata)).not.toContain('s3cret')
    expect(metadata['ai.request.headers.user-agent']).toBe('ai/7')
    expect(metadata['http.request.headers']).toEqual({ authorization: '[redacted]', accept: '*/*' })
  })

  it('shows no secret of headers in one attribute, in any format', () => {
    const forms: { [key: string]: AttributeValue } = {
      json: '{"authorization":"Bearer s3cret","accept":"*/*"}',
      nested: '{"request":{"x_api_key":"s3cret","accept":["*/*"]}}',
      pairs: '[["Cookie","s3cret"],["accept","*/*"]]',
      inTurn: ['Authorization', 's3cret', 'accept', '*/*'],
      lines: ['Set-Cookie: s3cret', 'accept: */*'],
      named: [
        { name: 'Proxy-Authorization', value: 's3cret' },
        { name: 'accept', value: '*/*' },
      ],
      python: "{'authorization': 's3cret'}",
      cut: '{"accept":"*/*","authorization":"s3cr',
    }
    for (const [form, value] of Object.entries(forms)) {
      const span = spanWith({ 'http.request.headers': value })
      for (const written of [JSON.stringify(mapMetadata(span)), attributesJson(span.attributes)]) {
        expect(written, form).not.toContain('s3cr')
        expect(written, form).toContain('[redacted]')
        if (form !== 'python' && form !== 'cut') expect(written, form).toContain('*/*')
      }
    }
    expect(mapMetadata(spanWith({ 'http.request.headers': String(forms['json']) }))['http.request.headers']).toBe(
      '{"authorization":"[redacted]","accept":"*/*"}',
    )
  })

  it('does not change headers without a secret, including white space', () => {
    const headers = { 'http.request.headers': '{ "accept": "*/*", "n": 12345678901234567890 }', 'a.headers.x': 'token' }
    expect({ ...mapMetadata(spanWith(headers)) }).toEqual(headers)
    expect(JSON.parse(attributesJson(spanWith(headers).attributes))).toEqual(headers)
  })

  it('every attribute of a span is used, outranked, or in its metadata', () => {
    for (const { file } of readGoldenFiles()) {
      const span = receivedSpan(file.span)
      const metadata = mapMetadata(span)
      for (const { source, key, outcome } of explainMapping(span)) {
        if (source === 'span' && outcome === 'kept') expect(Object.keys(metadata)).toContain(key)
      }
    }
  })
})

describe('keys that are names of the language', () => {
  const attributes = new Map([
    ['__proto__', 'data'],
    ['constructor', 'data'],
    ['gen_ai.request.__proto__', 'data'],
    ['llm.invocation_parameters', '{"__proto__":{"polluted":true},"toString":1}'],
  ])

  it('are only keys', () => {
    const span = { ...spanWith({}), attributes }
    expect(Object.entries(mapMetadata(span))).toEqual([
      ['__proto__', 'data'],
      ['constructor', 'data'],
    ])
    expect(JSON.parse(JSON.stringify(Object.entries(mapModelParameters(span))))).toEqual([
      ['__proto__', 'data'],
      ['to_string', 1],
    ])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})

describe('model parameters', () => {
  it('have one name per setting, for all conventions', () => {
    const parameters = mapModelParameters(
      spanWith({
        'ai.settings.maxOutputTokens': 5,
        'ai.settings.topP': 0.5,
        'ai.settings.context.sessionId': 'no setting',
        'llm.invocation_parameters': '{"maxTokens":7,"frequencyPenalty":1}',
        'llm.chat.stop_sequences': ['END'],
        'gen_ai.request.choice.count': 2,
        'gen_ai.request.model': 'no setting',
      }),
    )
    expect({ ...parameters }).toEqual({
      max_tokens: 7,
      top_p: 0.5,
      frequency_penalty: 1,
      stop_sequences: ['END'],
      choice_count: 2,
    })
  })
})

describe('the text of settings and metadata', () => {
  const attributesOfAll = readGoldenFiles().flatMap(({ file }) => Object.entries(file.span.attributes))
  const name = fc.constantFrom('top_p', 'maxTokens', '1', '0', '10x', '__proto__', 'stop')
  const settings = fc.tuple(
    name.map((key) => `gen_ai.request.${key}`),
    fc.jsonValue().map((value) => JSON.stringify(value)),
  )
  const attributes = fc.array(fc.oneof(settings, fc.constantFrom(...attributesOfAll)), { maxLength: 20 })

  it('is that of the objects', () => {
    fc.assert(
      fc.property(attributes, attributes, (ofSpan, ofResource) => {
        const { resourceScope, ...span } = spanWith({})
        const resource = new Map(ofResource)
        const sent = { ...span, attributes: new Map(ofSpan), resourceScope: { ...resourceScope, resource } }
        const picked = pickParameters(sent.attributes)
        expect(parametersJson(picked)).toBe(JSON.stringify(mapModelParameters(sent)))
        expect(metadataJson(sent, picked)).toBe(JSON.stringify(mapMetadata(sent)))
      }),
    )
  })
})
