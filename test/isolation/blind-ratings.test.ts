/**
 * No route shows the ratings of others to a blind rater. Two workspaces differ only in the ratings of one person: all
 * good in one, all bad in the other. A reader who may not know must get the same bytes from both; ids and times aside.
 *
 * Every route has to be in one of the lists below: for a new one its author decides whether it shows ratings, or aggregates of them.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { newRaters, type Rater } from '../annotations/rated-run.ts'
import { type Seeded, seedComparison } from '../comparisons/seed-comparison.ts'
import { browserWith } from '../conformance/team.ts'
import { gatePrompt } from '../deployments/gate-by-ratings.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { until } from '../harness/wait-for.ts'
import { nameOf, ROUTES } from './route-requests.ts'
import { UNRELATED } from './unrelated-reads.ts'

type World = Seeded & {
  evaluationId: string
  runId: string
  readers: Record<Reader, Rater>
  annotationId: string
  decisionId: string
  prompt: string
}
type Reader = 'blind' | 'has rated' | 'admin'

const C = '/components/:componentId'

/** Routes that show ratings or aggregates of them, with their requests. */
const SHOW_RATINGS: Record<string, (world: World) => string[]> = {
  [`GET ${C}/comparisons`]: ({ at }) => [at(), at('limit=100')],
  [`GET ${C}/comparisons/preferences`]: ({ component, baseline, candidate }) => [
    `${component}/comparisons/preferences?baseline=${baseline.runId}&candidate=${candidate.runId}`,
  ],
  [`GET ${C}/comparisons/report`]: ({ at }) => [at().replace('/comparisons', '/comparisons/report')],
  [`GET ${C}/decisions/:decisionId`]: ({ component, decisionId }) => [`${component}/decisions/${decisionId}`],
  [`GET ${C}/decisions/:decisionId/report`]: ({ component, decisionId }) => [
    `${component}/decisions/${decisionId}/report`,
  ],
  [`GET ${C}/datasets/:datasetId/agreement`]: ({ component, datasetId }) => [
    `${component}/datasets/${datasetId}/agreement`,
    `${component}/datasets/${datasetId}/agreement?include=rating_counts`,
  ],
  [`GET ${C}/datasets/:datasetId/annotations`]: ({ component, datasetId }) => [
    `${component}/datasets/${datasetId}/annotations`,
  ],
  [`GET ${C}/evaluations/:evaluationId`]: ({ component, evaluationId }) => [`${component}/evaluations/${evaluationId}`],
  [`GET ${C}/evaluations/:evaluationId/scores`]: ({ component, evaluationId }) => [
    `${component}/evaluations/${evaluationId}/scores`,
    `${component}/evaluations/${evaluationId}/scores?evaluator=people`,
    `${component}/evaluations/${evaluationId}/scores?state=scored`,
    `${component}/evaluations/${evaluationId}/scores?state=skipped`,
    `${component}/evaluations/${evaluationId}/scores?state=failed`,
  ],
  [`GET ${C}/evaluations/:evaluationId/scores/summary`]: ({ component, evaluationId }) => [
    `${component}/evaluations/${evaluationId}/scores/summary?group_by=value`,
    `${component}/evaluations/${evaluationId}/scores/summary?group_by=error`,
  ],
  [`GET ${C}/evaluations/:evaluationId/cases`]: ({ component, evaluationId, candidate }) => [
    `${component}/evaluations/${evaluationId}/cases`,
    `${component}/evaluations/${evaluationId}/cases?case=${candidate.traceIds[0]}`,
    ...['passed=true', 'passed=false', 'states=scored', 'states=skipped', 'sort=score', 'sort=-score'].map(
      (query) => `${component}/evaluations/${evaluationId}/cases?metric=people&${query}`,
    ),
  ],
  [`GET ${C}/datasets/:datasetId/contents`]: ({ component, datasetId }) => [
    `${component}/datasets/${datasetId}/contents`,
  ],
  [`GET ${C}/datasets/:datasetId/item-rows`]: ({ component, datasetId }) =>
    ['', '?filter=turned_to_fail', '?filter=turned_to_pass', '?filter=failing', '?sort=turned'].map(
      (parameters) => `${component}/datasets/${datasetId}/item-rows${parameters}`,
    ),
  [`GET ${C}/datasets/:datasetId/item-rows/:itemId`]: ({ component, datasetId, itemIds }) => [
    `${component}/datasets/${datasetId}/item-rows/${itemIds[0]}`,
  ],
  [`GET ${C}/overview`]: ({ component }) => [`${component}/overview?from=2026-01-01`],
  [`GET ${C}/dataset-summaries`]: ({ component }) => [`${component}/dataset-summaries`],
  [`GET ${C}/run-summaries`]: ({ component }) => [`${component}/run-summaries`],
  [`GET ${C}/evaluation-summaries`]: ({ component }) => [`${component}/evaluation-summaries`],
  [`GET ${C}/trends`]: ({ component }) => [`${component}/trends?from=-30d`],
  [`GET ${C}/runs/:runId/cases`]: ({ component, runId }) =>
    [
      '',
      '?filter=rated',
      '?filter=unrated',
      '?filter=passed&metric=people',
      '?filter=not_measured&metric=people',
      '?sort=-score&metric=people',
      '?q=rating%3Apositive',
    ].map((query) => `${component}/runs/${runId}/cases${query}`),
  [`GET ${C}/prompts/:promptId/labels/:label/check`]: ({ prompt }) => [`${prompt}/labels/production/check?version=2`],
  [`GET ${C}/prompts/:promptId/results`]: ({ prompt, datasetId }) => [`${prompt}/results?datasetId=${datasetId}`],
  'GET /component-summaries': () => ['/component-summaries?from=2026-01-01'],
  [`GET ${C}/runs/:runId/agreement`]: ({ component, runId }) => [
    `${component}/runs/${runId}/agreement`,
    `${component}/runs/${runId}/agreement?include=pair_summaries,rating_counts`,
  ],
  [`GET ${C}/runs/:runId/disagreements`]: ({ component, runId }) => [
    `${component}/runs/${runId}/disagreements`,
    `${component}/runs/${runId}/disagreements?resolved=true`,
  ],
  [`GET ${C}/runs/:runId/annotations`]: ({ component, runId }) => [
    `${component}/runs/${runId}/annotations`,
    `${component}/runs/${runId}/annotations?include=trace`,
  ],
  'GET /traces/export': () => ['/traces/export', '/traces/export?format=csv'],
  'GET /traces': () => ['/traces?include=ratings,scores', '/traces?include=ratings&sort=duration'],
  'GET /traces/:traceId/annotations': ({ candidate }) => candidate.traceIds.map((id) => `/traces/${id}/annotations`),
  'GET /traces/:traceId/links': ({ candidate }) => candidate.traceIds.map((id) => `/traces/${id}/links`),
  'GET /traces/:traceId/comments': ({ candidate }) => candidate.traceIds.map((id) => `/traces/${id}/comments`),
}

/** Routes that show something of one annotation: 404 for a reader without access to it. */
const OF_ONE: Record<string, (world: World) => string[]> = {
  [`GET ${C}/runs/:runId/annotations/:annotationId/corrected-output`]: ({ component, runId, annotationId }) => [
    `${component}/runs/${runId}/annotations/${annotationId}/corrected-output`,
  ],
}

const RATING_QUERIES = [
  'rating:positive',
  'rating:negative',
  'score.people:1',
  'score.people:0',
  'score.people:>0.5',
  'has:annotation',
].map(encodeURIComponent)

/** A search may filter by ratings, but finds none of a blind run, for all readers. */
const SEARCHES: Record<string, (world: World) => string[]> = {
  'GET /traces': () => RATING_QUERIES.flatMap((q) => [`/traces?q=${q}`, `/traces?include=scores&q=${q}`]),
  'GET /traces/facets': () => [
    '/traces/facets?field=rating',
    '/traces/facets?field=score',
    ...RATING_QUERIES.flatMap((q) => ['rating', 'status'].map((field) => `/traces/facets?field=${field}&q=${q}`)),
  ],
  'GET /traces/facet-groups': () => ['', ...RATING_QUERIES].map((q) => `/traces/facet-groups?q=${q}`),
  'GET /traces/series': () => RATING_QUERIES.map((q) => `/traces/series?from=2026-01-01&q=${q}`),
}

/** Routes that show no rating: all readers get the same from them. */
const OTHERS: Record<string, (world: World) => string[]> = {
  // Only a summary in words, which has no number of so few items. `decisions.test.ts` shows that raters get the one without ratings.
  [`GET ${C}/decisions`]: ({ component }) => [`${component}/decisions`],
  [`GET ${C}`]: ({ component }) => [component],
  [`GET ${C}/datasets`]: ({ component }) => [`${component}/datasets`],
  [`GET ${C}/datasets/:datasetId`]: ({ component, datasetId }) => [`${component}/datasets/${datasetId}`],
  [`GET ${C}/datasets/:datasetId/export`]: ({ component, datasetId }) => [
    `${component}/datasets/${datasetId}/export?format=jsonl`,
  ],
  [`GET ${C}/datasets/:datasetId/test-openings`]: ({ component, datasetId }) => [
    `${component}/datasets/${datasetId}/test-openings`,
  ],
  [`GET ${C}/datasets/:datasetId/settings`]: ({ component, datasetId }) => [
    `${component}/datasets/${datasetId}/settings`,
  ],
  [`GET ${C}/datasets/:datasetId/items`]: ({ component, datasetId }) => [`${component}/datasets/${datasetId}/items`],
  [`GET ${C}/datasets/:datasetId/cases`]: ({ component, datasetId }) => [`${component}/datasets/${datasetId}/cases`],
  [`GET ${C}/datasets/:datasetId/cases/:caseId`]: ({ component, datasetId }) => [
    `${component}/datasets/${datasetId}/cases/1`,
  ],
  [`GET ${C}/datasets/:datasetId/items/:itemId`]: ({ component, datasetId, itemIds }) => [
    `${component}/datasets/${datasetId}/items/${itemIds[0]}`,
  ],
  [`GET ${C}/datasets/:datasetId/health`]: ({ component, datasetId }) => [`${component}/datasets/${datasetId}/health`],
  [`GET ${C}/evaluations`]: ({ component }) => [`${component}/evaluations`],
  [`GET ${C}/evaluations/:evaluationId/events`]: ({ component, evaluationId }) => [
    `${component}/evaluations/${evaluationId}/events`,
  ],
  [`GET ${C}/runs`]: ({ component }) => [`${component}/runs`],
  [`GET ${C}/runs/:runId`]: ({ component, runId }) => [`${component}/runs/${runId}`],
  [`GET ${C}/runs/:runId/annotation-policy`]: ({ component, runId }) => [
    `${component}/runs/${runId}/annotation-policy`,
  ],
  [`GET ${C}/runs/:runId/queue`]: ({ component, runId }) => [`${component}/runs/${runId}/queue`],
  [`GET ${C}/runs/:runId/traces`]: ({ component, runId }) => [`${component}/runs/${runId}/traces`],
  // `blind-evidence.test.ts` shows that evidence from ratings is withheld.
  [`GET ${C}/prompts/:promptId/labels/:label/history`]: ({ prompt }) => [`${prompt}/labels/production/history`],
  [`GET ${C}/prompts/:promptId/live`]: ({ prompt }) => [`${prompt}/live`],
  // Has the ratings that every caller may see.
  [`GET ${C}/prompt-summaries`]: ({ component }) => [`${component}/prompt-summaries?days=30`],
  'GET /components': () => ['/components'],
  // Counts disagreements; `my-work.test.ts` shows that those are the visible ones.
  'GET /me/work': () => ['/me/work'],
  'GET /traces/stats': () => ['/traces/stats'],
  'GET /rating-scheme': () => ['/rating-scheme'],
  'GET /traces/:traceId/annotation': ({ candidate }) => candidate.traceIds.map((id) => `/traces/${id}/annotation`),
  'GET /traces/:traceId': ({ candidate }) => candidate.traceIds.map((id) => `/traces/${id}`),
  'GET /traces/:traceId/mapping': ({ candidate }) => candidate.traceIds.map((id) => `/traces/${id}/mapping`),
  'GET /traces/:traceId/outline': ({ candidate }) => candidate.traceIds.map((id) => `/traces/${id}/outline`),
  'GET /traces/:traceId/tokens': ({ candidate }) => candidate.traceIds.map((id) => `/traces/${id}/tokens`),
  'GET /traces/:traceId/search': ({ candidate }) =>
    candidate.traceIds.flatMap((id) => ['positive', 'negative', 'a'].map((q) => `/traces/${id}/search?q=${q}`)),
  'GET /traces/:traceId/spans/:spanId': ({ candidate }) => candidate.traceIds.map((id) => `/traces/${id}/outline`),
  'GET /traces/:traceId/spans': ({ candidate }) => candidate.traceIds.map((id) => `/traces/${id}/spans`),
}

/** Requests that write and answer with more than what was written. */
const WRITES_THAT_SHOW: Record<string, (world: World) => { path: string; body?: object }> = {
  [`POST ${C}/runs/:runId/queue/next`]: ({ component, runId }) => ({
    path: `${component}/runs/${runId}/queue/next`,
    body: { limit: 10, include: ['texts', 'metadata'] },
  }),
  [`POST ${C}/decisions`]: ({ component, baseline, candidate }) => ({
    path: `${component}/decisions`,
    body: { baselineRunId: baseline.runId, candidateRunId: candidate.runId, decision: 'hold' },
  }),
  [`POST ${C}/runs/:runId/annotation-undo`]: ({ component, runId }) => ({
    path: `${component}/runs/${runId}/annotation-undo`,
  }),
}

/** What is written is the caller's own; these answer what they wrote or did, and take nothing from others' ratings. */
const WRITES = ROUTES.filter(({ method }) => method !== 'GET')

it('every route is in the list of those that show ratings, or of those that do not', () => {
  const reads = Object.keys({ ...SHOW_RATINGS, ...OF_ONE, ...SEARCHES, ...OTHERS })
  const listed = [...reads, ...UNRELATED, ...WRITES.map(nameOf)]
  expect(ROUTES.map(nameOf).filter((name) => !listed.includes(name))).toEqual([])
  expect(listed.filter((name) => !ROUTES.map(nameOf).includes(name))).toEqual([])
})

describeEachEngine('a rating that a reader may not know', (app) => {
  const worlds: World[] = []

  /** One person has rated all traces of the second run, blindly; an evaluation with ratings, a baseline and a gate has ended. */
  async function createWorld(rating: 'positive' | 'negative'): Promise<World> {
    const passes = [0, 1, 2].map((item) => ({ item, durationMs: 100 }))
    const seeded = await seedComparison(app(), { items: 3, baseline: passes, candidate: passes })
    const { client, workspaceId, component, datasetId, baseline, candidate } = seeded
    const { runId } = candidate
    const [judge, second, blind, hasRated] = await newRaters(app(), { workspaceId, count: 4 })
    const [admin, resolver] = await newRaters(app(), { workspaceId, count: 2, role: 'admin' })
    if (!judge || !second || !blind || !hasRated || !admin || !resolver) throw new Error('there are six')
    await client.send('PUT', `${component}/runs/${runId}/annotation-policy`, { body: { blind: true } })
    let annotationId = ''
    for (const traceDbId of candidate.traceIds) {
      annotationId = await judge.client.create(`${component}/runs/${runId}/annotations`, {
        traceDbId,
        rating,
        comment: rating,
      })
      const correction = `${component}/runs/${runId}/annotations/${annotationId}/corrected-output`
      await judge.client.send('PUT', correction, { body: { correctedOutput: rating } })
      await judge.client.send('PUT', `/traces/${traceDbId}/annotation`, { body: { rating, comment: rating } })
      await judge.client.create(`/traces/${traceDbId}/comments`, { text: `I find it ${rating}` })
      await second.client.create(`${component}/runs/${runId}/annotations`, { traceDbId, rating: 'negative' })
      await hasRated.client.create(`${component}/runs/${runId}/annotations`, { traceDbId, rating: 'positive' })
    }
    for (const itemId of seeded.itemIds) {
      const better = rating === 'positive' ? 'candidate' : 'baseline'
      const body = { baseline: baseline.runId, candidate: runId, itemId, better, shownLeft: 'baseline' }
      const saved = await judge.client.send('PUT', `${component}/comparisons/preferences`, { body })
      expect(saved.status).toBe(200)
    }
    const [first = ''] = candidate.traceIds
    const resolution = { rating, note: `It is ${rating}` }
    const resolved = await resolver.client.send('PUT', `${component}/runs/${runId}/disagreements/${first}/resolution`, {
      body: resolution,
    })
    expect(resolved.status).toBe(200)
    const evaluators = [
      { type: 'humanRating', name: 'people' },
      { type: 'latency', maxMs: 1_000 },
    ]
    const config = { evaluators, baselineRunId: baseline.runId, gate: { metric: 'rating' } }
    const evaluationId = await client.create(`${component}/evaluations`, { datasetId, runId, config })
    const at = `${component}/evaluations/${evaluationId}`
    await until(async () => expect((await client.get(at)).body.status).toBe('completed'))
    for (const traceDbId of baseline.traceIds)
      await judge.client.create(`${component}/runs/${baseline.runId}/annotations`, { traceDbId, rating: 'negative' })
    const decision = { baselineRunId: baseline.runId, candidateRunId: runId, decision: 'hold' }
    const decisionId = await admin.client.create(`${component}/decisions`, decision)
    const prompt = await gatePrompt(app(), seeded, await browserWith(app(), workspaceId, 'admin'))
    return {
      ...seeded,
      prompt,
      evaluationId,
      runId,
      annotationId,
      decisionId,
      readers: { blind, 'has rated': hasRated, admin },
    }
  }

  beforeAll(async () => {
    worlds.push(await createWorld('positive'), await createWorld('negative'))
  })

  /** What the reader gets in each world, ids and times aside. */
  async function answersTo(reader: Reader, paths: (world: World) => string[]): Promise<string[]> {
    const texts = worlds.map(async (world) => {
      const answers: string[] = []
      for (const path of paths(world)) {
        const { status, text } = await world.readers[reader].client.get(path)
        expect(status, path).toBe(200)
        answers.push(text)
      }
      return anonymous(answers.join('\n'))
    })
    return Promise.all(texts)
  }

  describe.each(Object.entries(SHOW_RATINGS))('%s', (name, paths) => {
    it('is the same for a reader who has not rated, for any ratings of others', async () => {
      const [good, bad] = await answersTo('blind', paths)
      expect(good).toBe(bad)
    })

    it('shows the ratings to admins', async () => {
      const [good, bad] = await answersTo('admin', paths)
      expect(good).not.toBe(bad)
    })

    it('shows raters the ratings of the traces that they have rated, but no aggregates', async () => {
      const [good, bad] = await answersTo('has rated', paths)
      if (/annotations$|agreements?$|comments$|traces(\/export)?$|:runId\/cases$/.test(name)) expect(good).not.toBe(bad)
      else expect(good).toBe(bad)
    })
  })

  it('the texts of a comparison have ratings only for readers with access to them', async () => {
    const paths = ({ at }: World) => [at('include=texts'), at('include=texts&filter=tie')]
    const [good, bad] = await answersTo('blind', paths)
    expect(good).toBe(bad)
    for (const reader of ['admin', 'has rated'] as const) {
      const [one, other] = await answersTo(reader, paths)
      expect(one).not.toBe(other)
    }
  })

  it.each(Object.entries(OF_ONE))('%s is 404 for a reader who has not rated, and open to others', async (_, paths) => {
    for (const world of worlds) {
      for (const path of paths(world)) {
        expect((await world.readers.blind.client.get(path)).status, path).toBe(404)
        for (const reader of ['has rated', 'admin'] as const)
          expect((await world.readers[reader].client.get(path)).status, path).toBe(200)
      }
    }
  })

  it.each(Object.entries(WRITES_THAT_SHOW))('%s returns the same for any ratings of others', async (_, request) => {
    const texts: string[] = []
    for (const world of worlds) {
      const { path, body } = request(world)
      const { status, text } = await world.readers.blind.client.send('POST', path, body ? { body } : {})
      expect([200, 201]).toContain(status)
      texts.push(anonymous(text))
    }
    expect(texts[0]).toBe(texts[1])
  })

  it.each(Object.entries({ ...SEARCHES, ...OTHERS }))('%s is the same for all readers', async (_, paths) => {
    for (const reader of ['blind', 'has rated', 'admin'] as const) {
      const [good, bad] = await answersTo(reader, paths)
      expect(good, reader).toBe(bad)
    }
  })

  it('are shown by all routes with ratings once the run is not blind any more', async () => {
    for (const { client, component, runId } of worlds)
      await client.send('PUT', `${component}/runs/${runId}/annotation-policy`, { body: { blind: false } })
    for (const [name, paths] of Object.entries(SHOW_RATINGS)) {
      const [good, bad] = await answersTo('blind', paths)
      expect(good, name).not.toBe(bad)
    }
  })
})

/** Ids are named in the order in which they appear. Long fractions of numbers are no ids. Sides are drawn from ids. */
function anonymous(text: string): string {
  const names = new Map<string, string>()
  return text
    .replace(/\d{4}-\d\d-\d\d(T[\d:.]+Z| \d\d:\d\d UTC)/g, 'time')
    .replace(/"[a-zA-Z]*UnixNano":"?\d+"?/g, 'nanoseconds')
    .replace(/"shownLeft":"(baseline|candidate)"/g, 'side')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<!\.)\b[0-9a-f]{16,32}\b/g, (id) => {
      const name = names.get(id) ?? `id${names.size}`
      names.set(id, name)
      return name
    })
}
