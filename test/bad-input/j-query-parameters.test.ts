import { beforeAll, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { missingIds, nameOf, ROUTES, requestOf } from '../isolation/route-requests.ts'

/** The reads of the specification, probes and `openapi.json` ignore what they do not know. */
const STRICT = ROUTES.filter(({ ignoresOtherParameters }) => !ignoresOtherParameters)
const WITH_QUERY = STRICT.filter(({ query }) => query !== undefined)
const LENIENT = ROUTES.filter(({ ignoresOtherParameters }) => ignoresOtherParameters)

describeEachEngine('query parameters', (app) => {
  let workspaceId = ''
  let owner: Client

  beforeAll(async () => {
    workspaceId = (await app().newWorkspace()).workspaceId
    owner = app().asPerson(await app().newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
  })

  it.each(STRICT.map((route) => [nameOf(route), route] as const))(
    'of %s that are unknown are rejected with their name and the list of known ones',
    async (_, route) => {
      const { method, path, ...sent } = requestOf(route, missingIds(workspaceId))
      const misspelled = `${path}${path.includes('?') ? '&' : '?'}statsu=error`
      const answer = await owner.send(method, misspelled, sent)
      expect(answer.status).toBe(400)
      expect(answer.body.error).toMatch(/^The query parameter statsu is not known; this endpoint accepts /)
      const known = [...Object.keys(route.query?.properties ?? {}), ...(route.paged ? ['limit', 'offset'] : [])]
      expect(answer.body.error).toMatch(new RegExp(`accepts ${known.sort().join(', ') || 'none'}$`))
    },
  )

  it.each(WITH_QUERY.map((route) => [nameOf(route), route] as const))(
    'of %s must not contain U+0000, as the description of every text says',
    async (_, route) => {
      const { method, path, ...sent } = requestOf(route, missingIds(workspaceId))
      for (const name of Object.keys(route.query?.properties ?? {})) {
        const url = new URL(path, 'http://x')
        url.searchParams.set(name, 'a\0b')
        const answer = await owner.send(method, `${url.pathname}${url.search}`, sent)
        expect([answer.status, answer.body.error]).toEqual([
          400,
          `The query parameter ${name} must not contain the character U+0000`,
        ])
      }
    },
  )

  it('are ignored only by endpoints of the specification, by probes and by the description', () => {
    expect(LENIENT.map(nameOf).sort()).toEqual(
      [
        'GET /ai-application',
        'GET /ai-applications',
        'GET /components',
        ...['', '/datasets', '/datasets/:datasetId', '/datasets/:datasetId/annotations', '/evaluations'].map(
          (path) => `GET /components/:componentId${path}`,
        ),
        ...['/runs', '/runs/:runId', '/runs/:runId/annotations'].map((path) => `GET /components/:componentId${path}`),
        ...['/components', '/components/:componentId/datasets', '/components/:componentId/runs'].map(
          (path) => `POST ${path}`,
        ),
        'POST /components/:componentId/runs/:runId/annotations',
        ...['', '/datasets/:datasetId', '/runs/:runId', '/runs/:runId/annotations/:annotationId'].map(
          (path) => `DELETE /components/:componentId${path}`,
        ),
        'GET /health',
        'GET /openapi.json',
        'GET /ready',
        'GET /workspace',
        'GET /workspaces',
      ].sort(),
    )
  })

  it('are all that the description of the list of traces declares', async () => {
    const { client } = await app().newWorkspace()
    expect((await client.get('/traces?status=ok&limit=5&offset=0&q=a')).status).toBe(200)
  })
})

describeEachEngine('a day that is not in the calendar', (app) => {
  it('is rejected by every parameter that is a time', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const person = await app().newPerson([{ workspaceId, role: 'owner' }])
    const browser = app().asPerson(person, workspaceId)
    const componentId = await client.create('/components', { name: 'C' })
    const traces = `/components/${componentId}/traces`
    const time = '2027-02-31T00:00:00Z'
    const price = { modelPattern: 'm', inputPerMillion: 1, outputPerMillion: 1 }
    const answers = [
      await client.post(traces, { startTime: time }),
      await client.post(traces, { endTime: time }),
      await client.post(traces, { spans: [{ startTime: time }] }),
      await client.post(traces, { spans: [{ events: [{ name: 'e', timestamp: time }] }] }),
      await client.get(`/traces?start_after=${time}`),
      await client.get('/traces?start_before=2027-02-31'),
      await client.get('/traces?q=start:2027-02-31'),
      await client.get(`/traces?q=${encodeURIComponent(`start:>"${time}"`)}`),
      await browser.post('/prices', { ...price, validFrom: time }),
      await browser.post('/prices', { ...price, validUntil: time }),
      await browser.post('/traces/reprice', { startAfter: time }),
      await browser.post('/api-keys', { name: 'k', expiresAt: time }),
    ]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400))
    expect(await client.list('/traces')).toEqual([])
  })
})
