import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { answerAtOnce, experimentsPath, ruleItems, seedExperiment } from '../experiments/seed-experiment.ts'
import { touchstone } from '../harness/cli-in-process.ts'
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
  it('shows a plan that the command line runs from the estimate to the verdict', async () => {
    const [plan = ''] = blocksOf('experiments', 'plan', 'yaml')
    // By default 30 % of the items are those of the test, which needs 30.
    const of = await seedExperiment(app(), { items: ruleItems(100), answer: answerAtOnce })
    await price(of, { modelPattern: 'model-1' })
    const [component, prompt] = await Promise.all([
      of.client.get(`/components/${of.componentId}`),
      of.client.get(of.path),
    ])
    const folder = mkdtempSync(join(tmpdir(), 'touchstone-guide-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const own = plan
      .replace('Support bot', String(component.body.name))
      .replace('prompt: answer', `prompt: ${prompt.body.name}`)
    writeFileSync(join(folder, 'plan.yaml'), own)
    const outputs: string[] = []
    for (const line of (blocksOf('experiments', 'run', 'sh')[0] ?? '').trim().split('\n')) {
      const words = line.split(' ').slice(1)
      const { code, output, errors } = await touchstone(words, { url: app().url, key: of.key, folder })
      expect(code, errors).toBe(0)
      outputs.push(output)
    }
    expect(outputs).toEqual([expect.stringContaining('proposals for about $'), expect.stringMatching(/^improved: /)])
  })
})
