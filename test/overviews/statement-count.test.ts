// @module-tag sql
import type { KyselyPlugin } from 'kysely'
import { expect, it } from 'vitest'
import type { Principal } from '../../src/base/principal.ts'
import { readPeriod } from '../../src/overviews/overview-period.ts'
import { readComponentSummaries } from '../../src/overviews/read-component-summaries.ts'
import { newRaters, rate } from '../annotations/rated-run.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

async function addComponent(client: Client, rater: Client, number: number): Promise<void> {
  const component = `/components/${await client.create('/components', { name: `component ${number}` })}`
  const traceId = `trace of ${number}`
  await client.create(`${component}/traces`, { traceId, input: 'question', startTime: '2026-11-12T10:00:00Z' })
  const datasetId = await client.create(`${component}/datasets`, { name: 'Questions' })
  const runs: string[] = []
  for (const name of ['before', 'after'])
    runs.push(await client.create(`${component}/runs`, { datasetId, name, traceIds: [traceId] }))
  await rate(rater, `${component}/runs/${runs[1]}`, traceId)
  await client.create(`${component}/evaluations`, { datasetId, runId: runs[1], config: { baselineRunId: runs[0] } })
}

describeEachEngine('a page of summaries', (app) => {
  it('needs as many statements for many components as for one', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const [rater] = await newRaters(app(), { workspaceId, count: 1 })
    if (!rater) throw new Error('there is one')
    const credential = { kind: 'api-key', credential: 'bearer', credentialId: rater.userId } as const
    const by: Principal = { ...credential, workspaceId, userId: rater.userId, role: 'annotator' }
    const period = readPeriod({ from: '2026-11-10', to: '2026-11-17' }, 0)
    const countStatements = async (components: number) => {
      let statements = 0
      const counter: KyselyPlugin = {
        transformQuery({ node }) {
          statements += 1
          return node
        },
        transformResult: async ({ result }) => result,
      }
      const q = app().storage.read.withPlugin(counter)
      const { data } = await readComponentSummaries(q, by, { period, after: undefined, limit: 50 })
      expect(data).toHaveLength(components)
      return statements
    }
    await addComponent(client, rater.client, 0)
    // Prepared statements pass the plugin only when they are built.
    await countStatements(1)
    const forOne = await countStatements(1)
    for (let number = 1; number < 6; number += 1) await addComponent(client, rater.client, number)
    expect(await countStatements(6)).toBe(forOne)
    // The parts of a union count, too.
    expect(forOne).toBeLessThan(22)
  })
})
