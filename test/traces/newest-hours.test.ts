import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import { createIngest } from '../../src/ingestion/ingest-spans.ts'
import { createTraceLinker } from '../../src/ingestion/link-arrived-traces.ts'
import { nextUint32, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { columnTypes } from '../../src/storage/dialect.ts'
import { newestOfHours } from '../../src/storage/migrations/0005-newest-of-hours.ts'
import { lastHours } from '../../src/traces/query/newest-hours.ts'
import { readerOf } from '../../src/traces/storing/received-span.ts'
import { listTraces } from '../../src/traces/trace-list-queries.ts'
import { createQuotas, NO_QUOTAS } from '../../src/workspaces/quotas.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { traceIdOf } from '../harness/otlp-json.ts'
import type { TestApp } from '../harness/test-app.ts'
import { receivedSpan } from '../mapping/golden-spans.ts'

const HOUR = 3_600_000_000_000n
const FIRST_HOUR = 490_000n
const at = (hours: number, minutes = 0) => (FIRST_HOUR + BigInt(hours)) * HOUR + BigInt(minutes) * 60_000_000_000n

type Sent = { number: number; startNs: bigint; isFailed?: boolean }

/** Stores traces in the order in which they are given. */
async function arrive({ storage, clock }: TestApp, workspaceId: string, sent: Sent[]): Promise<void> {
  const newId = idGenerator(clock)
  const ingest = createIngest({
    db: storage,
    clock,
    newId,
    linker: createTraceLinker({ clock, newId }),
    quotas: createQuotas({ limits: NO_QUOTAS, clock }),
  })
  for (const { number, startNs, isFailed = false } of sent) {
    const span = receivedSpan({ name: `trace ${number}`, attributes: {} })
    const traceId = traceIdOf(number)
    const status = isFailed ? ('error' as const) : ('ok' as const)
    await ingest({ workspaceId }, readerOf([{ ...span, traceId, startNs, endNs: startNs + 1n, status }]))
  }
}

/** So many that began later that a list of what began earlier is found by the start. */
function laterTraces(count: number): Sent[] {
  return Array.from({ length: count }, (_, place) => ({ number: 10_000 + place, startNs: at(1_000, place % 60) }))
}

describeEachEngine('the newest traces of a time that is over', (app) => {
  const page = async (workspaceId: string, filter: object, limit: number, offset = 0) => {
    const rows = await listTraces(app().storage.read, { workspaceId, filter, limit, offset })
    return rows.map(({ name }) => name)
  }

  it('are found in the last hours only, if these arrived last', async () => {
    const { workspaceId } = await app().newWorkspace()
    const sent = Array.from({ length: 40 }, (_, place) => ({
      number: place,
      startNs: at(Math.floor(place / 4), place),
    }))
    await arrive(app(), workspaceId, [...sent, ...laterTraces(60)])
    const filter = { startAfter: at(0), startBefore: at(10) }
    const [first] = await lastHours(app().storage.read, workspaceId, { ...filter, parts: [] })
    expect(first?.from).toBe(at(9))
    expect(await page(workspaceId, filter, 3)).toEqual(['trace 39', 'trace 38', 'trace 37'])
    expect(await page(workspaceId, filter, 3, 3)).toEqual(['trace 36', 'trace 35', 'trace 34'])
    expect(await page(workspaceId, filter, 5, 38)).toEqual(['trace 1', 'trace 0'])
  })

  it('also have one that began early and arrived late', async () => {
    const { workspaceId } = await app().newWorkspace()
    const sent = Array.from({ length: 20 }, (_, place) => ({ number: place, startNs: at(place) }))
    await arrive(app(), workspaceId, [...sent, ...laterTraces(60), { number: 99, startNs: at(2) }])
    const filter = { startAfter: at(0), startBefore: at(20) }
    expect(await page(workspaceId, filter, 2)).toEqual(['trace 99', 'trace 19'])
    expect(await page(workspaceId, { ...filter, startAfter: at(3) }, 2)).toEqual(['trace 19', 'trace 18'])
  })

  it('are the same, page by page, as those found one by one, for any time of arrival', async () => {
    const { workspaceId } = await app().newWorkspace()
    const random = seededRandom('hours')
    const number = (below: number) => nextUint32(random) % below
    const sent = Array.from({ length: 120 }, (_, place) => ({
      number: place,
      // Mostly in the order in which they began, and one of ten at any time.
      startNs: number(10) === 0 ? at(number(48), number(60)) : at(Math.floor(place / 3), number(60)),
      isFailed: number(3) === 0,
    }))
    await arrive(app(), workspaceId, [...sent, ...laterTraces(150)])
    for (let round = 0; round < 40; round += 1) {
      const startAfter = at(number(40), number(60))
      const startBefore = startAfter + BigInt(1 + number(40 * 60)) * 60_000_000_000n
      const limit = 1 + number(12)
      const offset = number(10)
      const status = number(3) === 0 ? 'error' : undefined
      const expected = sent
        .filter(({ startNs }) => startNs >= startAfter && startNs < startBefore)
        .filter(({ isFailed }) => status === undefined || isFailed)
        .toReversed()
        .slice(offset, offset + limit)
      const filter = { startAfter, startBefore, ...(status ? { status } : {}) }
      expect(await page(workspaceId, filter, limit, offset)).toEqual(expected.map((one) => `trace ${one.number}`))
    }
  })

  it('are known of traces that were stored before the upgrade that added this', async () => {
    const { workspaceId } = await app().newWorkspace()
    const { storage } = app()
    const known = () =>
      storage.read.selectFrom('trace_hours').selectAll().orderBy('workspace_id').orderBy('hour').execute()
    const sent = [3, 1, 2, 1].map((hour, number) => ({ number, startNs: at(hour, number) }))
    await arrive(app(), workspaceId, sent)
    const before = await known()
    expect(before.filter((row) => row.workspace_id === workspaceId)).toHaveLength(3)
    await storage.transaction(async (tx) => {
      await tx.deleteFrom('trace_hours').execute()
      const [, fill = ''] = newestOfHours(columnTypes(tx))
      await sql.raw(fill).execute(tx)
    })
    expect(await known()).toEqual(before)
  })
})
