import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectingLog } from '../harness/collecting-log.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { startTestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'

const others = (path: string) => statSync(path).mode & 0o077

describe('the files of an embedded database', () => {
  let folder: string
  let umask: number
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'touchstone-private-'))
    // As permissive as a shell can be.
    umask = process.umask(0)
  })
  afterEach(() => {
    process.umask(umask)
    rmSync(folder, { recursive: true, force: true })
  })

  /** A server that has stored a trace and made a copy of its database. */
  async function useServer(data: string, log = collectingLog('info')) {
    const app = await startTestApp(`file:${join(data, 'touchstone.db')}`, {
      log: log.log,
      environment: { TOUCHSTONE_SECRET_KEY: '' },
    })
    const { client, workspaceId } = await app.newWorkspace()
    const admin = app.asPerson(await app.newPerson([{ workspaceId, role: 'admin' }]), workspaceId)
    await sendSpans(client, [{ traceId: traceIdOf(1), spanId: spanIdOf(1), name: 'searched', start: Date.now() }])
    await admin.post('/connections', { name: 'c', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'sk-secret' })
    await until(() => expect(readdirSync(data)).toContain('touchstone.db-search'))
    await app.storage.backup(join(data, 'touchstone.db-copy'))
    const files = readdirSync(data)
    const open = files.filter((name) => others(join(data, name)) !== 0)
    await app.close()
    return { files, open, logged: log.logged.join('') }
  }

  it('can be read only by the owner, for any umask: database, log, index, secret key, copies, and the folder', async () => {
    const data = join(folder, 'data')
    const { files, open } = await useServer(data)
    expect(files).toEqual(
      expect.arrayContaining([
        'touchstone.db',
        'touchstone.db-wal',
        'touchstone.db-shm',
        'touchstone.db-search',
        'touchstone.db-secret-key',
      ]),
    )
    expect(open).toEqual([])
    expect(others(data)).toBe(0)
  })

  it('that others could read get private permissions at the next start, which is logged', {
    tags: 'deep',
  }, async () => {
    const data = join(folder, 'data')
    await useServer(data)
    chmodSync(data, 0o755)
    rmSync(join(data, 'touchstone.db-copy'))
    for (const name of readdirSync(data)) chmodSync(join(data, name), 0o644)
    const { open, logged } = await useServer(data)
    expect(open).toEqual([])
    expect(others(data)).toBe(0)
    expect(logged).toContain('other users could read these files; now only this user can')
  })

  it('do not change a folder with other files', { tags: 'deep' }, async () => {
    const data = join(folder, 'shared')
    mkdirSync(data, { mode: 0o755 })
    writeFileSync(join(data, 'of-another-program'), '', { mode: 0o644 })
    const { open } = await useServer(data)
    expect(open).toEqual(['of-another-program'])
    expect(others(data)).toBe(0o055)
  })
})
