import type { Selectable } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { prepared, selectScoped, updateScoped } from '../storage/query-building.ts'
import type { Tables } from '../storage/tables.ts'
import type { PreparedContent, VersionContent } from './version-content.ts'

export type VersionScope = { workspaceId: string; promptId: string; number: number }

/** Who has written it: a person, or the experiment with this id. */
export type VersionSource = { kind: 'person' | 'experiment'; id: string | null }

/** A version without its content, which may be large, and without the labels that point to it. */
export type VersionRow = {
  promptId: string
  number: number
  hash: string
  variables: string[]
  placeholders: string[]
  source: VersionSource
  createdBy: string
  createdAt: string
  note: string | null
}

export type Version = VersionRow & { content: VersionContent }

const ROW_COLUMNS = [
  'prompt_id',
  'number',
  'content_hash',
  'variables',
  'placeholders',
  'source_kind',
  'source_id',
  'created_by',
  'created_at',
  'note',
] as const

const findVersions = prepared<VersionScope>()((q, value) =>
  selectScoped(q, 'prompt_versions', {
    workspace_id: value('workspaceId'),
    prompt_id: value('promptId'),
    number: value('number'),
  }).select([...ROW_COLUMNS, 'content', 'deleted_at']),
)

export async function findVersion(q: Queries, scope: VersionScope): Promise<Version | undefined> {
  const [row] = await findVersions(q, scope)
  return row && row.deleted_at === null ? toVersion(row) : undefined
}

/** Also one that was deleted since the label was read that serves it. */
export async function findServedVersion(q: Queries, scope: VersionScope): Promise<Version | undefined> {
  const [row] = await findVersions(q, scope)
  return row && toVersion(row)
}

/** The newest version with this content. */
export async function findVersionByHash(
  q: Queries,
  { workspaceId, promptId, hash }: Omit<VersionScope, 'number'> & { hash: string },
): Promise<Version | undefined> {
  const row = await selectScoped(q, 'prompt_versions', {
    workspace_id: workspaceId,
    prompt_id: promptId,
    content_hash: hash,
    deleted_at: null,
  })
    .select([...ROW_COLUMNS, 'content'])
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && toVersion(row)
}

/** Newest first. One more than the limit, to find out whether there are more. */
export async function listVersionsBefore(
  q: Queries,
  {
    workspaceId,
    promptId,
    before,
    limit,
  }: Omit<VersionScope, 'number'> & { before: number | undefined; limit: number },
): Promise<VersionRow[]> {
  let versions = selectScoped(q, 'prompt_versions', {
    workspace_id: workspaceId,
    prompt_id: promptId,
    deleted_at: null,
  }).select(ROW_COLUMNS)
  if (before !== undefined) versions = versions.where('number', '<', before)
  const rows = await versions
    .orderBy('number', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map(toRow)
}

/** When these versions were saved, by number; also of deleted ones. */
export async function listVersionTimes(
  q: Queries,
  { workspaceId, promptId, numbers }: Omit<VersionScope, 'number'> & { numbers: readonly number[] },
): Promise<Map<number, string>> {
  if (numbers.length === 0) return new Map()
  const rows = await selectScoped(q, 'prompt_versions', { workspace_id: workspaceId, prompt_id: promptId })
    .select(['number', 'created_at'])
    .where('number', 'in', numbers)
    .execute()
  return new Map(rows.map(({ number, created_at }) => [number, created_at]))
}

/** Those of these numbers that exist. */
export async function findVersionNumbers(
  q: Queries,
  { workspaceId, promptId, numbers }: Omit<VersionScope, 'number'> & { numbers: readonly number[] },
): Promise<number[]> {
  const rows = await selectScoped(q, 'prompt_versions', {
    workspace_id: workspaceId,
    prompt_id: promptId,
    deleted_at: null,
  })
    .select('number')
    .where('number', 'in', numbers)
    .execute()
  return rows.map(({ number }) => number)
}

export async function countVersions(
  q: Queries,
  { workspaceId, promptId }: Omit<VersionScope, 'number'>,
): Promise<number> {
  const { count } = await selectScoped(q, 'prompt_versions', {
    workspace_id: workspaceId,
    prompt_id: promptId,
    deleted_at: null,
  })
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertVersion(
  tx: Queries,
  { workspaceId, promptId, number }: VersionScope,
  version: {
    content: PreparedContent
    note: string | null
    source: VersionSource
    createdBy: string
    createdAt: string
  },
): Promise<void> {
  const { text, hash, variables, placeholders } = version.content
  await tx
    .insertInto('prompt_versions')
    .values({
      workspace_id: workspaceId,
      prompt_id: promptId,
      number,
      content: text,
      content_hash: hash,
      variables: JSON.stringify(variables),
      placeholders: JSON.stringify(placeholders),
      note: version.note,
      source_kind: version.source.kind,
      source_id: version.source.id,
      created_by: version.createdBy,
      created_at: version.createdAt,
      deleted_at: null,
    })
    .execute()
}

export async function markVersionDeleted(
  tx: Queries,
  { workspaceId, promptId, number }: VersionScope,
  deletedAt: string,
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'prompt_versions', {
    workspace_id: workspaceId,
    prompt_id: promptId,
    number,
    deleted_at: null,
  })
    .set({ deleted_at: deletedAt })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function restoreVersions(
  tx: Queries,
  { workspaceId, promptId, numbers }: Omit<VersionScope, 'number'> & { numbers: readonly number[] },
): Promise<void> {
  await updateScoped(tx, 'prompt_versions', { workspace_id: workspaceId, prompt_id: promptId })
    .set({ deleted_at: null })
    .where('number', 'in', numbers)
    .execute()
}

function toVersion(row: Parameters<typeof toRow>[0] & { content: string }): Version {
  return { ...toRow(row), content: JSON.parse(row.content) }
}

function toRow(row: Pick<Selectable<Tables['prompt_versions']>, (typeof ROW_COLUMNS)[number]>): VersionRow {
  return {
    promptId: row.prompt_id,
    number: row.number,
    hash: row.content_hash,
    variables: JSON.parse(row.variables),
    placeholders: JSON.parse(row.placeholders),
    source: { kind: row.source_kind, id: row.source_id },
    createdBy: row.created_by,
    createdAt: row.created_at,
    note: row.note,
  }
}
