import { expect, it } from 'vitest'
import { createLedger } from '../../src/spending/ledger.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

const AT_ONCE = 100
const numbers = Array.from({ length: AT_ONCE }, (_, place) => place + 1)

/** Every node has a copy of the table of workspaces. A transaction that locks one of its rows and then writes could wait for others in turn. */
describeEachEngine('writes of one application at the same time', (app) => {
  it('of traces are all stored', async () => {
    const { client } = await app().newWorkspace()
    const sent = await Promise.all(
      numbers.map((number) =>
        client.post('/v1/traces', otlpRequest([{ traceId: traceIdOf(number), spanId: spanIdOf(number) }])),
      ),
    )
    expect(sent.filter(({ status }) => status !== 200)).toEqual([])
    expect((await client.get('/traces/stats')).body.totalTraces).toBe(AT_ONCE)
  })

  it('of costs are all counted', async () => {
    const { workspaceId, client } = await app().newWorkspace()
    const ledger = createLedger({ db: app().storage, clock: app().clock, workspaceId, kind: 'judges' })
    const reserve = async () => (await ledger.reserve({ model: 'm', maxUsd: 0.02 })).settle(0.01)
    await Promise.all(numbers.map(reserve))
    const { today }: { today?: unknown } = (await client.get('/spending')).body
    expect(today).toMatchObject({ calls: AT_ONCE, usd: 1 })
  })
})
