// @module-tag sql
/** Deletes that meet other requests: each thing is deleted once, and nothing is left that points nowhere. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { yieldToEventLoop } from '../../src/base/event-loop.ts'
import type { Answer, Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { isDeep, runs } from '../harness/stage.ts'
import { nameOf, ROUTES, requestOf } from '../isolation/route-requests.ts'
import { seedTree } from '../isolation/seed-tree.ts'
import { countRows, waitForJobs } from '../isolation/workspace-rows.ts'

/** A policy, one's own annotation of a trace, example data and sessions: deleting them again succeeds. */
// The tree has no resolution, no deployment, and an experiment whose evaluators cannot be deleted any more: disagreements.test.ts and
// promptic-experiments.test.ts have these. A member who leaves cannot get a 404 afterwards; membership-races.test.ts has that.
const deletes = ROUTES.filter(
  ({ method, path }) =>
    method === 'DELETE' &&
    !/\/(annotation-policy|annotation|resolution|deployment|evaluators\/:evaluatorId|example-data|sessions)$/.test(
      path,
    ) &&
    path !== '/members/me',
)
const COPIES = 5
/** What stays in a workspace whose components are all gone. */
const OUTSIDE_COMPONENTS = [
  'workspaces',
  'members',
  'invitations',
  'api_keys',
  'revoked_api_keys',
  'audit_events',
  'workspace_usage',
  'idempotency_keys',
]

describeEachEngine('deletes at once', (app) => {
  let session: Client
  let workspaceId: string

  beforeAll(async () => {
    workspaceId = (await app().newWorkspace()).workspaceId
    session = app().asPerson(await app().newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
  })

  // All routes delete in the same way, so that every fourth is enough for each commit.
  const tried = isDeep ? deletes : deletes.filter((_, place) => place % 4 === 0)
  it.each(tried.map((route) => [nameOf(route), route] as const))(
    '%s succeeds exactly once of several, and is recorded once',
    { tags: 'sized' },
    async (_name, route) => {
      const ids = await seedTree(session, { workspaceId, mark: 'doomed' })
      if (route.path.startsWith('/workspaces/'))
        ids.workspaceId = await session.create('/workspaces', { name: 'PurgeTarget' })
      const { method, path } = requestOf(route, ids)
      const answers = await Promise.all(Array.from({ length: COPIES }, () => session.send(method, path)))
      const others = Array.from({ length: COPIES - 1 }, () => 404)
      expect(answers.map(({ status }) => status).sort()).toEqual([204, ...others])
      expect((await session.send(method, path)).status).toBe(404)
      // The parts of a prompt have no ids: their events name the prompt.
      const resource = path.replace(/(\/prompts\/[^/]+)\/.*$/, '$1')
      const recorded = (await session.list('/audit-log?limit=100')).filter(
        ({ action, resourceId }) =>
          resource.endsWith(String(resourceId)) && /deleted|revoked|removed|withdrawn/.test(String(action)),
      )
      // A deleted workspace takes its log out of sight; who deletes an annotation, an item, an own comment or a view is not recorded.
      const isRecorded = !/annotations|cases|comments|items|observations|views|workspaces/.test(route.path)
      expect(recorded).toHaveLength(isRecorded ? 1 : 0)
    },
  )

  /** Requests below a parent, and the delete of that parent, in every order that a permutation of sending gives. */
  type Race = { doomed: 'component' | 'dataset' | 'run'; order: number[] }
  const race: fc.Arbitrary<Race> = fc.record({
    doomed: fc.constantFrom('component', 'dataset', 'run'),
    order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }),
  })

  describe('concurrent with creates', () => {
    it('leave nothing that points nowhere, in any order of sending', { tags: 'sized' }, async () => {
      const workspace = await app().newWorkspace()
      const { client } = workspace
      await fc.assert(
        fc.asyncProperty(race, async ({ doomed, order }) => {
          const base = `/components/${await client.create('/components', { name: 'Raced' })}`
          const datasetId = await client.create(`${base}/datasets`, { name: 'Raced', traceIds: ['a', 'b'] })
          const runId = await client.create(`${base}/runs`, { datasetId, traceIds: ['a'] })
          const path = { component: base, dataset: `${base}/datasets/${datasetId}`, run: `${base}/runs/${runId}` }[
            doomed
          ]
          const traceIds = Array.from({ length: 600 }, (_, place) => `t${place}`)
          const requests: (() => Promise<Answer>)[] = [
            () => client.post(`${base}/runs`, { datasetId, traceIds }),
            () => client.post(`${base}/runs`, { datasetId }),
            () => client.post(`${base}/evaluations`, { datasetId, runId }),
            () => client.post(`${base}/evaluations`, { datasetId }),
            () => client.post(`${base}/runs/${runId}/annotations`, { traceDbId: 'a', rating: 'positive' }),
            () => client.post(`${base}/datasets`, { name: 'Concurrent', traceIds }),
            () => client.delete(path),
            () => client.post(`${base}/runs/${runId}/annotations`, { traceDbId: 'b' }),
          ]
          const answers = await Promise.all(order.map((place) => requests[place]?.()))
          for (const answer of answers) expect([201, 202, 204, 404], answer?.text).toContain(answer?.status)
          expect(answers.filter((answer) => answer?.status === 204)).toHaveLength(1)
          expect((await client.get(path)).status).toBe(404)
          await expectNoneBelow(client, base, { doomed, datasetId, runId })
          expect([204, 404]).toContain((await client.delete(base)).status)
        }),
        { numRuns: runs(6), endOnFailure: true },
      )
      await waitForJobs(app().storage, workspace.workspaceId)
      const left = Object.keys(await countRows(app().storage, workspace.workspaceId))
      expect(left.filter((table) => !OUTSIDE_COMPONENTS.includes(table))).toEqual([])
    })
  })

  it('a run that is created while its dataset is deleted is rejected or deleted with it', async () => {
    const { client, workspaceId: own } = await app().newWorkspace()
    const base = `/components/${await client.create('/components', { name: 'Raced' })}`
    // Enough to be written in several pieces, between which a delete can come.
    const traceIds = Array.from({ length: 2_500 }, (_, place) => `t${place}`)
    const outcomes = new Set<number>()
    for (let round = 0; round < 24; round += 1) {
      const datasetId = await client.create(`${base}/datasets`, { name: 'Raced' })
      const after = (isLate: boolean, send: () => Promise<Answer>) => turns(isLate ? round * 2 : 0).then(send)
      const [made, removed] = await Promise.all([
        after(round % 3 === 0, () => client.post(`${base}/runs`, { datasetId, traceIds })),
        after(round % 3 !== 0, () => client.delete(`${base}/datasets/${datasetId}`)),
      ])
      expect(removed.status).toBe(204)
      expect([201, 404]).toContain(made.status)
      outcomes.add(made.status)
      if (made.status === 201) expect((await client.get(`${base}/runs/${made.body.id}`)).status).toBe(404)
      expect(await client.list(`${base}/runs`)).toEqual([])
    }
    expect([...outcomes].sort(), 'both orders must have been met').toEqual([201, 404])
    await waitForJobs(app().storage, own)
    const { runs = 0, run_traces: traces = 0, datasets = 0 } = await countRows(app().storage, own)
    expect({ runs, traces, datasets }).toEqual({ runs: 0, traces: 0, datasets: 0 })
  })

  describe('limits that are counted', () => {
    it('a member never has more than 50 keys in an application, also with concurrent creates', async () => {
      const id = await session.create('/workspaces', { name: 'Many keys' })
      const owner = { 'x-ai-application-id': id }
      const make = () => session.post('/api-keys', { name: 'Key' }, owner)
      for (let made = 0; made < 46; made += 1) expect((await make()).status).toBe(201)
      const answers = await Promise.all(Array.from({ length: 20 }, make))
      const { body } = await session.get('/api-keys?limit=100', owner)
      expect(body.data).toHaveLength(50)
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(4)
    })

    it('an application keeps an owner when all of them leave at once', async () => {
      const { workspaceId: own } = await app().newWorkspace()
      const people = [await app().newPerson([{ workspaceId: own, role: 'owner' }])]
      people.push(await app().newPerson([{ workspaceId: own, role: 'owner' }]))
      const members = await app()
        .asPerson(people[0] ?? fail(), own)
        .list('/members')
      const answers = await Promise.all(
        members.flatMap(({ id }) =>
          people.map((person) => app().asPerson(person, own).patch(`/members/${id}`, { role: 'viewer' })),
        ),
      )
      for (const { status, text } of answers) expect([200, 401, 403, 409], text).toContain(status)
      const owners = await app()
        .storage.read.selectFrom('members')
        .select('user_id')
        .where('workspace_id', '=', own)
        .where('role', '=', 'owner')
        .execute()
      expect(owners).toHaveLength(1)
    })

    it('an invitation is accepted once', async () => {
      const { body } = await session.post('/members', { email: 'only-once@example.com', role: 'viewer' })
      const token = String(body.invitationUrl).split('#')[1]
      const accept = () =>
        app().anonymous.post('/invitations/sign-up', { token, name: 'Ann', password: 'correct horse, charged battery' })
      const answers = await Promise.all([accept(), accept(), accept()])
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404])
    })
  })

  async function expectNoneBelow(
    client: Client,
    base: string,
    { doomed, datasetId, runId }: { doomed: Race['doomed']; datasetId: string; runId: string },
  ): Promise<void> {
    const runs = await client.list(`${base}/runs?limit=100`)
    const evaluations = await client.list(`${base}/evaluations?limit=100`)
    expect(await client.list(`${base}/runs/${runId}/annotations`)).toEqual([])
    expect(runs.filter(({ id }) => id === runId)).toEqual([])
    if (doomed === 'run') return
    expect([...runs, ...evaluations].filter((row) => row.datasetId === datasetId)).toEqual([])
    expect(await client.list(`${base}/datasets/${datasetId}/annotations`)).toEqual([])
    if (doomed === 'component') expect(await client.list(`${base}/datasets`)).toEqual([])
  }
})

/** Lets the process, and the server in it, go on for a while that is counted in turns and not in time. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await yieldToEventLoop()
}

function fail(): never {
  throw new Error('there must be a person')
}
