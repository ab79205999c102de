import { expect, it } from 'vitest'
import { experimentsPath, seedExperiment } from '../experiments/seed-experiment.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { price } from '../playground/trying.ts'
import { blocksOf } from './documents.ts'

describeEachEngine('the guide to experiments', (app) => {
  it('shows a request that is accepted, with the ids and the connection of the reader', async () => {
    const [block = ''] = blocksOf('experiments', 'create', 'json')
    const of = await seedExperiment(app())
    await price(of, { modelPattern: 'gpt-5*' })
    const { datasetId, promptId } = of
    const body = JSON.parse(block.replaceAll('my-openai', 'models'))
    const own = { ...body, datasetId, prompt: { ...body.prompt, promptId } }
    const { status, text, body: estimate } = await of.client.post(`${experimentsPath(of)}?dry_run=true`, own)
    expect(status, text).toBe(200)
    expect(estimate).toMatchObject({ items: { train: 18, validation: 12, test: 30 }, unpricedModels: [] })
    expect(String(estimate.summary)).toMatch(/^Up to about [1-9]\d* proposals for about \$/)
    const { status: created, text: why } = await of.client.post(experimentsPath(of), own)
    expect(created, why).toBe(201)
  })
})
