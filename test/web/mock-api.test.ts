import { afterEach, describe, expect, it } from 'vitest'
import { buildExample, findMismatch, operations } from './api-description.ts'
import { expectDescribed, failed, mockFetch, onRequest, resetMockApi } from './mock-api.ts'
import { idOf } from './open-page.ts'

const APPLICATION = { 'X-AI-Application-Id': idOf(1) }

describe('mock of the API', () => {
  // What these tests provoke must not fail them.
  afterEach(resetMockApi)

  const send = (path: string, init: RequestInit = { headers: APPLICATION }) => mockFetch(new Request(path, init))

  const post = (path: string, body: unknown, headers: Record<string, string> = APPLICATION) =>
    send(path, { method: 'POST', body: JSON.stringify(body), headers })

  it('an example of every described response matches its schema', () => {
    const mismatches = operations.flatMap(({ name, responses }) =>
      Object.entries(responses).map(([status, { content }]) => {
        const schema = content?.['application/json']?.schema
        const mismatch = schema && findMismatch(schema, buildExample(schema))
        return mismatch && `${name} ${status}: ${mismatch}`
      }),
    )
    expect(mismatches.filter(Boolean)).toEqual([])
    expect(operations.length).toBeGreaterThan(80)
  })

  it('a described request gets a minimal response', async () => {
    const response = await post('/api/v1/components', { name: 'assistant' })
    expect(response.status).toBe(201)
    expect(await response.json()).toEqual({ id: idOf(0) })
    expectDescribed()
  })

  it('a fixed path is preferred to a parameter', async () => {
    const response = await send('/api/v1/members/me', { method: 'DELETE', headers: APPLICATION })
    expect(response.status).toBe(204)
    expectDescribed()
  })

  it.each([
    ['a path', '/api/v1/nothing', {}, 'POST /api/v1/nothing is not in the description of the API.'],
    ['a method', '/api/v1/me', {}, 'POST /api/v1/me is not in the description of the API.'],
    ['a field', '/api/v1/components', { name: 'a', color: 'red' }, 'POST /components got a body that the description'],
    ['a missing field', '/api/v1/components', {}, "it must have required property 'name'"],
    ['a query', '/api/v1/components?dry=true', { name: 'a' }, 'POST /components got a query that the description'],
  ])('%s that the description does not have fails the test', async (_what, path, body, message) => {
    await post(path, body)
    expect(expectDescribed).toThrow(message)
  })

  it('an invalid value in the path or the query fails the test', async () => {
    await send('/api/v1/components/no-id')
    expect(expectDescribed).toThrow('GET /components/{componentId} got a path that the description does not allow')
    resetMockApi()
    await send('/api/v1/components?limit=1000')
    expect(expectDescribed).toThrow('it/limit must be <= 100')
  })

  it('a request without its application fails the test', async () => {
    await post('/api/v1/components', { name: 'assistant' }, {})
    expect(expectDescribed).toThrow('POST /components requires the header X-AI-Application-Id.')
  })

  it('a response that the API cannot return fails the test', async () => {
    onRequest('POST /components', { id: idOf(1), name: 'assistant' })
    await post('/api/v1/components', { name: 'assistant' })
    expect(expectDescribed).toThrow(
      'POST /components cannot respond with 201 and this body: it must NOT have additional',
    )
    resetMockApi()
    onRequest('POST /components', failed(418, 'I am a teapot'))
    await post('/api/v1/components', { name: 'assistant' })
    expect(expectDescribed).toThrow('POST /components cannot respond with status 418.')
  })

  it('a test cannot set the response of an operation that does not exist', () => {
    expect(() => onRequest('GET /nothing', {})).toThrow('The API has no operation GET /nothing')
  })
})
