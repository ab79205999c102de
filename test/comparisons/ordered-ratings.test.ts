import { expect, it } from 'vitest'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { compared, metricNamed } from './read-comparison.ts'
import { passesOf, seedComparison } from './seed-comparison.ts'

describeEachEngine(
  'ratings of an ordered scheme by several raters',
  (app) => {
    it('are compared by their mean, so that no trace is lost to raters who differ', async () => {
      const nothing = passesOf(12, () => ({}))
      const seeded = await seedComparison(app(), { items: 12, baseline: nothing, candidate: nothing })
      const { client, component, workspaceId, baseline, candidate } = seeded
      const other = await browserWith(app(), workspaceId, 'annotator')
      const ratings = [1, 2, 3, 4, 5].map((score) => ({ value: `${score}`, score }))
      await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
      for (let place = 0; place < 12; place += 1) {
        const say = ({ runId, traceIds }: typeof baseline, rating: string, by = client) =>
          by.create(`${component}/runs/${runId}/annotations`, { traceDbId: traceIds[place], rating })
        // 2.5 before and 4 after, each by two who never agree.
        await say(baseline, '2')
        await say(baseline, '3', other)
        await say(candidate, '3')
        await say(candidate, '5', other)
      }
      const metric = metricNamed(await compared(seeded), 'rating')
      expect(metric).toMatchObject({ n: 12, missing: 0, wins: 12, losses: 0 })
      expect(metric.difference).toBeCloseTo(1.5, 12)
    })
  },
  { works: false },
)
