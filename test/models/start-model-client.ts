/** A client of the model server, as the product creates it. */
import { inspect } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { createEgress } from '../../src/egress/egress-guard.ts'
import type { ChatClient, ChatEvent } from '../../src/llm/chat.ts'
import { createModelClient, type ModelClientOptions } from '../../src/llm/http-model-client.ts'
import { ModelError, type Question } from '../../src/llm/model-client.ts'
import { type ModelServer, type ModelServerOptions, startModelServer } from '../harness/model-server.ts'

/** Looks like those of providers, so that what redacts theirs redacts this one. */
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

type Options = {
  server?: ModelServerOptions
  client?: Partial<Omit<ModelClientOptions, 'connection'>>
  connection?: Partial<ModelClientOptions['connection']>
}

/** A server and a client of it, for one test. */
export async function startModelClient(options: Options = {}): Promise<{ server: ModelServer; client: ChatClient }> {
  const server = await startModelServer(options.server)
  onTestFinished(() => server.close())
  return { server, client: clientOf(server.baseUrl, options) }
}

export function clientOf(baseUrl: string, { client, connection }: Omit<Options, 'server'> = {}): ChatClient {
  return createModelClient({
    connection: {
      name: 'my-openai',
      kind: 'openai',
      baseUrl,
      apiKey: API_KEY,
      models: ['judge-1', 'text-embed-1'],
      ...connection,
    },
    egress: createEgress({ allowed: ['127.0.0.1'] }),
    ...client,
  })
}

export async function eventsOf(stream: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const events: ChatEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

/** The error of a request, which never contains the key. */
export async function errorOf(asked: Promise<unknown>): Promise<ModelError> {
  const error = await asked.then(
    (answer) => new Error(`there was an answer: ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ModelError)) throw error
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(API_KEY)
  return error
}
