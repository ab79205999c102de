import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createModelAccess, findModelSource, type ModelSource } from '../../src/connections/model-access.ts'
import { type ModelServer, startModelServer } from '../harness/model-server.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

const HEX = 'AB'.repeat(32)

describe('TOUCHSTONE_SECRET_KEY', () => {
  const bytes = Buffer.from(HEX, 'hex')

  it.each([HEX, HEX.toLowerCase(), bytes.toString('base64'), bytes.toString('base64url')])('is read as %s', (text) => {
    expect(readConfig({ TOUCHSTONE_SECRET_KEY: text }).secretKeys).toEqual([bytes])
  })

  it.each([',', ', ', '\n'])('may be followed by former ones, separated by %j', (between) => {
    const former = Buffer.alloc(32, 7)
    const text = `${HEX}${between}${former.toString('base64')}`
    expect(readConfig({ TOUCHSTONE_SECRET_KEY: text }).secretKeys).toEqual([bytes, former])
  })

  it.each([
    'short',
    HEX.slice(1),
    `${HEX}00`,
    'g'.repeat(64),
    bytes.toString('base64').slice(4),
    `${bytes.toString('base64')}x`,
    ' '.repeat(44),
    `${HEX},short`,
    `${HEX},`,
  ])('is rejected as %j, without being repeated', (text) => {
    expect(() => readConfig({ TOUCHSTONE_SECRET_KEY: text })).toThrow(/^TOUCHSTONE_SECRET_KEY must be 32 bytes/)
    expect(() => readConfig({ TOUCHSTONE_SECRET_KEY: text })).not.toThrow(text)
  })

  it('is replaced by a file next to an embedded database, and by none next to others', () => {
    expect(readConfig({}).secretKeyFile).toBe('./data/touchstone.db-secret-key')
    expect(readConfig({ DATABASE_URL: 'file:/var/lib/x.db' }).secretKeyFile).toBe('/var/lib/x.db-secret-key')
    expect(readConfig({ DATABASE_URL: 'postgres://u:p@h/d' }).secretKeyFile).toBeUndefined()
  })
})

describe('the default model', () => {
  it.each([
    [{}, undefined],
    [{ OPENAI_API_KEY: 'k' }, { baseUrl: 'https://api.openai.com/v1', apiKey: 'k', model: undefined }],
    [
      { OPENAI_BASE_URL: 'http://localhost:11434/v1/' },
      { baseUrl: 'http://localhost:11434/v1', apiKey: undefined, model: undefined },
    ],
    [
      { OPENAI_BASE_URL: 'https://x.example/v1?api-version=1', OPENAI_API_KEY: 'k', TOUCHSTONE_DEFAULT_MODEL: 'm' },
      { baseUrl: 'https://x.example/v1?api-version=1', apiKey: 'k', model: 'm' },
    ],
  ])('is read from %j', (environment, expected) => {
    expect(readConfig(environment).defaultModel).toEqual(expected)
  })

  it.each([
    [{ TOUCHSTONE_DEFAULT_MODEL: 'm' }, /TOUCHSTONE_DEFAULT_MODEL needs OPENAI_BASE_URL or OPENAI_API_KEY/],
    [{ OPENAI_BASE_URL: 'localhost:11434' }, /OPENAI_BASE_URL must be/],
    [{ OPENAI_BASE_URL: 'https://user:word@x.example' }, /OPENAI_BASE_URL must be/],
    [{ OPENAI_BASE_URL: 'https://x.example/#a' }, /OPENAI_BASE_URL must be/],
    [{ OPENAI_API_KEY: 'a b' }, /OPENAI_API_KEY must be/],
  ])('is rejected with a message for %j', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message)
  })
})

describe('TOUCHSTONE_ALLOWED_EGRESS', () => {
  it('that is not understood stops the start', () => {
    const config = readConfig({ TOUCHSTONE_ALLOWED_EGRESS: 'localhost, http://x' })
    expect(() => createModelAccess(config)).toThrow(/TOUCHSTONE_ALLOWED_EGRESS.*http:\/\/x/)
  })

  it.each([
    [{}, ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']],
    [{ HOST: '0.0.0.0' }, []],
    [{ TOUCHSTONE_PUBLIC_URL: 'https://touchstone.example.com' }, []],
    [{ TOUCHSTONE_ALLOWABLE_EGRESS: 'off' }, []],
    [{ HOST: '0.0.0.0', TOUCHSTONE_ALLOWABLE_EGRESS: '10.1.0.0/16, vllm.internal' }, ['10.1.0.0/16', 'vllm.internal']],
  ])(
    'admins of all applications may allow this machine and its networks only where no one else reaches it: %j',
    (environment, allowable) => {
      expect(readConfig(environment).allowableEgress).toEqual(allowable)
    },
  )
})

describeEachStorage('the model source of an evaluation', (storage) => {
  let model: ModelServer
  beforeAll(async () => {
    model = await startModelServer()
  })
  afterAll(() => model.close())

  function find(environment: Record<string, string>, name: string | undefined) {
    const access = createModelAccess(readConfig(environment))
    return findModelSource(access, storage().read, { workspaceId: crypto.randomUUID(), name, now: 0 })
  }

  async function statusOf({ connection, egress }: ModelSource): Promise<unknown> {
    const url = new URL(`${connection.baseUrl}/models`)
    const [answer] = await once(request(url, { agent: egress.agentFor(url) }).end(), 'response')
    answer.resume()
    return answer.statusCode
  }

  it('is the operator’s default if no connection is named, at any address, and its egress reaches nothing else', async () => {
    const source = await find({ OPENAI_BASE_URL: model.baseUrl, TOUCHSTONE_DEFAULT_MODEL: 'm' }, undefined)
    if (!source) throw new Error('there must be a default')
    expect(source.connection).toMatchObject({ baseUrl: model.baseUrl, apiKey: undefined, models: ['m'] })
    expect(await statusOf(source)).toBe(200)
    await expect(source.egress.check('http://127.0.0.1:9/')).rejects.toThrow(/not on the public internet/)
  })

  it('is undefined if the operator has none, or no connection has the name', async () => {
    expect(await find({}, undefined)).toBeUndefined()
    expect(await find({ OPENAI_BASE_URL: model.baseUrl }, 'no such name')).toBeUndefined()
  })

  it('does not open the operator’s own endpoint to connections of an application', async () => {
    const { egress } = createModelAccess(readConfig({ OPENAI_BASE_URL: model.baseUrl }))
    await expect(egress.check(model.baseUrl)).rejects.toThrow(/not on the public internet/)
  })
})
