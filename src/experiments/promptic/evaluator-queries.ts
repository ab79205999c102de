import type { Selectable } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { deleteScoped, selectScoped, updateScoped } from '../../storage/query-building.ts'
import type { Tables } from '../../storage/tables.ts'
import type { ExperimentScope } from '../experiment-queries.ts'
import type { PrompticEvaluator } from './promptic-schemas.ts'

/** In the order in which they were added. */
export async function listStoredEvaluators(
  q: Queries,
  { workspaceId, experimentId }: ExperimentScope,
): Promise<PrompticEvaluator[]> {
  const rows = await selectScoped(q, 'experiment_evaluators', {
    workspace_id: workspaceId,
    experiment_id: experimentId,
  })
    .selectAll()
    .orderBy('id')
    .execute()
  return rows.map(toEvaluator)
}

export async function insertEvaluator(
  tx: Queries,
  { workspaceId }: { workspaceId: string },
  evaluator: PrompticEvaluator,
): Promise<void> {
  await tx
    .insertInto('experiment_evaluators')
    .values({
      workspace_id: workspaceId,
      experiment_id: evaluator.experimentId,
      id: evaluator.id,
      created_at: evaluator.createdAt,
      ...changing(evaluator),
    })
    .execute()
}

export async function updateEvaluator(
  tx: Queries,
  { workspaceId }: { workspaceId: string },
  evaluator: PrompticEvaluator,
): Promise<void> {
  const key = { workspace_id: workspaceId, experiment_id: evaluator.experimentId, id: evaluator.id }
  await updateScoped(tx, 'experiment_evaluators', key).set(changing(evaluator)).execute()
}

export async function deleteEvaluator(
  tx: Queries,
  { workspaceId, experimentId, evaluatorId }: ExperimentScope & { evaluatorId: string },
): Promise<boolean> {
  const key = { workspace_id: workspaceId, experiment_id: experimentId, id: evaluatorId }
  const { numDeletedRows } = await deleteScoped(tx, 'experiment_evaluators', key).executeTakeFirst()
  return numDeletedRows > 0n
}

function changing({ name, description, type, weight, scaleMin, scaleMax, config, updatedAt }: PrompticEvaluator) {
  return {
    name,
    description,
    type,
    weight,
    scale_min: scaleMin,
    scale_max: scaleMax,
    updated_at: updatedAt,
    config: config === null ? null : JSON.stringify(config),
  }
}

function toEvaluator(row: Selectable<Tables['experiment_evaluators']>): PrompticEvaluator {
  return {
    id: row.id,
    experimentId: row.experiment_id,
    name: row.name,
    description: row.description,
    type: row.type,
    scaleMin: row.scale_min,
    scaleMax: row.scale_max,
    weight: row.weight,
    config: row.config === null ? null : JSON.parse(row.config),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
