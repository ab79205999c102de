import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { connectModel, evaluated, judging, QUICK, seedComponent } from './evaluating.ts'

describeEachEngine(
  'the earlier turns of a conversation',
  (app) => {
    it('are shown to the judge of a run next to input and output', async () => {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const server = await connectModel(seeded)
      const messages = [
        { role: 'user', content: 'I am Ada.' },
        { role: 'assistant', content: 'Hello, Ada.' },
        { role: 'user', content: 'Who am I?' },
      ]
      await client.post(`${below}/traces`, { dataset: 'Names', run: 'v1', input: { messages }, output: 'Ada' })
      const [run] = await client.list(`${below}/runs`)
      const { status } = await evaluated(seeded, { datasetId: run?.datasetId, runId: run?.id, config: judging() })
      expect(status).toBe('completed')
      expect(server.requests.map(({ user }) => JSON.parse(user))).toEqual([
        { conversation: JSON.stringify(messages), input: 'Who am I?', output: 'Ada' },
      ])
    })

    it('are those of the first model call, if the root has only the last of them', async () => {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const server = await connectModel(seeded)
      const messages = [
        { role: 'user', content: 'I am Ada.' },
        { role: 'user', content: 'Who am I?' },
      ]
      await client.post(`${below}/traces`, {
        dataset: 'Names',
        run: 'v1',
        spans: [
          { spanId: '1', kind: 'agent', name: 'agent', input: 'Who am I?', output: 'Ada' },
          { spanId: '2', parentSpanId: '1', kind: 'llm', name: 'call', input: { messages }, output: 'Ada' },
        ],
      })
      const [run] = await client.list(`${below}/runs`)
      await evaluated(seeded, { datasetId: run?.datasetId, runId: run?.id, config: judging() })
      expect(server.requests.map(({ user }) => JSON.parse(user))).toEqual([
        { conversation: JSON.stringify(messages), input: 'Who am I?', output: 'Ada' },
      ])
    })
  },
  QUICK,
)
