import { lowestIdAt } from '../../base/ids.ts'
import { type LabelState, readEvidence } from '../../prompts/label-queries.ts'
import type { Queries } from '../../storage/db.ts'

/** The position of a change: label changes of a millisecond are after the versions that were saved in it. */
type ChangePosition = { at: string; id: string; number: number }

type Changes = { workspaceId: string; componentId: string; before: ChangePosition | undefined; limit: number }

/** Versions that were saved in a component, newest first, also deleted ones. One more than the limit. */
export async function listSavedVersions(q: Queries, { workspaceId, componentId, before, limit }: Changes) {
  let versions = q
    .selectFrom('prompt_versions as v')
    .innerJoin('prompts as p', (join) =>
      join.onRef('p.workspace_id', '=', 'v.workspace_id').onRef('p.id', '=', 'v.prompt_id'),
    )
    .leftJoin('users as u', 'u.id', 'v.created_by')
    .select(['v.prompt_id as promptId', 'p.name as promptName', 'v.number', 'v.note', 'v.created_at as at'])
    .select(['v.created_by as userId', 'u.name as userName', 'v.deleted_at as deletedAt'])
    .where('v.workspace_id', '=', workspaceId)
    .where('p.component_id', '=', componentId)
    .where('p.deleted_at', 'is', null)
  if (before !== undefined) {
    versions = versions.where(({ eb, or, and }) =>
      or([
        eb('v.created_at', '<', before.at),
        and([
          eb('v.created_at', '=', before.at),
          // After a label change of this millisecond come all versions of it.
          before.number === 0
            ? eb.lit(true)
            : or([
                eb('v.prompt_id', '<', before.id),
                and([eb('v.prompt_id', '=', before.id), eb('v.number', '<', before.number)]),
              ]),
        ]),
      ]),
    )
    // The range of the index; the condition above decides within one millisecond.
    versions = versions.where('v.created_at', '<=', before.at)
  }
  return versions
    .orderBy('v.created_at', 'desc')
    .orderBy('v.prompt_id', 'desc')
    .orderBy('v.number', 'desc')
    .limit(limit + 1)
    .execute()
}

/** Changes of labels of a component, newest first. One more than the limit. */
export async function listComponentLabelChanges(q: Queries, { workspaceId, componentId, before, limit }: Changes) {
  let changes = q
    .selectFrom('prompt_label_changes as c')
    .innerJoin('prompts as p', (join) =>
      join.onRef('p.workspace_id', '=', 'c.workspace_id').onRef('p.id', '=', 'c.prompt_id'),
    )
    .leftJoin('users as u', 'u.id', 'c.user_id')
    .select(['c.id', 'c.prompt_id as promptId', 'p.name as promptName', 'c.label', 'c.number', 'c.kind', 'c.undoes'])
    .select([
      'c.before',
      'c.after',
      'c.note',
      'c.evidence',
      'c.created_at as at',
      'c.user_id as userId',
      'u.name as userName',
    ])
    .where('c.workspace_id', '=', workspaceId)
    .where('p.component_id', '=', componentId)
    .where('p.deleted_at', 'is', null)
  // The time in the id of a change is that of the change.
  if (before !== undefined)
    changes = changes.where('c.id', '<', before.number === 0 ? before.id : lowestIdAt(Date.parse(before.at)))
  const rows = await changes
    .orderBy('c.id', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map(({ before: former, after, evidence, ...row }) => ({
    ...row,
    before: splitsOf(former),
    after: splitsOf(after),
    evidence: readEvidence(evidence),
  }))
}

function splitsOf(json: string | null): LabelState['splits'] | null {
  if (json === null) return null
  const { splits }: LabelState = JSON.parse(json)
  return splits
}
