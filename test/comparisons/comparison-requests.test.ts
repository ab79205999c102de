import { describe, expect, it } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import { compareRuns } from '../../src/comparisons/compare-runs.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { compared, metricNamed, type Row, rowsOf, seedRegression } from './read-comparison.ts'
import { passesOf, seedComparison } from './seed-comparison.ts'

const newId = idGenerator({ now: () => Date.now() })

describeEachEngine(
  'GET /components/{componentId}/comparisons',
  (app) => {
    it('has regressions first, pages that join to the whole, and the same response twice', async () => {
      const seeded = await seedRegression(app())
      const whole = await compared(seeded, 'limit=100')
      const rows = rowsOf(whole)
      expect(rows).toHaveLength(40)
      expect(new Set(rows.slice(0, 9).map(({ itemId }) => itemId))).toEqual(new Set(seeded.itemIds.slice(0, 9)))
      expect(rows[9]?.itemId).toBe(seeded.itemIds[9])
      const pages: Row[] = []
      for (let offset = 0; offset < 49; offset += 7)
        pages.push(...rowsOf(await compared(seeded, `limit=7&offset=${offset}`)))
      expect(pages).toEqual(rows)
      expect(await compared(seeded, 'limit=100')).toEqual(whole)
      expect(rows[0]?.scores.find(({ name }) => name === 'right')).toEqual({
        name: 'right',
        repetition: 1,
        baseline: 1,
        candidate: 0,
        delta: -1,
      })
    })

    it('has among the regressions items that are better on one metric and worse on another', async () => {
      const seeded = await seedComparison(app(), {
        items: 12,
        baseline: passesOf(12, () => ({ scores: { helpful: 0.5, right: 1 } })),
        candidate: passesOf(12, (place) => ({
          scores: { helpful: place < 2 ? 0.5 : 0.9, right: place === 7 ? 0 : 1 },
        })),
      })
      const [first, second] = rowsOf(await compared(seeded))
      expect(first?.itemId).toBe(seeded.itemIds[7])
      expect(second?.scores.find(({ name }) => name === 'helpful')?.delta).toBeCloseTo(0.4, 12)
    })

    it('reads every trace and every score once, also if they are more than one page of the database', async () => {
      const scores = (helpful: number) => ({ helpful, kind: helpful / 2, right: helpful / 4 })
      const twice = (score: number) => [
        ...passesOf(700, () => ({ scores: scores(score) })),
        ...passesOf(350, () => ({ scores: scores(score) })),
      ]
      const seeded = await seedComparison(app(), { items: 700, baseline: twice(0.25), candidate: twice(0.75) })
      const body = await compared(seeded)
      expect(body).toMatchObject({ pairs: 1_050, total: 1_050, onlyBaseline: 0, onlyCandidate: 0, verdict: 'improved' })
      for (const name of ['helpful', 'kind', 'right']) {
        expect(metricNamed(body, name)).toMatchObject({
          items: 700,
          values: { baseline: 1_050, candidate: 1_050 },
          missing: 0,
          wins: 700,
        })
      }
    })

    it('mirrors everything if the two runs change places', async () => {
      const { client, component, baseline, candidate } = await seedComparison(app(), {
        items: 60,
        baseline: passesOf(60, (place) => ({
          scores: { helpful: ((place * 37) % 50) / 50, right: place % 3 ? 1 : 0 },
          durationMs: 100 + ((place * 13) % 70),
        })),
        candidate: passesOf(60, (place) => ({
          scores: { helpful: ((place * 41) % 50) / 50, right: place % 4 ? 1 : 0 },
          durationMs: 90 + ((place * 29) % 90),
        })),
      })
      const path = (one: string, other: string) => `${component}/comparisons?baseline=${one}&candidate=${other}`
      const there = (await client.get(path(baseline.runId, candidate.runId))).body
      const back = (await client.get(path(candidate.runId, baseline.runId))).body
      const mirroredWords: Record<string, string> = { improved: 'regressed', regressed: 'improved' }
      for (const name of ['helpful', 'right', 'error', 'durationMs']) {
        const [one, other] = [metricNamed(there, name), metricNamed(back, name)]
        const ends = (metric: Record<string, unknown>): number[] =>
          metric.ci === null ? Object(metric.ratioCi).map(Math.log) : Object(metric.ci)
        const [low = NaN, high = NaN] = ends(one)
        expect(ends(other)[0], name).toBeCloseTo(-high, 12)
        expect(ends(other)[1], name).toBeCloseTo(-low, 12)
        expect(Number(other.difference), name).toBeCloseTo(-Number(one.difference), 12)
        expect([other.wins, other.ties, other.losses], name).toEqual([one.losses, one.ties, one.wins])
        expect([other.baseline, other.candidate], name).toEqual([one.candidate, one.baseline])
        expect(Object(Object(other.power).casesFor).cases, name).toBe(Object(Object(one.power).casesFor).cases)
        expect(Object(other.test)?.p, name).toBeCloseTo(Object(one.test)?.p, 12)
        expect(Object(other.test)?.pAdjusted, name).toBeCloseTo(Object(one.test)?.pAdjusted, 12)
        expect(other.verdict, name).toBe(mirroredWords[String(one.verdict)] ?? one.verdict)
      }
      expect([back.pairs, back.onlyBaseline, back.onlyCandidate]).toEqual([
        there.pairs,
        there.onlyCandidate,
        there.onlyBaseline,
      ])
    })

    it('takes the newest completed evaluation of each run, and for a gate one that still runs', async () => {
      const seeded = await seedRegression(app())
      const { workspaceId, baseline, candidate } = seeded
      await app().storage.transaction((tx) =>
        tx
          .updateTable('evaluations')
          .set({ status: 'running', results: null })
          .where('id', '=', candidate.evaluationId)
          .execute(),
      )
      const without = await compared(seeded)
      expect(without.notCompared).toMatchObject([{ name: 'right', evaluate: { runId: candidate.runId } }])
      expect(without.candidate).toMatchObject({ evaluationId: null })
      const gated = await compareRuns(app().storage.read, {
        workspaceId,
        baselineRunId: baseline.runId,
        candidateRunId: candidate.runId,
        candidateEvaluationId: candidate.evaluationId,
        margin: 0.05,
      })
      expect(gated.metrics.find(({ name }) => name === 'right')).toMatchObject({
        verdict: 'regressed',
        notWorseThanMargin: false,
      })
      expect(gated.data).toEqual([])
    })

    it('margin: a result that meets a margin meets every larger one', async () => {
      const seeded = await seedRegression(app())
      const kept: unknown[] = []
      for (const margin of ['0', '0.1', '0.3', '0.36', '0.5', '1'])
        kept.push(metricNamed(await compared(seeded, `margin=${margin}`), 'right').notWorseThanMargin)
      expect(kept[0]).toBe(false)
      expect(kept.at(-1)).toBe(true)
      expect(kept).toEqual(kept.toSorted((a, b) => Number(a) - Number(b)))
      // No rate changes by that much: the margin is meant for another metric.
      expect(metricNamed(await compared(seeded, 'margin=100'), 'right')).toMatchObject({
        notWorseThanMargin: null,
        verdict: 'regressed',
      })
    })

    describe('meets items', () => {
      it('by their link, else as the trace of the item, else by the match of an evaluation, else by the input', async () => {
        const seeded = await seedComparison(app(), { items: 4, baseline: [], candidate: passesOf(4, () => ({})) })
        const { client, component, datasetId, itemIds, baseline, workspaceId } = seeded
        const traceIds = Array.from({ length: 4 }, () => newId().replaceAll('-', ''))
        const [, own = '', found = '', asked = ''] = traceIds
        const traces = [
          { traceId: traceIds[0], run: 'A', itemId: itemIds[0] },
          { traceId: own, run: 'A', itemId: newId() },
          { traceId: found, run: 'A', input: 'never asked before' },
          { traceId: asked, run: 'A', input: '  question 3 ' },
        ]
        await client.post(`${component}/traces`, { traces })
        const items = `${component}/datasets/${datasetId}/items`
        for (const { id, traceId } of await client.list(`${items}?limit=100`))
          if (traceId === own || traceId === found) await client.delete(`${items}/${id}`)
        const link = {
          workspace_id: workspaceId,
          evaluation_id: baseline.evaluationId,
          evaluator: 'any',
          repetition: 1,
        }
        await app().storage.transaction(async (tx) => {
          await tx
            .updateTable('dataset_items')
            .set({ trace_ref: own })
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', itemIds[1] ?? '')
            .execute()
          const skipped = { state: 'skipped' as const, score: null, label: null, passed: null, reason: null }
          const row = {
            ...link,
            ...skipped,
            case_ref: found,
            item_id: itemIds[2] ?? null,
            created_at: new Date().toISOString(),
          }
          await tx.insertInto('evaluation_scores').values(row).execute()
        })
        const body = await compared(seeded)
        expect(body).toMatchObject({ pairs: 4, onlyBaseline: 0, onlyCandidate: 0 })
        const list = await client.list(`${component}/runs/${baseline.runId}/traces`)
        const dbIdOf = new Map(list.map(({ id, traceId }) => [traceId, id]))
        const met = new Map(rowsOf(body).map(({ itemId, baselineTraceId }) => [baselineTraceId, itemId]))
        expect(traceIds.map((traceId) => met.get(String(dbIdOf.get(traceId))))).toEqual(itemIds)
      })

      it('and uses the given id of a trace that has not arrived', async () => {
        const seeded = await seedComparison(app(), { items: 1, baseline: [], candidate: [] })
        const { client, component, candidate } = seeded
        await client.post(`${component}/runs/${candidate.runId}/traces`, { traceIds: ['not here yet'] })
        const body = await compared(seeded)
        expect(body).toMatchObject({ pairs: 0, onlyCandidate: 1, verdict: 'tooFewCases' })
        expect(rowsOf(body)).toEqual([
          { itemId: null, baselineTraceId: null, candidateTraceId: 'not here yet', failed: [], scores: [] },
        ])
      })
    })

    describe('400', () => {
      it('names the missing or malformed parameter', async () => {
        const { client, component, baseline, candidate, at } = await seedComparison(app(), {
          items: 1,
          baseline: [],
          candidate: [],
        })
        const path = `${component}/comparisons`
        const ids = `baseline=${baseline.runId}&candidate=${candidate.runId}`
        const wrong: [string, RegExp][] = [
          [path, /baseline is required/],
          [`${path}?baseline=${baseline.runId}`, /candidate is required/],
          [`${path}?baseline=x&candidate=${candidate.runId}`, /baseline must be a UUID/],
          [`${path}?baseline=${baseline.runId}&candidate=`, /candidate must be a UUID/],
          [`${path}?${ids}&baseline=${baseline.runId}`, /baseline must not be repeated/],
          [at('limit=0'), /limit/],
          [at('offset=-1'), /offset/],
          ...['', '-1', '1e999', '.5', '1.', ' 1', '0x1', 'NaN', 'Infinity', '01'].map((margin): [string, RegExp] => [
            at(`margin=${encodeURIComponent(margin)}`),
            /margin must be a number/,
          ]),
        ]
        for (const [url, message] of wrong) {
          const { status, body } = await client.get(url)
          expect({ url, status }).toEqual({ url, status: 400 })
          expect(body.error).toMatch(message)
        }
      })

      it('for a run against itself, and for runs of two datasets', async () => {
        const { client, component, baseline } = await seedComparison(app(), { items: 1, baseline: [], candidate: [] })
        const other = await client.create(`${component}/datasets`, { name: 'Other' })
        const elsewhere = await client.create(`${component}/runs`, { datasetId: other })
        const path = (candidate: string) => `${component}/comparisons?baseline=${baseline.runId}&candidate=${candidate}`
        expect(await client.get(path(baseline.runId))).toMatchObject({
          status: 400,
          body: { error: 'The baseline and the candidate must be two different runs' },
        })
        expect(await client.get(path(elsewhere))).toMatchObject({
          status: 400,
          body: { error: 'The two runs must be of the same dataset' },
        })
      })
    })

    it('404 for a run that is missing, deleted, foreign, or of another component, all alike', async () => {
      const seeded = await seedComparison(app(), { items: 1, baseline: [], candidate: [] })
      const foreign = await seedComparison(app(), { items: 1, baseline: [], candidate: [] })
      const { client, component, datasetId, baseline, candidate } = seeded
      const gone = await client.create(`${component}/runs`, { datasetId })
      await client.delete(`${component}/runs/${gone}`)
      const other = `/components/${await client.create('/components', { name: 'Other' })}`
      const ids = (one: string, two: string) => `baseline=${one}&candidate=${two}`
      const paths = [
        `${component}/comparisons?${ids(newId(), candidate.runId)}`,
        `${component}/comparisons?${ids(baseline.runId, newId())}`,
        `${component}/comparisons?${ids(baseline.runId, gone)}`,
        `${component}/comparisons?${ids(gone, gone)}`,
        `${component}/comparisons?${ids(foreign.baseline.runId, foreign.candidate.runId)}`,
        `${other}/comparisons?${ids(baseline.runId, candidate.runId)}`,
        `/components/${newId()}/comparisons?${ids(baseline.runId, candidate.runId)}`,
      ]
      for (const path of paths) {
        const { status, text } = await client.get(path)
        expect({ path, status, text }).toEqual({ path, status: 404, text: '{"error":"Run not found"}' })
      }
    })
  },
  { works: false },
)
