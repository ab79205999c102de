/** A server in this process, with the few rows that the requests of walks need. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'

/** In path and body, ids like {componentId} are filled in, and {n} by a number that differs from request to request. */
export type WalkRequest = {
  /** A method and a path below /api/v1 or /v1: `POST /components`. */
  request: string
  body?: unknown
  /** The walk includes the jobs that the request starts. */
  waitsForJobs?: boolean
}

export type WalkServer = {
  /** The server runs jobs only for requests that wait for them: looking for jobs is no part of the others. */
  send(request: WalkRequest): Promise<void>
  close(): Promise<void>
}

export const START_EVALUATION = {
  request: 'POST /components/{componentId}/evaluations',
  body: { datasetId: '{datasetId}', runId: '{runId}', config: { evaluators: [{ type: 'exactMatch' }] } },
  waitsForJobs: true,
}

const QUESTIONS = ['one', 'two', 'three']

export async function startWalkServer(): Promise<WalkServer> {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-walk-'))
  const file = join(folder, 'walk.db')
  const config = readConfig({
    DATABASE_URL: `file:${file}`,
    PORT: '0',
    TOUCHSTONE_LOG_LEVEL: 'silent',
    TOUCHSTONE_OTLP_GRPC_PORT: 'off',
  })
  let works = true
  let app = await startApp({ config, serves: true, works })
  const { apiKey } = app.firstStart
  // Jobs are counted past the program, whose files would count as run otherwise.
  const database = new Database(file, { readonly: true })
  const countJobs = database.prepare('select count(*) from jobs').pluck()
  const ids: Record<string, string> = {}
  // One connection: accepting another one is no part of a request.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  /** Eight digits, so that it can be a part of the id of a trace. */
  let number = 10_000_000

  async function send({ request: asked, body, waitsForJobs = false }: WalkRequest): Promise<unknown> {
    const n = String(number++)
    const fill = (template: string) =>
      template.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'n' ? n : (ids[name] ?? name)))
    const [method = '', path = ''] = fill(asked).split(' ')
    const address = `${app.url}${path.startsWith('/v1/') ? '' : '/api/v1'}${path}`
    const sent = request(address, {
      method,
      agent,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    })
    sent.end(body === undefined ? undefined : fill(JSON.stringify(body)))
    const [response]: IncomingMessage[] = await once(sent, 'response')
    const received = response ? await text(response) : ''
    if (!response?.statusCode?.toString().startsWith('2'))
      throw new Error(`${method} ${path}: ${response?.statusCode} ${received}`)
    while (waitsForJobs && countJobs.get() !== 0) await delay(10)
    return received === '' ? undefined : JSON.parse(received)
  }

  async function create(request: string, body: unknown): Promise<string> {
    return Object(await send({ request, body })).id
  }

  ids.componentId = await create('POST /components', { name: 'Greeter' })
  const below = 'POST /components/{componentId}'
  ids.datasetId = await create(`${below}/datasets`, { name: 'Questions' })
  const items = QUESTIONS.map((input) => ({ input, expected: `answer ${input}` }))
  await send({ request: `${below}/datasets/{datasetId}/items`, body: items })
  for (const run of ['baselineId', 'runId']) {
    const traceIds: string[] = []
    for (const input of QUESTIONS) {
      ids.traceId = await create(`${below}/traces`, { name: 'answer', input, output: `answer ${input}` })
      traceIds.push(ids.traceId)
    }
    ids.runId = await create(`${below}/runs`, { datasetId: '{datasetId}', traceIds })
    ids[run] = ids.runId
    await send(START_EVALUATION)
  }

  return {
    async send(request) {
      const { waitsForJobs = false } = request
      if (waitsForJobs !== works) {
        await app.close()
        works = waitsForJobs
        app = await startApp({ config, serves: true, works })
      }
      await send(request)
    },
    async close() {
      database.close()
      agent.destroy()
      await app.close()
      rmSync(folder, { recursive: true })
    },
  }
}
