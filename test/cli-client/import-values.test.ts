/** The parts of imports that need no server. */
import { describe, expect, it } from 'vitest'
import { distinctNames } from '../../packages/cli/src/import/distinct-names.ts'
import { spanIdOf, traceIdOf } from '../../packages/cli/src/import/langfuse/map-langfuse-trace.ts'
import { mlflowScore, mlflowTrace } from '../../packages/cli/src/import/mlflow/map-mlflow.ts'
import { contentOf, nanoseconds, otlpAttributes, unwrapOnlyText } from '../../packages/cli/src/import/otlp-values.ts'
import { openSourceServer } from '../../packages/cli/src/import/source-server.ts'

describe('values of other tools', () => {
  it.each([
    ['2026-03-01T10:00:00.123456+00:00', '1772359200123456000'],
    ['2026-03-01T12:00:00.5+02:00', '1772359200500000000'],
    ['2026-03-01T10:00:00Z', '1772359200000000000'],
    ['2026-03-01 10:00:00', '1772359200000000000'],
    ['yesterday', undefined],
    [null, undefined],
  ])('keeps all digits of a time: %s', (time, expected) => {
    expect(nanoseconds(time)).toBe(expected)
  })

  it('keeps the types that OTLP has, and turns everything else into JSON', () => {
    const fields = { text: 'a', count: 3, share: 0.5, isOn: false, list: ['a', 'b'], object: { a: 1 }, none: null }
    expect(otlpAttributes(fields)).toEqual([
      { key: 'text', value: { stringValue: 'a' } },
      { key: 'count', value: { intValue: '3' } },
      { key: 'share', value: { doubleValue: 0.5 } },
      { key: 'isOn', value: { boolValue: false } },
      { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } } },
      { key: 'object', value: { stringValue: '{"a":1}' } },
    ])
  })

  it('unwraps a single text, and nothing that has more', () => {
    expect([{ question: 'Why?' }, { a: 'x', b: 'y' }, { n: 1 }, 'plain', ['a']].map(unwrapOnlyText)).toEqual([
      'Why?',
      { a: 'x', b: 'y' },
      { n: 1 },
      'plain',
      ['a'],
    ])
    expect([{}, [], '', null, 0, false].map(contentOf)).toEqual([undefined, undefined, undefined, undefined, 0, false])
  })

  it('gives runs of the same name the same names in every import, for any order of the list', () => {
    const runs = [
      { id: 'b', name: 'v1', createdAt: '2026-01-02' },
      { id: 'a', name: 'v1', createdAt: '2026-01-01' },
      { id: 'c', name: 'v2', createdAt: '2026-01-03' },
    ]
    const expected = new Map([
      ['a', 'v1'],
      ['b', 'v1 (b)'],
      ['c', 'v2'],
    ])
    expect(distinctNames(runs)).toEqual(expected)
    expect(distinctNames(runs.toReversed())).toEqual(expected)
  })
})

describe('ids of Langfuse', () => {
  it('stay if they are ids of OpenTelemetry, and otherwise depend on the id alone', () => {
    expect(traceIdOf('5b8efff798038103d269b633813fc60c')).toBe('5b8efff798038103d269b633813fc60c')
    expect(traceIdOf('3C3F1F1E-6f4b-4e0e-9f8a-0f7c4f7c2b11')).toBe('3c3f1f1e6f4b4e0e9f8a0f7c4f7c2b11')
    expect(traceIdOf('order 7')).toMatch(/^[0-9a-f]{32}$/)
    expect(traceIdOf('order 7')).toBe(traceIdOf('order 7'))
    expect(spanIdOf('aaaaaaaaaaaaaaa1')).toBe('aaaaaaaaaaaaaaa1')
    expect(spanIdOf('first')).not.toBe(spanIdOf('second'))
  })
})

describe('MLflow', () => {
  it('maps spans of version 2, whose ids and times have other names', () => {
    const context = { trace_id: '0x5b8efff798038103d269b633813fc60c', span_id: '0xeee19b7ec3c1b173' }
    const span = { name: 'predict', context, parent_id: null, start_time: 1e18, end_time: 2e18, status_code: 'ERROR' }
    expect(mlflowTrace('bot', {}, [span])).toMatchObject({
      traceId: '5b8efff798038103d269b633813fc60c',
      spans: [
        {
          spanId: 'eee19b7ec3c1b173',
          startTimeUnixNano: '1000000000000000000',
          endTimeUnixNano: '2000000000000000000',
          status: { code: 2 },
        },
      ],
    })
  })

  it.each([
    [true, { passed: true }],
    [0.7, { score: 0.7 }],
    ['yes', { label: 'yes', passed: true }],
    ['no', { label: 'no', passed: false }],
    ['polite', { label: 'polite' }],
    [{ a: 1 }, { reason: 'its value is neither a number, a text nor true or false' }],
  ])('reads the value %j of feedback', (value, expected) => {
    expect(mlflowScore('t', { assessment_name: 'n', feedback: { value } })).toMatchObject(expected)
  })
})

it.each(['localhost:6006', 'ftp://example.com', 'https://user:password@example.com', undefined])(
  'rejects %s as the address of a source, without repeating it',
  (url) => {
    const { signal } = new AbortController()
    const open = () => openSourceServer({ signal }, { name: 'Phoenix', url, authorization: undefined, keyHint: '' })
    expect(open).toThrow(/^The address of Phoenix must (begin with|not contain)[^@]*$/)
  },
)
