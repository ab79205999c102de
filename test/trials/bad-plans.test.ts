import { beforeAll, expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { REJECTING_URL } from '../isolation/route-requests.ts'
import { type SeededPrompt, seedPrompt } from '../prompts/seed-prompt.ts'
import { seedDataset, seedPromptTrials, trialsPath, version, WORKER } from './seed-trial.ts'

describeEachEngine(
  'plans of trials that are rejected',
  (app) => {
    const seeded: { of?: SeededPrompt & { datasetId: string } } = {}
    const of = () => {
      if (!seeded.of) throw new Error('seeded before all tests')
      return seeded.of
    }
    beforeAll(async () => {
      const prompt = await seedPrompt(app())
      const admin = await browserWith(app(), prompt.workspaceId, 'admin')
      await admin.create('/connections', { name: 'models', baseUrl: REJECTING_URL, models: ['model-1'] })
      for (const text of ['Answer: {{question}}', 'Answer briefly: {{question}}']) {
        const content = { messages: [{ role: 'user', content: text }], provider: 'models' }
        await prompt.client.post(`${prompt.path}/versions`, { content })
      }
      seeded.of = { ...prompt, datasetId: await seedDataset(prompt.client, prompt.componentId, 2) }
    })
    const grid = (more: object) => ({ grid: { promptId: of().promptId, versions: [1, 2], ...more } })
    const cases: [string, () => object, RegExp][] = [
      ['no variants', () => ({}), /^A trial needs at least one variant; send "variants", "grid" or both$/],
      [
        '51 variants',
        () => ({ ...grid({ parameters: { seed: Array.from({ length: 25 }, (_, n) => n) } }), variants: [WORKER] }),
        /at most 50 variants, and these are 51/,
      ],
      [
        'two of one name',
        () => ({ variants: [WORKER, WORKER] }),
        /^Two variants have the name "my code"; give each a "name" of its own$/,
      ],
      [
        'a worker without a queue',
        () => ({ variants: [{ target: { type: 'worker' } }] }),
        /^The field variants\[0\]\.target\.queue is missing/,
      ],
      [
        'a worker with a prompt',
        () => ({ variants: [{ target: { type: 'worker', queue: 'a', version: 1 } }] }),
        /version belongs to targets of type prompt; leave it out$/,
      ],
      [
        'a prompt without a version',
        () => ({ variants: [{ target: { type: 'prompt', promptId: of().promptId } }] }),
        /needs promptId and version/,
      ],
      ['a version that is missing', () => ({ variants: [version(of().promptId, 9)] }), /^Variant v9: /],
      ['a prompt that is missing', () => ({ variants: [version(of().datasetId, 1)] }), /has no prompt/],
      [
        'a connection that is missing',
        () => ({ variants: [version(of().promptId, 1, { provider: 'gone' })] }),
        /There is no connection named "gone"/,
      ],
      ['a target of another type', () => ({ variants: [{ target: { type: 'http' } }] }), /type/],
      [
        'an unknown variable',
        () => ({ ...grid({}), variables: { topic: 'input.topic' } }),
        /^The field variables\.topic is used by no prompt of the trial; they have question$/,
      ],
      [
        'a variable without a prompt',
        () => ({ variants: [WORKER], variables: { topic: 'input.topic' } }),
        /no variant has a prompt with variables$/,
      ],
      [
        'a wrong path',
        () => ({ ...grid({}), variables: { question: 'output.text' } }),
        /^The field variables\.question must be a path that begins with input or metadata/,
      ],
      [
        'an unknown baseline',
        () => ({ ...grid({}), baseline: 'v7' }),
        /^The field baseline must be the name of a variant; they are v1, v2$/,
      ],
      [
        'an empty split',
        () => ({ ...grid({}), split: 'test' }),
        /^The dataset has no items in the split test; assign items to it/,
      ],
      ['21 repetitions', () => ({ ...grid({}), repetitions: 21 }), /repetitions/],
      [
        'a baseline of the evaluation',
        () => ({ ...grid({}), evaluation: { baselineRunId: of().datasetId } }),
        /^The field evaluation\.baselineRunId is set by the trial/,
      ],
      [
        'an unknown evaluator',
        () => ({ ...grid({}), evaluation: { evaluators: [{ type: 'magic', name: 'a' }] } }),
        /^The field evaluation\.evaluators/,
      ],
      [
        'a gate without a metric',
        () => ({ ...grid({}), evaluation: { gate: { margin: 1 } } }),
        /^The field evaluation\.gate\.metric must be/,
      ],
    ]
    it.each(cases)('%s', async (_, body, message) => {
      const answer = await of().client.post(trialsPath(of()), { datasetId: of().datasetId, ...body() })
      expectError(answer, 400)
      expect(answer.body.error).toMatch(message)
      expect(await of().client.list(trialsPath(of()))).toEqual([])
      expect(await of().client.list(`/components/${of().componentId}/runs`)).toEqual([])
    })

    it('a dataset of another component gets 404', async () => {
      const componentId = await of().client.create('/components', { name: 'Other' })
      expectError(
        await of().client.post(trialsPath({ componentId }), { datasetId: of().datasetId, variants: [WORKER] }),
        404,
      )
    })

    it('a viewer reads trials, and cannot start or lease', async () => {
      const { componentId, workspaceId, datasetId } = await seedPromptTrials(app())
      const viewer = await browserWith(app(), workspaceId, 'viewer')
      expect(await viewer.list(trialsPath({ componentId }))).toEqual([])
      expectError(await viewer.post(trialsPath({ componentId }), { datasetId, variants: [WORKER] }), 403)
      expectError(await viewer.post(`/components/${componentId}/calls/lease`, { queue: 'a' }), 403)
    })

    it('a repeated request with its key starts one trial', async () => {
      const trials = await seedPromptTrials(app())
      const body = { datasetId: trials.datasetId, variants: [WORKER] }
      const key = { 'idempotency-key': 'one trial' }
      const [first, second] = [
        await trials.client.post(trialsPath(trials), body, key),
        await trials.client.post(trialsPath(trials), body, key),
      ]
      expect(second.body).toEqual(first.body)
      expect(await trials.client.list(trialsPath(trials))).toHaveLength(1)
    })
  },
  { works: false },
)
