import { lowestIdAt } from '../base/ids.ts'
import type { Queries } from '../storage/db.ts'
import type { Split } from './choose-version.ts'
import type { Evidence } from './evidence-schemas.ts'
import { readEvidence } from './label-queries.ts'

export type LivePeriod = {
  id: string
  promptId: string
  label: string
  change: number
  splits: Split[]
  since: string
  until: string | null
  evidence: Evidence[]
  changedBy: string
}

/**
 * What the labels of prompts served in a period, newest first: what they served at its beginning, and each change in it. One more than
 * the limit, to find out whether there are more.
 */
export async function listLivePeriods(
  q: Queries,
  {
    workspaceId,
    promptIds,
    fromMs,
    toMs,
    before,
    limit,
  }: {
    workspaceId: string
    promptIds: readonly string[]
    fromMs: number
    toMs: number
    before: string | undefined
    limit: number
  },
): Promise<LivePeriod[]> {
  // The time in its id is that of the change. So both conditions are ranges of a key, however long the history is.
  const first = lowestIdAt(fromMs)
  let periods = q
    .selectFrom('prompt_label_changes as c')
    .leftJoin('prompt_label_changes as next', (join) =>
      join
        .onRef('next.workspace_id', '=', 'c.workspace_id')
        .onRef('next.prompt_id', '=', 'c.prompt_id')
        .onRef('next.label', '=', 'c.label')
        .on(({ eb, ref }) => eb('next.number', '=', eb(ref('c.number'), '+', 1))),
    )
    .select([
      'c.id',
      'c.prompt_id',
      'c.label',
      'c.number',
      'c.after',
      'c.created_at',
      'c.evidence',
      'c.user_id',
      'next.created_at as until',
    ])
    .where('c.workspace_id', '=', workspaceId)
    .where('c.prompt_id', 'in', promptIds)
    .where('c.after', 'is not', null)
    .where('c.id', '<', lowestIdAt(toMs))
    .where(({ or, eb, selectFrom }) =>
      or([
        eb('c.id', '>=', first),
        eb(
          'c.id',
          'in',
          selectFrom('prompt_labels as l')
            .select((of) =>
              of
                .selectFrom('prompt_label_changes as last')
                .select('last.id')
                .whereRef('last.workspace_id', '=', 'l.workspace_id')
                .whereRef('last.prompt_id', '=', 'l.prompt_id')
                .whereRef('last.label', '=', 'l.name')
                .where('last.id', '<', first)
                .orderBy('last.number', 'desc')
                .limit(1)
                .$asScalar()
                .as('id'),
            )
            .where('l.workspace_id', '=', workspaceId)
            .where('l.prompt_id', 'in', promptIds),
        ),
      ]),
    )
  if (before !== undefined) periods = periods.where('c.id', '<', before)
  const rows = await periods
    .orderBy('c.id', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    promptId: row.prompt_id,
    label: row.label,
    change: row.number,
    splits: row.after === null ? [] : JSON.parse(row.after).splits,
    since: row.created_at,
    until: row.until,
    evidence: readEvidence(row.evidence),
    changedBy: row.user_id,
  }))
}
