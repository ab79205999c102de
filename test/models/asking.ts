/** Asking the model server as the product does. */
import { inspect } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { createEgress } from '../../src/egress/egress-guard.ts'
import { createModelClient, type ModelClientOptions } from '../../src/llm/http-model-client.ts'
import { type ModelClient, ModelError, type Question } from '../../src/llm/model-client.ts'
import { type ModelServer, type ModelServerOptions, startModelServer } from '../harness/model-server.ts'

/** Looks like those of providers, so that what leaves out theirs leaves out this one. */
export const API_KEY = 'sk-test-4f9Zq81LmN0pXw7RtYcVbE3u'

export const QUESTION: Question = {
  system: 'Judge the field "output".',
  user: '{"output":"42"}',
  schema: {
    name: 'verdict',
    schema: {
      type: 'object',
      properties: { reason: { type: 'string' }, score: { type: 'number', minimum: 1, maximum: 5 } },
      required: ['reason', 'score'],
      additionalProperties: false,
    },
  },
}

type Asking = {
  server?: ModelServerOptions
  client?: Partial<Omit<ModelClientOptions, 'connection'>>
  connection?: Partial<ModelClientOptions['connection']>
}

/** A server and a client of it, for one test. */
export async function startAsking(asking: Asking = {}): Promise<{ server: ModelServer; client: ModelClient }> {
  const server = await startModelServer(asking.server)
  onTestFinished(() => server.close())
  return { server, client: clientOf(server.baseUrl, asking) }
}

export function clientOf(baseUrl: string, { client, connection }: Omit<Asking, 'server'> = {}): ModelClient {
  return createModelClient({
    connection: { name: 'my-openai', baseUrl, apiKey: API_KEY, models: ['judge-1', 'text-embed-1'], ...connection },
    egress: createEgress({ allowed: ['127.0.0.1'] }),
    ...client,
  })
}

/** What came in the place of an answer. Whatever it was, it tells nothing of the key. */
export async function errorOf(asked: Promise<unknown>): Promise<ModelError> {
  const error = await asked.then(
    (answer) => new Error(`there was an answer: ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ModelError)) throw error
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(API_KEY)
  return error
}
