import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { OPERATIONS } from './operations.ts'

type Parameter = { name: string; in: string; required?: boolean; schema: Record<string, unknown> }
type Operation = { parameters?: Parameter[]; responses: Record<string, unknown>; security: Record<string, unknown>[] }
type Description = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> }
}

const description: Description = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => (method === 'servers' ? [] : [{ path, method, operation }])),
)

describe('the description', () => {
  it('has the twenty operations of the specification, each with its authentication', () => {
    expect(OPERATIONS).toHaveLength(20)
    for (const { method, template, auth } of OPERATIONS) {
      const { security = [] } = description.paths[template]?.[method.toLowerCase()] ?? {}
      const schemes = security.map((scheme) => Object.keys(scheme)[0])
      const bySession = ['session', 'sessionToken']
      expect(schemes, `${method} ${template}`).toEqual(auth === 'session' ? bySession : ['apiKey', ...bySession])
    }
  })

  it('declares 400, 408 and 431 for every operation', () => {
    for (const { path, method, operation } of operations)
      expect(Object.keys(operation.responses), `${method} ${path}`).toEqual(
        expect.arrayContaining(['400', '408', '431']),
      )
  })

  it('has traces by OpenTelemetry, below the prefix and at the default path of exporters', () => {
    for (const path of ['/traces', '/v1/traces']) {
      const content = Object(description.paths[path]?.post).requestBody.content
      expect(Object.keys(content)).toEqual(['application/json', 'application/x-protobuf'])
    }
    expect(Object(description.paths['/v1/traces']).servers).toEqual([{ url: '/', description: 'This server' }])
  })

  it('declares required query parameters, and that a batch may be empty', () => {
    const parameters = operations.flatMap(({ operation }) => operation.parameters ?? [])
    const needed = parameters.filter((one) => one.in === 'query' && one.required).map(({ name }) => name)
    expect([...new Set(needed)].toSorted()).toEqual([
      'baseline',
      'candidate',
      'datasetId',
      'field',
      'from',
      'group_by',
      'q',
      'to',
      'version',
    ])
    expect(Object(description.paths['/v1/traces']?.post).requestBody.required).toBe(false)
  })

  it.each([
    [
      'status',
      { type: 'string', enum: ['ok', 'error'] },
      // Of experiments, as promptic-sdk knows them.
      { type: 'string', enum: ['pending', 'scheduled', 'running', 'completed', 'failed'] },
    ],
    ['days_back', { type: 'integer', minimum: 1, maximum: 3_650 }],
    ['margin', { type: 'number', minimum: 0 }],
    ['dry_run', { type: 'boolean' }],
    // Of the scores of an evaluation, and of the calls of a trial.
    [
      'state',
      ...['scored', 'done'].map((end) => ({
        type: 'string',
        enum: ['queued', 'running', 'retrying', end, 'failed', 'skipped'],
      })),
    ],
  ])('declares the values of the query parameter %s', (name, ...schemas) => {
    const found = operations.flatMap(({ operation }) => operation.parameters ?? []).filter((one) => one.name === name)
    expect(found.length).toBeGreaterThan(0)
    for (const parameter of found) {
      const { description: _description, ...rest } = Object(parameter.schema)
      expect(schemas).toContainEqual(rest)
    }
  })

  it('allows no U+0000 in a text, which is rejected', () => {
    const name = Object(description.components.schemas.Component).properties.name
    expect(new RegExp(name.pattern, 'u').test('a\u0000b')).toBe(false)
    expect(new RegExp(name.pattern, 'u').test('a\nb')).toBe(true)
  })

  it('offers a session as a cookie and as a bearer token', () => {
    expect(description.components.securitySchemes.sessionToken).toMatchObject({ type: 'http', scheme: 'bearer' })
    expect(description.paths['/audit-log']?.get?.security).toEqual([
      { session: [], application: [] },
      { sessionToken: [], application: [] },
    ])
  })
})
