import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { BUCKET_HOURS, type PromptPeriod } from './prompt-period.ts'

type OfComponent = { workspaceId: string; componentId: string; period: PromptPeriod }

export type PromptUse = {
  prompt: string
  version: string
  label: string
  source: string
  /** Counted in buckets since 1970. */
  bucket: number
  traces: number
  uses: number
  priced: number
  costUsd: number
  lastHour: number
}

/** How production used these prompts, per version, label, source and bucket. */
export async function listPromptUses(
  q: Queries,
  { workspaceId, componentId, period, names }: OfComponent & { names: readonly string[] },
): Promise<PromptUse[]> {
  if (names.length === 0) return []
  const bucket = sql<number>`u.hour / ${sql.lit(BUCKET_HOURS)}`
  const rows = await usesIn(q, { workspaceId, componentId, period })
    .select(['u.prompt', 'u.version', 'u.label', 'u.source', bucket.as('bucket')])
    .select(({ fn }) => [
      fn.sum<number>('u.traces').as('traces'),
      fn.sum<number>('u.uses').as('uses'),
      fn.sum<number>('u.priced').as('priced'),
      fn.sum<number>('u.cost_usd').as('costUsd'),
      fn.max<number>('u.hour').as('lastHour'),
    ])
    .where('u.prompt', 'in', names)
    .groupBy(['u.prompt', 'u.version', 'u.label', 'u.source', bucket])
    .execute()
  // One of the drivers returns sums of large integers as text.
  return rows.map((row) => ({
    ...row,
    bucket: Number(row.bucket),
    traces: Number(row.traces),
    uses: Number(row.uses),
    priced: Number(row.priced),
    costUsd: Number(row.costUsd),
  }))
}

/** Prompts that traces name and that the component does not have, the most used first. */
export async function listUnknownPrompts(q: Queries, scope: OfComponent, limit: number) {
  const { workspaceId, componentId } = scope
  const rows = await usesIn(q, scope)
    .select('u.prompt as name')
    .select(({ fn }) => [
      sql<number>`count(distinct nullif(u.version, ''))`.as('versions'),
      fn.sum<number>('u.traces').as('traces'),
      fn.max<number>('u.hour').as('lastHour'),
    ])
    .where('u.prompt', 'not in', (known) =>
      known
        .selectFrom('prompts as p')
        .select('p.name')
        .where('p.workspace_id', '=', workspaceId)
        .where('p.component_id', '=', componentId)
        .where('p.deleted_at', 'is', null),
    )
    .groupBy('u.prompt')
    .orderBy('traces', 'desc')
    .orderBy('u.prompt')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, versions: Number(row.versions), traces: Number(row.traces) }))
}

/** Rows without uses are those of traces that were deleted or are not of production any more. */
function usesIn(q: Queries, { workspaceId, componentId, period: { firstHour, endHour } }: OfComponent) {
  return q
    .selectFrom('prompt_rollups as u')
    .where('u.workspace_id', '=', workspaceId)
    .where('u.component_id', '=', componentId)
    .where('u.hour', '>=', firstHour)
    .where('u.hour', '<', endHour)
    .where('u.uses', '>', 0)
}
