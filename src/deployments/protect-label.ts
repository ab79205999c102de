import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { type AppError, badRequest } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import { findDataset, lockDataset } from '../datasets/dataset-queries.ts'
import { type ChangeContext, lockActivePrompt, type PromptTarget } from '../prompts/change-prompt.ts'
import { AGE_DAYS_DEFAULT, type LabelGate } from '../prompts/evidence-schemas.ts'
import { type Label, saveLabel } from '../prompts/label-queries.ts'
import { updatePrompt } from '../prompts/prompt-queries.ts'
import { labelToChange } from '../prompts/set-label.ts'
import type { EvaluatorInfo } from '../scores/evaluator-info.ts'
import type { Queries } from '../storage/db.ts'
import { readDatasetMetrics } from './dataset-metrics.ts'
import { isMetricOfEveryRun, RATIO_METRICS } from './find-version-runs.ts'

type NewGate = Omit<LabelGate, 'maxAgeDays'> & { maxAgeDays?: number | undefined }

type Protection = { minRole: Label['protection']['minRole']; gate?: NewGate | null | undefined }

/** Also before the first move of a label. Without `gate`, the gate stays. */
export async function protectLabel(
  { db, ...context }: ChangeContext,
  by: Principal,
  { label: name, minRole, gate, ...target }: PromptTarget & { label: string } & Protection,
): Promise<Label> {
  if (gate) await checkGate(db.read, { workspaceId: by.workspaceId, ...target }, gate)
  return db.transaction(async (tx) => {
    const prompt = await lockActivePrompt(tx, by, target)
    const { workspaceId, promptId } = prompt
    // Locked, so that it is not deleted before the gate that names it is stored.
    if (gate && !(await lockDataset(tx, { workspaceId, ...target, datasetId: gate.datasetId }))) throw noDataset()
    const updatedAt = timestamp(context.clock.now())
    const { changedAt, ...label } = await labelToChange(tx, by, { prompt, name })
    const stored =
      gate === undefined ? label.protection.gate : gate && { ...gate, maxAgeDays: gate.maxAgeDays ?? AGE_DAYS_DEFAULT }
    const changed = { ...label, changedAt: changedAt || updatedAt, protection: { minRole, gate: stored } }
    await saveLabel(tx, { workspaceId, promptId }, changed)
    await updatePrompt(tx, { workspaceId, promptId }, { updatedAt })
    const detail = `${name}: ${minRole}${describeGate(stored, label.protection.gate)}`
    const action = 'prompt-label.protection-changed'
    await recordAudit(tx, context, { by, workspaceId, action, resourceId: promptId, detail })
    return changed
  })
}

function describeGate(gate: LabelGate | null, before: LabelGate | null): string {
  if (gate) return `, ${gate.metric} within ${gate.margin} on dataset ${gate.datasetId}`
  return before ? ', no gate' : ''
}

function noDataset(): AppError {
  return badRequest('gate.datasetId must be the id of a dataset of this component')
}

/** A gate on a metric that no evaluation has, or with a margin as wide as its scale, would stop every move or none. */
async function checkGate(
  q: Queries,
  scope: { workspaceId: string; componentId: string },
  { datasetId, metric, margin }: NewGate,
): Promise<void> {
  const [dataset] = await findDataset(q, { ...scope, datasetId })
  if (!dataset) throw noDataset()
  const metrics = await readDatasetMetrics(q, { ...scope, datasetId })
  const info = metrics.get(metric)
  if (!info && !isMetricOfEveryRun(metric)) {
    const known = [...metrics.keys()]
    const others = known.length === 0 ? 'no run of it was evaluated yet' : `it has ${known.join(', ')}`
    throw badRequest(
      `No completed evaluation on dataset ${dataset.name} has the metric ${metric}; ${others}. Evaluate a run with ${metric} first, or choose another metric`,
    )
  }
  checkMargin({ metric, margin }, info)
}

const RATIO_MAX = 10

function checkMargin({ metric, margin }: Pick<NewGate, 'metric' | 'margin'>, info: EvaluatorInfo | undefined): void {
  if (RATIO_METRICS.includes(metric)) {
    if (margin > 1 && margin <= RATIO_MAX) return
    throw badRequest(`The margin of ${metric} is a ratio above 1 and at most ${RATIO_MAX}, such as 1.1, not ${margin}`)
  }
  const scale = info?.scale ?? (metric === 'error' ? ([0, 1] as const) : null)
  if (scale === null || margin < scale[1] - scale[0]) return
  throw badRequest(
    `The margin of ${metric} must be smaller than its scale, which is ${scale[0]} to ${scale[1]}; ${margin} would accept every loss`,
  )
}
