// @module-tag deep
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../harness/each-engine.ts'
import {
  launch,
  makeFolder,
  type Program,
  type ServerProcess,
  startServer,
  waitFor,
} from '../harness/server-process.ts'

import { expectSums, expectWholeBatches, type SpanBatch, sendBatch, sendRejected, spanBatch } from './span-load.ts'

const REPOSITORY = join(import.meta.dirname, '../..')

describe('another process holds the write lock', () => {
  it('writes wait while reads continue; writes that wait too long get 503; then the server recovers', async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    const server = await startServer(database.url)
    const id = await server.client.create('/components', { name: 'Before' })

    const holder = await holdLock(database.url)
    let isAnswered = false
    const patient = post(server, 'Patient').finally(() => (isAnswered = true))
    await readWhile(server, id, 20)
    expect(isAnswered).toBe(false)
    await holder.kill()
    expect(await patient).toEqual({ status: 201, error: undefined })

    const second = await holdLock(database.url)
    let reads = 0
    const rejected = Promise.all([post(server, 'Rejected'), post(server, 'Rejected')])
    let isRejected = false
    void rejected.finally(() => (isRejected = true))
    while (!isRejected) {
      await readWhile(server, id, 1)
      reads += 1
    }
    const busy = { status: 503, error: 'The database is busy; try again in a moment' }
    expect(await rejected).toEqual([busy, busy])
    expect(reads).toBeGreaterThan(20)
    await second.kill()
    expect(await post(server, 'After')).toEqual({ status: 201, error: undefined })
    const names = (await server.client.list('/components')).map(({ name }) => name)
    expect(names).toEqual(['After', 'Patient', 'Before'])
    await server.kill()
    database.remove()
  })
})

describe('the disk is full', () => {
  it('writes return 503, reads continue, nothing is damaged, and it recovers when space is freed', async (context) => {
    const { folder, remove } = makeFolder()
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder]).status !== 0) {
      console.warn('NOT TESTED: the full disk. This user may not mount a file system; run the tests as root once.')
      remove()
      context.skip()
    }
    try {
      await fillAndRecover(folder)
    } finally {
      spawnSync('umount', ['-l', folder])
      remove()
    }
  })
})

async function fillAndRecover(folder: string): Promise<void> {
  const url = `file:${join(folder, 'test.db')}`
  const server = await startServer(url)
  const component = await server.client.create('/components', { name: 'Kept' })
  const path = `/components/${component}/datasets`
  const traceIds = Array.from({ length: 300 }, (_, place) => `a-trace-with-a-longer-name-${place}`)
  const kept = new Set<string>()
  const ballast = join(folder, 'ballast')
  const batches: SpanBatch[] = []
  for (let round = 1; round <= 3; round += 1) {
    fillUp(ballast)
    // The log has some reserved space, so that a few writes still succeed.
    const rejection = await waitFor('a rejection', async () => {
      const { status, body } = await server.client.post(path, { name: 'Cases', traceIds })
      if (status !== 201) return { status, body }
      kept.add(String(body.id))
      return undefined
    })
    expect(rejection).toEqual({ status: 503, body: { error: 'The disk is full; free some space and try again' } })
    const rejected = await spansUntilRejected(server, round, batches)
    await expectWholeBatches(server.client, batches)
    await readWhile(server, component, 10)
    expect((await server.client.get('/health')).status).toBe(200)
    rmSync(ballast)
    const saved = await waitFor('a write to succeed', async () => {
      const { status, body } = await server.client.post(path, { name: 'Cases', traceIds })
      return status === 201 ? String(body.id) : undefined
    })
    kept.add(saved)
    for (const batch of rejected) {
      await sendBatch(server.client, batch)
      batch.isAnswered = true
    }
    await expectWholeBatches(server.client, batches)
    await expectSums(server.client, batches)
  }
  const stored = await server.client.list(`${path}?limit=100`)
  expect(stored.map(({ id }) => String(id)).sort()).toEqual([...kept].sort())
  expect(stored.every(({ itemCount }) => itemCount === traceIds.length)).toBe(true)

  fillUp(ballast)
  await server.kill()
  rmSync(ballast)
  const again = await startServer(url)
  expect(await again.client.list(`${path}?limit=100`)).toEqual(stored)
  again.signal('SIGTERM')
  expect(await again.ended).toMatchObject({ code: 0 })
  const database = new Database(join(folder, 'test.db'), { readonly: true })
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(database.pragma('foreign_key_check')).toEqual([])
  database.close()
}

/** Sends spans in both encodings until both are rejected; returns the rejected ones, and adds all to the batches. */
async function spansUntilRejected(server: ServerProcess, round: number, batches: SpanBatch[]): Promise<SpanBatch[]> {
  const rejected: SpanBatch[] = []
  for (const [place, encoding] of (['json', 'protobuf'] as const).entries()) {
    for (let turn = 0; rejected.length === place; turn += 1) {
      const batch = spanBatch({ sender: `${round}${place}`, turn }, encoding)
      batches.push(batch)
      batch.isAnswered = (await sendRejected(server, batch)) === 'stored'
      if (!batch.isAnswered) rejected.push(batch)
    }
  }
  return rejected
}

function fillUp(file: string): void {
  const ballast = openSync(file, 'w')
  for (const bytes of [65_536, 4_096, 1]) {
    try {
      for (;;) writeSync(ballast, Buffer.alloc(bytes))
    } catch {
      // Full for pieces of this size: go on with smaller ones.
    }
  }
  closeSync(ballast)
}

async function holdLock(url: string): Promise<Program> {
  const source = `
    import Database from 'better-sqlite3'
    const database = new Database(${JSON.stringify(url.slice('file:'.length))}, { timeout: 10_000 })
    database.exec('begin immediate')
    process.stdout.write('held')
    // Naming the connection keeps it from being collected, and with it the lock.
    setInterval(() => database.inTransaction, 1_000)`
  const holder = launch({ source, folder: REPOSITORY })
  await waitFor('the lock to be held', async () => holder.output === 'held' || undefined)
  return holder
}

async function readWhile({ client }: ServerProcess, id: string, times: number): Promise<void> {
  for (let read = 0; read < times; read += 1) expect((await client.get(`/components/${id}`)).status).toBe(200)
}

async function post({ client }: ServerProcess, name: string) {
  const { status, body } = await client.post('/components', { name })
  return { status, error: body.error }
}
