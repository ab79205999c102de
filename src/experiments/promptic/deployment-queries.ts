import { largestOf } from '../../prompts/required-verdicts.ts'
import { findServedVersion, type Version } from '../../prompts/version-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { type ExperimentRow, findExperiment } from '../experiment-queries.ts'

/** The label whose versions are deployed. */
export const PRODUCTION = 'production'

export type Deployment = { experiment: ExperimentRow; promptId: string; version: Version }

/** The newest move of the label to a version that an experiment of the component has made, and that it still serves. */
export async function findDeployment(
  q: Queries,
  { workspaceId, componentId }: { workspaceId: string; componentId: string },
): Promise<Deployment | undefined> {
  const labels = await q
    .selectFrom('prompt_labels as l')
    .innerJoin('prompts as p', (join) =>
      join.onRef('p.workspace_id', '=', 'l.workspace_id').onRef('p.id', '=', 'l.prompt_id'),
    )
    .select(['l.prompt_id as promptId', 'l.splits'])
    .where('l.workspace_id', '=', workspaceId)
    .where('l.name', '=', PRODUCTION)
    .where('l.splits', 'is not', null)
    .where('p.component_id', '=', componentId)
    .where('p.deleted_at', 'is', null)
    .orderBy('l.changed_at', 'desc')
    .orderBy('l.prompt_id', 'desc')
    .execute()
  for (const { promptId, splits } of labels) {
    const number = largestOf(JSON.parse(splits ?? '[]'))
    const version = number === null ? undefined : await findServedVersion(q, { workspaceId, promptId, number })
    if (version?.source.kind !== 'experiment' || version.source.id === null) continue
    const experiment = await findExperiment(q, { workspaceId, experimentId: version.source.id })
    if (experiment?.componentId === componentId) return { experiment, promptId, version }
  }
  return undefined
}
