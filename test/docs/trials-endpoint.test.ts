import { expect, it } from 'vitest'
import { browserWith } from '../conformance/team.ts'
import { sendJson, startService } from '../endpoints/service.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { seedComponent, startTrial, trialWith } from '../trials/seed-trial.ts'
import { blocksOf } from './documents.ts'

describeEachEngine('the guide to trials', (app) => {
  it('shows a variant of an endpoint that works word for word', async () => {
    const [block = ''] = blocksOf('trials', 'http', 'json')
    const service = await startService()
    service.next(({ body }, res) => sendJson(res, 200, { answer: { text: `You asked: ${Object(body).question}` } }))
    const of = await seedComponent(app(), 1)
    const admin = await browserWith(app(), of.workspaceId, 'admin')
    await admin.create('/endpoints', { name: 'staging', baseUrl: service.url })
    const trial = await startTrial(of, { variants: [JSON.parse(block)] })
    expect(await trialWith(of.client, trial.path)).toMatchObject({ status: 'completed', progress: { done: 1 } })
    const [trace] = await of.client.list(`/components/${of.componentId}/runs/${trial.runs[0]?.runId}/traces`)
    expect((await of.client.get(`/traces/${trace?.id}`)).body.output).toBe('You asked: question 1')
    await service.close()
  })
})
