// @module-tag sql
import { expect, it } from 'vitest'
import type { Queries } from '../../src/storage/db.ts'
import { deleteScoped, prepared, selectScoped, updateScoped } from '../../src/storage/query-building.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

const WORKSPACE = '0199d2a0-0000-7000-8000-000000000001'
const OTHER = '0199d2a0-0000-7000-8000-000000000002'
const NOW = '2026-11-15T09:30:00.000Z'

describeEachStorage('queries of one workspace', (storage) => {
  it('select, change and delete only rows that have all of the values', async () => {
    const ids = [idOf(1), idOf(2)]
    const jobs = [WORKSPACE, OTHER].flatMap((workspaceId) => ids.map((id) => jobOf(workspaceId, id)))
    await storage().transaction((tx) => tx.insertInto('jobs').values(jobs).execute())

    const scope = { workspace_id: WORKSPACE, id: idOf(1) }
    await storage().transaction((tx) => updateScoped(tx, 'jobs', scope).set({ payload: 'after' }).execute())
    expect(await payloads()).toEqual(['after', 'before', 'before', 'before'])
    expect(await selectScoped(storage().read, 'jobs', scope).select('payload').execute()).toEqual([
      { payload: 'after' },
    ])

    await storage().transaction((tx) => deleteScoped(tx, 'jobs', scope).execute())
    expect(await payloads()).toEqual(['before', 'before', 'before'])
  })

  it('find what is not deleted by the value null', () => {
    const { sql, parameters } = selectScoped(storage().read, 'runs', { workspace_id: WORKSPACE, deleted_at: null })
      .select('id')
      .compile()
    expect(sql).toMatch(/where "workspace_id" = (\?|\$1) and "deleted_at" is null$/)
    expect(parameters).toEqual([WORKSPACE])
  })

  it('can be prepared', async () => {
    const findKinds = prepared<{ workspaceId: string }>()((q, value) =>
      selectScoped(q, 'jobs', { workspace_id: value('workspaceId') }).select('kind'),
    )
    await storage().transaction((tx) =>
      tx
        .insertInto('jobs')
        .values(jobOf(OTHER, idOf(3)))
        .execute(),
    )
    expect(await findKinds(storage().read, { workspaceId: WORKSPACE })).toHaveLength(1)
    expect(await findKinds(storage().read, { workspaceId: OTHER })).toHaveLength(3)
  })

  async function payloads(): Promise<string[]> {
    const q: Queries = storage().read
    const rows = await q.selectFrom('jobs').select('payload').orderBy('workspace_id').orderBy('id').execute()
    return rows.map(({ payload }) => payload)
  }
})

function jobOf(workspaceId: string, id: string) {
  const times = { run_at: NOW, created_at: NOW, lease_owner: null, lease_until: null }
  const state = 'queued' as const
  return {
    workspace_id: workspaceId,
    id,
    kind: 'any',
    payload: 'before',
    state,
    attempts: 0,
    fence: 1,
    last_error: null,
    ...times,
  }
}

function idOf(place: number): string {
  return `0199d2a0-0000-7000-9000-00000000000${place}`
}
