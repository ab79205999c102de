import fc from 'fast-check'
import { expect, it } from 'vitest'
import { listJudgeLabels } from '../../src/agreement/judge-labels.ts'
import {
  newRaters,
  type RatedRun,
  rate,
  raterPair,
  seedJudgements,
  seedRatedRun,
  setPolicy,
} from '../annotations/rated-run.ts'
import { ABSENT_ID, expectError, TIMESTAMP } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'

const WORDS = ['wrong', 'partly', 'mostly', 'right']

type Row = { traceDbId: string; steps: number | null; ratings: unknown[]; resolution: unknown; trace: unknown }

async function listOf(client: Client, path: string, query = '') {
  const answer = await client.get(`${path}/disagreements${query}`)
  if (answer.status !== 200) throw new Error(answer.text)
  const rows: Row[] = Object(answer.body.data)
  return { ...answer, rows, ids: rows.map(({ traceDbId }) => traceDbId) }
}

function resolve(client: Client, path: string, traceId: string, body: object) {
  return client.send('PUT', `${path}/disagreements/${traceId}/resolution`, { body })
}

describeEachEngine('the disagreements of a run', (app) => {
  async function setScheme(client: Client, ordered: boolean): Promise<void> {
    const ratings = WORDS.map((value, score) => ({ value, score }))
    await client.send('PUT', '/rating-scheme', { body: { ratings, ordered } })
  }

  /** The two raters say these words of the traces, one after the other. */
  async function seedTwoRaters(words: readonly (readonly [string, string])[], { ordered = true } = {}) {
    const run = await seedRatedRun(app(), words.length)
    await setScheme(run.client, ordered)
    const [ann, ben] = await raterPair(app(), run.workspaceId)
    for (const [place, [first, second]] of words.entries()) {
      await rate(ann.client, run.path, run.traces[place]?.id ?? '', first)
      await rate(ben.client, run.path, run.traces[place]?.id ?? '', second)
    }
    return { ...run, ann, ben, ids: run.traces.map(({ id }) => id) }
  }

  it('are listed the widest first, with names, both comments and the texts of the trace', async () => {
    const run = await seedTwoRaters([
      ['right', 'mostly'],
      ['right', 'right'],
      ['partly', 'right'],
    ])
    const { client, path, ids, ann, ben, traces } = run
    const comment = 'Says nothing about the rush hour'
    await ann.client.post(`${path}/annotations`, { traceDbId: ids[2], comment })
    const { rows, body } = await listOf(client, path)
    expect(rows.map(({ traceDbId, steps }) => [traceDbId, steps])).toEqual([
      [ids[2], 2],
      [ids[0], 1],
    ])
    expect(rows[0]).toEqual({
      traceDbId: ids[2],
      steps: 2,
      ratings: [
        { userId: ann.userId, name: 'Rater 0', rating: 'partly', comment },
        { userId: ben.userId, name: 'Rater 1', rating: 'right', comment: null },
      ],
      resolution: null,
      trace: expect.objectContaining({ traceDbId: ids[2], traceId: traces[2]?.traceId, input: expect.any(String) }),
    })
    const counts = { total: 2, open: 2, resolved: 0, nextCursor: null }
    expect(body).toMatchObject({ ...counts, steps: [2, 1].map((steps) => ({ steps, count: 1 })) })
  })

  it('have no distance if the scheme has no order: then the most evenly divided come first', async () => {
    const run = await seedTwoRaters(
      [
        ['right', 'wrong'],
        ['right', 'wrong'],
      ],
      { ordered: false },
    )
    await rate(run.client, run.path, run.ids[0] ?? '', 'wrong')
    const { rows, body } = await listOf(run.client, run.path)
    expect(rows.map(({ traceDbId, steps }) => [traceDbId, steps])).toEqual([
      [run.ids[1], null],
      [run.ids[0], null],
    ])
    expect(body.steps).toEqual([])
  })

  it('of two raters are listed, or those where they gave two certain ratings', async () => {
    const { client, path, ids, ann, ben } = await seedTwoRaters([
      ['right', 'mostly'],
      ['mostly', 'right'],
      ['right', 'right'],
      ['right', 'mostly'],
    ])
    // A third rater, who disagrees with both about a trace on which they agree.
    await rate(client, path, ids[2] ?? '', 'wrong')
    const raters = `?rater_a=${ann.userId}&rater_b=${ben.userId}`
    const listed = async (query: string) => (await listOf(client, path, query)).ids.toSorted()
    const differ = [ids[0], ids[1], ids[3]].toSorted()
    expect(await listed('')).toEqual([...ids].sort())
    expect(await listed(raters)).toEqual(differ)
    expect(await listed(`${raters}&rating_a=right&rating_b=mostly`)).toEqual([ids[0], ids[3]].toSorted())
    expect(await listed(`${raters}&rating_a=mostly&rating_b=right`)).toEqual([ids[1]])
    expect(await listed(`${raters}&rating_a=wrong&rating_b=right`)).toEqual([])
    expect(await listed(`?rater_a=${ann.userId}&rater_b=${ABSENT_ID}`)).toEqual([])
    const page = await listOf(client, path, `${raters}&limit=2`)
    expect(page.body).toMatchObject({ total: 4, open: 4 })
    const rest = await listOf(client, path, `${raters}&limit=2&cursor=${page.body.nextCursor}`)
    expect([...page.ids, ...rest.ids].sort()).toEqual(differ)
    const at = `${path}/disagreements`
    expectError(await client.get(`${at}?rater_a=${ann.userId}`), 400, /rater_a and rater_b must be combined/)
    expectError(await client.get(`${at}${raters}&rating_b=right`), 400, /rating_a and rating_b must be combined/)
    expectError(await client.get(`${at}?rating_a=right&rating_b=right`), 400, /rating_a requires rater_a/)
  })

  it('are resolved by an editor with a word and a note, and opened again; κ and α stay as they are', async () => {
    const run = await seedTwoRaters([
      ['right', 'mostly'],
      ['partly', 'right'],
    ])
    const { client, path, ids } = run
    const agreement = (await client.get(`${path}/agreement`)).text
    const first = await resolve(client, path, ids[0] ?? '', { rating: 'mostly', note: 'It lacks the number.' })
    const { userId } = (await client.get('/me')).body
    const said = { rating: 'mostly', note: 'It lacks the number.', userId, name: expect.any(String) }
    expect([first.status, first.body]).toEqual([200, { ...said, resolvedAt: TIMESTAMP }])
    const { rows, body } = await listOf(client, path)
    expect(rows.map(({ resolution }) => resolution)).toEqual([null, first.body])
    expect(body).toMatchObject({ total: 2, open: 1, resolved: 1 })
    expect((await listOf(client, path, '?resolved=false')).ids).toEqual([ids[1]])
    expect((await listOf(client, path, '?resolved=true')).ids).toEqual([ids[0]])
    expect((await client.get(`${path}/agreement`)).text).toBe(agreement)
    const again = await resolve(client, path, run.traces[0]?.traceId ?? '', { rating: 'partly' })
    expect(again.body).toMatchObject({ rating: 'partly', note: null })
    const at = `${path}/disagreements/${ids[0]}/resolution`
    const deleted = await Promise.all([1, 2, 3].map(() => client.delete(at)))
    expect(deleted.map(({ status }) => status).sort()).toEqual([204, 404, 404])
    expectError(await client.delete(at), 404, 'Resolution not found')
    expect((await listOf(client, path)).body).toMatchObject({ open: 2, resolved: 0 })
  })

  it('are resolved only where raters disagree, with an allowed word, by editors', async () => {
    const run = await seedTwoRaters([
      ['right', 'mostly'],
      ['right', 'right'],
    ])
    const { client, path, ids, ann, componentId, workspaceId } = run
    const [open = '', agreed = ''] = ids
    expectError(await resolve(client, path, agreed, { rating: 'right' }), 404, 'Disagreement not found')
    expectError(await resolve(client, path, ABSENT_ID, { rating: 'right' }), 404, 'Disagreement not found')
    expectError(await resolve(client, path, open, { rating: 'fine' }), 400, /values of the rating scheme/)
    expectError(await resolve(client, path, open, { rating: '' }), 400, /rating must not be empty/)
    expectError(await resolve(client, path, open, {}), 400, /rating is required/)
    expectError(await resolve(ann.client, path, open, { rating: 'right' }), 403)
    expectError(await client.delete(`${path}/disagreements/${ABSENT_ID}/resolution`), 404, 'Resolution not found')
    await setPolicy(client, path, { ratings: ['right', 'mostly'] })
    expectError(await resolve(client, path, open, { rating: 'wrong' }), 400, /values that the run allows/)
    const missing = `/components/${componentId}/runs/${ABSENT_ID}`
    expectError(await resolve(client, missing, open, { rating: 'right' }), 404, 'Run not found')
    expectError(await client.get(`${missing}/disagreements`), 404, 'Run not found')
    expect((await (await browserWith(app(), workspaceId, 'viewer')).get(`${path}/disagreements`)).status).toBe(200)
  })

  it('of a blind run are hidden from users who have not rated the trace, and cannot be resolved by them', async () => {
    const run = await seedTwoRaters([['right', 'mostly']])
    const { client, path, ids, workspaceId } = run
    await setPolicy(client, path, { blind: true })
    const [editor] = await newRaters(app(), { workspaceId, count: 1, role: 'editor' })
    if (!editor) throw new Error('there is one')
    expect((await listOf(editor.client, path)).body).toMatchObject({ data: [], total: 0, open: 0, steps: [] })
    const asked = await resolve(editor.client, path, ids[0] ?? '', { rating: 'right' })
    expectError(asked, 404, 'Disagreement not found')
    await rate(editor.client, path, ids[0] ?? '', 'right')
    expect((await resolve(editor.client, path, ids[0] ?? '', { rating: 'right' })).status).toBe(200)
    expect((await listOf(editor.client, path)).body).toMatchObject({ total: 1, resolved: 1 })
  })

  it('are rejected with a wrong limit or cursor', async () => {
    const { client, path } = await seedRatedRun(app(), 0)
    const at = `${path}/disagreements`
    expectError(await client.get(`${at}?resolved=yes`), 400, /resolved must be true or false/)
    for (const limit of ['0', '51', '-1', '1.5', 'x', ''])
      expectError(await client.get(`${at}?limit=${limit}`), 400, /limit must be a whole number from 1 to 50/)
    for (const cursor of ['x', '', 'bnVsbA', 'WzEsMl0', '%00'])
      expectError(await client.get(`${at}?cursor=${cursor}`), 400, /cursor/)
    expectError(await client.get(`${at}?offset=1`), 400, /offset is not known/)
  })

  it('are listed exactly once over all pages, though some are resolved meanwhile', { tags: 'sized' }, async () => {
    const word = fc.constantFrom(...WORDS)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(word, word), { minLength: 3, maxLength: 8 }),
        fc.integer({ min: 1, max: 3 }),
        async (words, limit) => {
          const { client, path, ids } = await seedTwoRaters(words)
          const expected = ids.filter((_, place) => words[place]?.[0] !== words[place]?.[1])
          const seen: string[] = []
          for (let cursor = ''; ; ) {
            const page = await listOf(client, path, `?resolved=false&limit=${limit}${cursor}`)
            expect(page.ids.length).toBeLessThanOrEqual(limit)
            for (const id of page.ids) expect((await resolve(client, path, id, { rating: 'right' })).status).toBe(200)
            seen.push(...page.ids)
            if (page.body.nextCursor === null) break
            cursor = `&cursor=${page.body.nextCursor}`
          }
          expect(seen.toSorted()).toEqual(expected.toSorted())
          const all = await listOf(client, path, '?limit=50')
          expect(all.ids).toEqual(seen)
        },
      ),
      { numRuns: runs(5), endOnFailure: true },
    )
  })

  it('that are resolved are labels of a judge while raters disagree, and change no comparison', async () => {
    const run = await seedRatedRun(app(), 22)
    const { client, path, workspaceId, componentId, datasetId, runId, traces } = run
    const [ann, ben] = await raterPair(app(), workspaceId)
    for (const { id } of traces) await rate(ann.client, path, id, 'positive')
    const tied = traces.slice(0, 2)
    for (const { id } of tied) await rate(ben.client, path, id, 'negative')
    const verdicts = traces.map(({ traceId: ref }, place) => ({ ref, passed: place % 2 === 0, score: place % 2 }))
    const evaluationId = await seedJudgements(app(), run, verdicts)
    const items = traces.map((_, place) => ({ input: `question ${place}` }))
    await client.post(`/components/${componentId}/datasets/${datasetId}/items`, items)
    const traceIds = traces.map(({ traceId }) => traceId)
    const other = await client.create(`/components/${componentId}/runs`, { datasetId, traceIds })
    for (const { id } of traces) await rate(ann.client, `/components/${componentId}/runs/${other}`, id, 'positive')
    const comparison = `/components/${componentId}/comparisons?baseline=${other}&candidate=${runId}`
    const compared = (await client.get(comparison)).text
    const metrics: { name: string; n: number }[] = Object(JSON.parse(compared).metrics)
    expect(metrics.find(({ name }) => name === 'rating')).toMatchObject({ n: 22 })
    const labels = () => listJudgeLabels(app().storage.read, { workspaceId, evaluationId, evaluator: 'judge' })
    expect(await labels()).toHaveLength(20)
    expect((await judgeOf(run)).summary).not.toContain('resolved')
    await resolve(client, path, tied[0]?.id ?? '', { rating: 'negative' })
    const withOne = await labels()
    expect(withOne).toHaveLength(21)
    expect(withOne.filter(({ isResolved }) => isResolved)).toEqual([
      expect.objectContaining({ caseRef: tied[0]?.traceId, people: false }),
    ])
    expect((await judgeOf(run)).summary).toMatch(/ 1 label is a resolved disagreement\.$/)
    expect((await client.get(comparison)).text).toBe(compared)
    // A rater thinks again, and there is nothing to resolve any more.
    await rate(ben.client, path, tied[0]?.id ?? '', 'positive')
    const agreed = (await labels()).find(({ caseRef }) => caseRef === tied[0]?.traceId)
    expect(agreed).toMatchObject({ people: true, isResolved: false })
  })

  async function judgeOf({ client, path }: RatedRun): Promise<Record<string, unknown>> {
    const { body } = await client.get(`${path}/agreement`)
    const [judge] = Array.from(Object(body.judges), (one) => Object(one))
    return judge
  }
})

describeEachEngine('the agreement with include=pair_summaries', (app) => {
  it('has a summary for each pair, and no estimate below 20 shared traces', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 20)
    const [ann, ben, cleo] = await newRaters(app(), { workspaceId, count: 3 })
    if (!ann || !ben || !cleo) throw new Error('there are three')
    for (const [place, { id }] of traces.entries()) {
      await rate(ann.client, path, id, place % 2 === 0 ? 'positive' : 'negative')
      await rate(ben.client, path, id, place % 4 === 0 ? 'positive' : 'negative')
    }
    await rate(cleo.client, path, traces[0]?.id ?? '')
    const plain = (await client.get(`${path}/agreement`)).body
    const { body } = await client.get(`${path}/agreement?include=pair_summaries`)
    const [enough, ...few] = Array.from(Object(body.pairs), (pair) => Object(pair))
    expect(enough.summary).toMatch(/^κ 0\.\d\d \(95 % CI 0\.\d\d to 0\.\d\d\); 20 traces$/)
    expect(few).toHaveLength(2)
    for (const pair of few)
      expect(pair).toMatchObject({ kappa: null, ci: null, summary: 'too few shared traces: 1 of at least 20' })
    expect({ ...body, pairs: [] }).toEqual({ ...plain, pairs: [] })
    expectError(await client.get(`${path}/agreement?include=all`), 400, /include must be a list of pair_summaries/)
  })
})

describeEachEngine('the agreement with include=rating_counts', (app) => {
  it('counts the ratings of each rater and of each pair, in a run and in its dataset', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 3)
    const [ann, ben] = await raterPair(app(), workspaceId)
    const words = [
      ['positive', 'positive'],
      ['positive', 'negative'],
      ['positive', 'negative'],
    ] as const
    for (const [place, [first, second]] of words.entries()) {
      await rate(ann.client, path, traces[place]?.id ?? '', first)
      await rate(ben.client, path, traces[place]?.id ?? '', second)
    }
    const plain = await client.get(`${path}/agreement`)
    const { datasetId } = (await client.get(path)).body
    const dataset = `${path.slice(0, path.indexOf('/runs/'))}/datasets/${datasetId}`
    for (const place of [path, dataset]) {
      const { body } = await client.get(`${place}/agreement?include=pair_summaries,rating_counts`)
      const raters = new Map(Array.from(Object(body.raters), (rater) => [Object(rater).userId, Object(rater).ratings]))
      expect(raters.get(ann.userId)).toEqual([{ rating: 'positive', count: 3 }])
      expect(raters.get(ben.userId)).toEqual([
        { rating: 'negative', count: 2 },
        { rating: 'positive', count: 1 },
      ])
      const [pair] = Array.from(Object(body.pairs), (one) => Object(one))
      const ofPair = pair.ratings.map(({ a, b, count }: Record<string, string>) =>
        pair.a === ann.userId ? [a, b, count] : [b, a, count],
      )
      expect(ofPair).toEqual([
        ['positive', 'negative', 2],
        ['positive', 'positive', 1],
      ])
      expect(pair.summary).toBe('too few shared traces: 3 of at least 20')
    }
    const { body } = await client.get(`${path}/agreement?include=rating_counts`)
    const strip = ({ ratings: _, ...rest }: Record<string, unknown>) => rest
    const stripped = { ...body, raters: Object(body.raters).map(strip), pairs: Object(body.pairs).map(strip) }
    expect(JSON.stringify(stripped)).toBe(plain.text)
    expectError(await client.get(`${path}/agreement?include=`), 400, /include must be a list of/)
  })
})
