import { expect, it } from 'vitest'
import { analyzeCases } from '../../src/evaluations/runner/read-case-traces.ts'
import { computeScores } from '../../src/evaluations/runner/score-without-models.ts'
import type { ScoreResult } from '../../src/scores/score-queries.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { evaluated, QUICK, seedComponent, seedItems } from './evaluating.ts'

const TRACES = 100
const CONFIG = {
  evaluators: [{ type: 'contains', value: 'fine' }, { type: 'length', maxCharacters: 9 }, { type: 'exactMatch' }],
}

describeEachEngine(
  'scores and the analysis of one reading',
  (app) => {
    /** An evaluation of a run with so many traces that they do not fit on a page, of which everything is to be done again. */
    async function seedOpen() {
      const seeded = await seedComponent(app())
      const { client, below, workspaceId } = seeded
      const { datasetId } = await seedItems(seeded, [{ input: 'unused' }])
      const traces = Array.from({ length: TRACES }, (_, place) => ({
        traceId: `t${String(place).padStart(3, '0')}`,
        input: `q${place}`,
        output: place % 3 === 0 ? '' : 'fine',
        status: place % 4 === 0 ? 'error' : 'ok',
      }))
      await client.post(`${below}/traces`, { traces })
      const runId = await client.create(`${below}/runs`, { datasetId, traceIds: traces.map(({ traceId }) => traceId) })
      const body = await evaluated(seeded, { datasetId, runId, config: CONFIG })
      const of = { workspaceId, evaluationId: String(body.id) }
      const open = (from: string) =>
        app().storage.transaction((tx) =>
          tx
            .updateTable('evaluation_scores')
            .set({ state: 'queued' })
            .where('workspace_id', '=', workspaceId)
            .where('evaluation_id', '=', of.evaluationId)
            .where('case_ref', '>=', from)
            .execute(),
        )
      return { of, open, source: { workspaceId, datasetId, runId }, results: Object(body.results) }
    }

    async function score({ of, source }: Pick<Awaited<ReturnType<typeof seedOpen>>, 'of' | 'source'>) {
      const pages: ScoreResult[][] = []
      const work = { ...of, source, config: JSON.stringify(CONFIG), withAnalysis: true }
      const take = async (page: ScoreResult[]) => void pages.push(page)
      const { signal } = new AbortController()
      const { analysed } = await computeScores.run(app().storage.read, work, signal, take)
      return { pages, analysed }
    }

    it('are those of two readings', async () => {
      const seeded = await seedOpen()
      await seeded.open('')
      const { pages, analysed } = await score(seeded)
      expect(analysed).toEqual(await analyzeCases(app().storage.read, seeded.source, new AbortController().signal))
      expect(analysed?.meta.totalRuns).toBe(TRACES)
      expect(seeded.results).toMatchObject({ insights: analysed?.insights, meta: analysed?.meta })
      const keys = pages.flat().map(({ caseRef, evaluator }) => `${caseRef} ${evaluator}`)
      expect(new Set(keys).size).toBe(TRACES * 3)
      expect(keys).toHaveLength(TRACES * 3)
    })

    it('are returned in pages of whole cases', async () => {
      const seeded = await seedOpen()
      await seeded.open('')
      const { pages } = await score(seeded)
      expect(pages.length).toBeGreaterThan(2)
      for (const scores of pages) {
        const perCase = Map.groupBy(scores, ({ caseRef }) => caseRef)
        for (const [, made] of perCase) expect(made).toHaveLength(3)
      }
    })

    it('do not analyze the traces when some were scored before: then all are read again', async () => {
      const seeded = await seedOpen()
      await seeded.open('t001')
      const { pages, analysed } = await score(seeded)
      expect(pages.flat()).toHaveLength((TRACES - 1) * 3)
      expect(analysed).toBeUndefined()
    })
  },
  QUICK,
)
