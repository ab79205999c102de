// @module-tag sized
/** The same commands get the same answers on both engines, but for ids, secrets and what is drawn at random from them. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { createTestDatabase, ENGINES, type Engine } from '../harness/each-engine.ts'
import { traceIdOf } from '../harness/otlp-json.ts'
import { runs } from '../harness/stage.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'
import { type Ids, idSlotsOf } from '../isolation/route-requests.ts'
import { waitForJobs } from '../isolation/workspace-rows.ts'
import { type Command, command, FIRST_COMMANDS, type IdChoice, RETRIED_EVALUATION, routeOf } from './random-commands.ts'
import { batchesOf, type RandomSpan, requestOfSpans, spanTree } from './random-spans.ts'

const COMMANDS_PER_ROUND = 60
const ROUNDS = runs(5)
/** Also without hyphens, as the sender's id of a trace that came without one; spans then get ids that follow from it. */
const UUID = /[0-9a-f]{8}-?[0-9a-f]{4}-?[57][0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}/g
const SPAN_ID = /(?<=[sS]panId":")[0-9a-f]{16}(?=")/g

/** One workspace on one engine, and everything that it has made, by kind, newest last; each with the ids of what it is below. */
type Side = {
  app: TestApp
  workspaceId: string
  client: Client
  key: Client
  known: Map<string, Ids[]>
  names: Map<string, string>
}

// Both servers read this; it begins in the past, so that to a database's own clock everything is due.
let now = Date.now() - 3_600_000
const apps = new Map<Engine, TestApp>()
const removals: (() => void)[] = []

beforeAll(async () => {
  for (const engine of ENGINES) {
    const { url, remove } = await createTestDatabase(engine)
    removals.push(remove)
    // The clock stands still while jobs run, so that no pause would end.
    apps.set(engine, await startTestApp(url, { clock: { now: () => now }, pauseSeconds: 0 }))
  }
})

afterAll(async () => {
  for (const app of apps.values()) await app.close()
  for (const remove of removals) remove()
})

it('random valid and invalid commands get the same responses on SQLite and PostgreSQL', async () => {
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { minLength: COMMANDS_PER_ROUND, maxLength: COMMANDS_PER_ROUND }),
      async (commands) => {
        const sides = await Promise.all([...apps.values()].map(newSide))
        // The workspace's own ids are not the server's: among rows of one instant their order would be left to chance.
        now += 1
        for (const [place, next] of [...FIRST_COMMANDS, ...commands].entries()) {
          now += next.moveMs
          const [first, second] = await Promise.all(sides.map((side) => perform(side, next, `command-${place}`)))
          expect(second, `${place}: ${JSON.stringify(next)}`).toEqual(first)
          statuses.set(first?.status ?? 0, (statuses.get(first?.status ?? 0) ?? 0) + 1)
        }
      },
    ),
    { numRuns: ROUNDS + 1, endOnFailure: true, examples: [[RETRIED_EVALUATION]] },
  )
  // Runs in which every request was rejected would be equal, too.
  const successes =
    (statuses.get(200) ?? 0) + (statuses.get(201) ?? 0) + (statuses.get(202) ?? 0) + (statuses.get(204) ?? 0)
  console.log(`engine parity: ${JSON.stringify(Object.fromEntries(statuses))}`)
  expect(successes).toBeGreaterThan((ROUNDS * COMMANDS_PER_ROUND) / 3)
})

const SPAN_ROUNDS = runs(3)

type SpanStep = { batch: RandomSpan[] } | { deleted: string } | { path: string }

const TRACE_READS = [
  '/traces',
  '/traces?limit=1&offset=1',
  '/traces?status=error',
  '/traces?session_id=s-common',
  '/traces?service=web',
  '/traces?q=model:model-a',
  '/traces?q=name:plan%20tokens:>10',
  '/traces?q=where',
  '/traces?q=tag:Red',
  '/traces/stats?days_back=1',
  ...[1, 2].flatMap((number) => [`/traces/${traceIdOf(number)}`, `/traces/${traceIdOf(number)}/mapping?limit=3`]),
]

/** Two traces in pieces; now and then one is deleted, so that its later spans begin a new one. */
const spanSteps: fc.Arbitrary<SpanStep[]> = fc
  .tuple(spanTree(1, now - 60_000), spanTree(2, now - 7_200_000))
  .chain((traces) =>
    fc.tuple(
      batchesOf(traces.flat()),
      fc.array(fc.tuple(fc.nat(99), fc.constantFrom(1, 2)), { maxLength: 2 }),
      fc.array(fc.tuple(fc.nat(99), fc.constantFrom(...TRACE_READS)), { minLength: 4, maxLength: 8 }),
    ),
  )
  .map(([batches, deletes, reads]) => {
    const steps: SpanStep[] = batches.map((batch) => ({ batch }))
    for (const [place, number] of deletes) steps.splice(place % (steps.length + 1), 0, { deleted: traceIdOf(number) })
    for (const [place, path] of reads) steps.splice(place % (steps.length + 1), 0, { path })
    return [...steps, ...TRACE_READS.map((path) => ({ path }))]
  })

it('spans in pieces, repeated, out of order and after a delete give the same traces on SQLite and PostgreSQL', async () => {
  await fc.assert(
    fc.asyncProperty(spanSteps, async (steps) => {
      const sides = await Promise.all([...apps.values()].map(newSide))
      for (const [place, step] of steps.entries()) {
        now += 1
        const [first, second] = await Promise.all(sides.map((side) => performSpans(side, step)))
        expect(second, `${place}: ${JSON.stringify(step)}`).toEqual(first)
      }
    }),
    { numRuns: SPAN_ROUNDS, endOnFailure: true },
  )
})

async function performSpans(side: Side, step: SpanStep) {
  const { key } = side
  const answer =
    'batch' in step
      ? await key.post('/v1/traces', requestOfSpans(step.batch))
      : 'deleted' in step
        ? await key.delete(`/traces/${step.deleted}`)
        : await key.get(step.path)
  return { status: answer.status, text: renamed(side, answer.text) }
}

async function newSide(app: TestApp): Promise<Side> {
  const { workspaceId, client: key } = await app.newWorkspace()
  const owner = await app.newPerson([{ workspaceId, role: 'owner' }])
  const known = new Map([['workspaceId', [{ workspaceId }]]])
  return { app, workspaceId, client: app.asPerson(owner, workspaceId), key, known, names: new Map() }
}

async function perform(side: Side, wanted: Command, requestId: string) {
  const { body, query, idempotencyKey } = wanted
  const route = routeOf(wanted)
  const chosen = chooseIds(side, wanted)
  const path = route.path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(chosen[name] ?? ''))
  const headers = {
    'x-request-id': requestId,
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  }
  const sent = body === undefined ? { headers } : { headers, body: { ...body, ...bodyIds(wanted, chosen) } }
  const { status, text, body: answer } = await side.client.send(route.method, `${path}${query}`, sent)
  if (status === 201 || status === 202) {
    for (const made of Array.isArray(answer.data) ? answer.data : [answer])
      remember(side, route.path, { ...chosen, id: String(made.id) })
  }
  // The commands that follow must not depend on when a job happens to run, and the clock must not go on before it has: by status
  // alone one does not see that there is one, as after a delete.
  if (route.method !== 'GET') await waitForJobs(side.app.storage, side.workspaceId)
  return { status, text: renamed(side, text) }
}

/** From the deepest to the highest: the ids above one that is there are known with it. */
const DEPTHS = [
  'annotationId',
  'evaluationId',
  'itemId',
  'runId',
  'datasetId',
  'traceId',
  'componentId',
  'priceId',
  'keyId',
  'userId',
  'workspaceId',
]

function chooseIds({ known }: Side, wanted: Command): Ids {
  const slots = idSlotsOf(routeOf(wanted)).map(({ name }) => name)
  const chosen: Ids = {}
  for (const name of DEPTHS.filter((depth) => slots.includes(depth))) {
    const choice: IdChoice = wanted.ids[name] ?? { newest: 0, form: 'plain' }
    const above = wanted.isCrossed ? undefined : chosen[name]
    if ('text' in choice) {
      chosen[name] = choice.text
      continue
    }
    const made = known.get(name) ?? []
    const record = made.at(-1 - choice.newest) ?? made.at(-1) ?? {}
    const id = above ?? record[name] ?? '01890a5d-ac96-774b-bcce-000000000000'
    if (above === undefined && !wanted.isCrossed) Object.assign(chosen, { ...record, ...chosen })
    chosen[name] = choice.form === 'upper' ? id.toUpperCase() : id
  }
  return chosen
}

function bodyIds(wanted: Command, chosen: Ids): Ids {
  const { body } = routeOf(wanted)
  const required: unknown = body && 'required' in body ? body.required : []
  const slots = idSlotsOf(routeOf(wanted)).filter(({ place }) => place === 'body')
  const given = slots.filter(
    ({ name }) => wanted.hasOptionalIds || (Array.isArray(required) && required.includes(name)),
  )
  return Object.fromEntries(given.map(({ name }) => [name, chosen[name] ?? '']))
}

const KINDS: [RegExp, string][] = [
  [/\/components$/, 'componentId'],
  [/\/datasets$/, 'datasetId'],
  [/\/runs$/, 'runId'],
  [/\/annotations$/, 'annotationId'],
  [/\/evaluations$/, 'evaluationId'],
  [/\/items$/, 'itemId'],
  [/:componentId\/traces$/, 'traceId'],
  [/\/prices$/, 'priceId'],
  [/\/api-keys$/, 'keyId'],
  [/\/members$/, 'userId'],
  [/\/workspaces$/, 'workspaceId'],
]

function remember({ known }: Side, path: string, { id = '', ...above }: Ids): void {
  const kind = KINDS.find(([pattern]) => pattern.test(path))?.[1]
  if (kind === undefined) return
  const earlier = (known.get(kind) ?? []).filter((record) => record[kind] !== id)
  known.set(kind, [...earlier, { ...above, [kind]: id }])
}

/** Ids become their order of appearance; secrets, and intervals that are drawn from an id, become a word. */
function renamed({ app, names }: Side, text: string): string {
  const nameOf = (id: string) => {
    const name = names.get(id) ?? `<id ${names.size}>`
    names.set(id, name)
    return name
  }
  return text
    .replaceAll(app.url, '<url>')
    .replace(UUID, nameOf)
    .replace(SPAN_ID, nameOf)
    .replace(/tsk_[0-9A-Za-z]{8}(_[\w-]{49})?/g, '<key>')
    .replace(/#[\w-]{43}"/g, '#<token>"')
    .replace(/"lastFour":"[^"]*"/g, '"lastFour":"<four>"')
    .replace(/"lastUsedAt":("[^"]*"|null)/g, '"lastUsedAt":"<some time>"')
    .replace(/"ci":\[[^\]]*\](?=,"n":|,"method":"[^"]*(BCa|draws|bootstrap))/g, '"ci":"<drawn>"')
}
