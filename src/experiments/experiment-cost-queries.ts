import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'

/** The tokens that the answers of these trials and their evaluations have used, by trial. */
export async function sumTestTokens(
  q: Queries,
  { workspaceId, trialIds }: { workspaceId: string; trialIds: readonly string[] },
): Promise<Map<string, number>> {
  if (trialIds.length === 0) return new Map()
  const rows = await q
    .selectFrom('trial_variants as v')
    .leftJoin('evaluations as e', (join) =>
      join.onRef('e.workspace_id', '=', 'v.workspace_id').onRef('e.id', '=', 'v.evaluation_id'),
    )
    .select(['v.trial_id as trialId', sql<number>`sum(v.tokens_used + coalesce(e.tokens_used, 0))`.as('tokens')])
    .where('v.workspace_id', '=', workspaceId)
    .where('v.trial_id', 'in', trialIds)
    .groupBy('v.trial_id')
    .execute()
  return new Map(rows.map(({ trialId, tokens }) => [trialId, Number(tokens)]))
}
