/** The evaluators of an experiment, which can be changed until it is started. */
import { createHash } from 'node:crypto'
import { timestamp } from '../../base/clock.ts'
import { badRequest, conflict, notFound } from '../../base/errors.ts'
import type { Principal } from '../../base/principal.ts'
import type { Context } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import type { ExperimentPlan } from '../experiment-plan.ts'
import type { ExperimentRow, ExperimentScope } from '../experiment-queries.ts'
import { lockDescribed, requireAnyExperiment, touchExperiment } from './change-described.ts'
import { deleteEvaluator, insertEvaluator, listStoredEvaluators, updateEvaluator } from './evaluator-queries.ts'
import { EVALUATORS_MAX, type NewEvaluator, type PrompticEvaluator } from './promptic-schemas.ts'
import { findSettings } from './settings-queries.ts'

/** Of an experiment that was created with a plan: those of the plan, under ids that follow from their names. */
export async function readEvaluators(q: Queries, experiment: ExperimentRow): Promise<PrompticEvaluator[]> {
  const scope = { workspaceId: experiment.workspaceId, experimentId: experiment.id }
  if (await findSettings(q, scope)) return listStoredEvaluators(q, scope)
  const { evaluators, weights }: ExperimentPlan = JSON.parse(experiment.plan)
  return evaluators.map(({ type, name = type, ...config }) => ({
    id: idOfName(experiment.id, String(name)),
    experimentId: experiment.id,
    name: String(name),
    description: null,
    type: String(type),
    scaleMin: 0,
    scaleMax: 1,
    weight: weights[String(name)] ?? 1,
    config,
    createdAt: experiment.createdAt,
    updatedAt: experiment.createdAt,
  }))
}

/** Of version 8, whose bits are free. */
function idOfName(experimentId: string, name: string): string {
  const hex = createHash('sha256').update(`${experimentId}\n${name}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export async function addEvaluators(
  { db, ...context }: Context,
  { workspaceId }: Principal,
  { experimentId, given }: { experimentId: string; given: readonly NewEvaluator[] },
): Promise<PrompticEvaluator[]> {
  const scope = { workspaceId, experimentId }
  return db.transaction(async (tx) => {
    await lockDescribed(tx, scope)
    if ((await listStoredEvaluators(tx, scope)).length + given.length > EVALUATORS_MAX)
      throw conflict(`An experiment has at most ${EVALUATORS_MAX} evaluators; delete one first`)
    const now = timestamp(context.clock.now())
    const added = given.map((one) => {
      const { name, type, weight = 1, description = null, config = null, scaleMin = 0, scaleMax = 1 } = one
      const id = context.newId()
      const fields = { name, type, weight, description, config, scaleMin, scaleMax }
      return { id, experimentId, ...fields, createdAt: now, updatedAt: now }
    })
    for (const evaluator of added) {
      rejectScale(evaluator)
      await insertEvaluator(tx, scope, evaluator)
    }
    await touchExperiment(tx, context, scope)
    return added
  })
}

function rejectScale({ name, scaleMin, scaleMax }: Pick<PrompticEvaluator, 'name' | 'scaleMin' | 'scaleMax'>): void {
  if (scaleMin < scaleMax) return
  throw badRequest(`The scale of the evaluator ${name} must go from a smaller number to a greater one`)
}

async function requireEvaluator(tx: Queries, { evaluatorId, ...scope }: ExperimentScope & { evaluatorId: string }) {
  const experiment = await requireAnyExperiment(tx, scope)
  const found = (await readEvaluators(tx, experiment)).find(({ id }) => id === evaluatorId)
  if (!found) throw notFound('Evaluator')
  return found
}

export async function changeEvaluator(
  { db, ...context }: Context,
  { workspaceId }: Principal,
  { experimentId, evaluatorId, change }: { experimentId: string; evaluatorId: string; change: Partial<NewEvaluator> },
): Promise<PrompticEvaluator> {
  const scope = { workspaceId, experimentId }
  return db.transaction(async (tx) => {
    await requireEvaluator(tx, { ...scope, evaluatorId })
    await lockDescribed(tx, scope)
    // Another request may have changed it in between.
    const before = await requireEvaluator(tx, { ...scope, evaluatorId })
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
    const changed: PrompticEvaluator = { ...before, ...given, updatedAt: timestamp(context.clock.now()) }
    rejectScale(changed)
    await updateEvaluator(tx, scope, changed)
    await touchExperiment(tx, context, scope)
    return changed
  })
}

export async function removeEvaluator(
  { db, ...context }: Context,
  { workspaceId }: Principal,
  { experimentId, evaluatorId }: { experimentId: string; evaluatorId: string },
): Promise<void> {
  const scope = { workspaceId, experimentId }
  await db.transaction(async (tx) => {
    await requireEvaluator(tx, { ...scope, evaluatorId })
    await lockDescribed(tx, scope)
    if (!(await deleteEvaluator(tx, { ...scope, evaluatorId }))) throw notFound('Evaluator')
    await touchExperiment(tx, context, scope)
  })
}
