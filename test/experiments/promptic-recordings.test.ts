/**
 * The requests of the command lines of promptic-sdk, as `test/python/promptic-clients.test.ts` has recorded them: each gets the same response.
 * To record them again: `RECORD=1 npx vitest run test/python/promptic-clients.test.ts`.
 */
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/wait-for.ts'
import { seedPlayground } from '../playground/trying.ts'
import { createIdNames, PROMPTIC_VERSIONS, readRecording } from './promptic-exchanges.ts'
import { answerAtOnce } from './seed-experiment.ts'

describeEachEngine('promptic-sdk', (app) => {
  it.each(PROMPTIC_VERSIONS)('%s gets the responses that its command line was built for', async (version) => {
    const { client } = await seedPlayground(app(), { answer: answerAtOnce })
    const { withNames, withIds } = createIdNames()
    for (const recorded of readRecording(version)) {
      const { method, path, body } = recorded
      const sent = await client.send(method, withIds(path), { body: withIds(body) })
      const response: unknown = sent.text === '' ? null : JSON.parse(sent.text)
      const exchange = { method, path: withIds(path), ...(body !== undefined && { body: withIds(body) }) }
      expect(withNames({ ...exchange, status: sent.status, response })).toEqual(recorded)
      if (!path.endsWith('/start')) continue
      await waitFor('the experiment', async () => {
        const { experimentStatus } = (await client.get(withIds(path).replace('/start', ''))).body
        return ['completed', 'failed'].includes(String(experimentStatus)) || undefined
      })
    }
  })
})
