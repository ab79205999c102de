import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { badRequest } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import { lockDataset } from '../datasets/dataset-queries.ts'
import { type ChangeContext, lockActivePrompt, type PromptTarget } from '../prompts/change-prompt.ts'
import { AGE_DAYS_DEFAULT, type LabelGate } from '../prompts/evidence-schemas.ts'
import { type Label, saveLabel } from '../prompts/label-queries.ts'
import { updatePrompt } from '../prompts/prompt-queries.ts'
import { labelToChange } from '../prompts/set-label.ts'

type NewGate = Omit<LabelGate, 'maxAgeDays'> & { maxAgeDays?: number | undefined }

type Protection = { minRole: Label['protection']['minRole']; gate?: NewGate | null | undefined }

/** Also before the first move of a label. Without `gate`, the gate stays. */
export async function protectLabel(
  { db, ...context }: ChangeContext,
  by: Principal,
  { label: name, minRole, gate, ...target }: PromptTarget & { label: string } & Protection,
): Promise<Label> {
  return db.transaction(async (tx) => {
    const prompt = await lockActivePrompt(tx, by, target)
    const { workspaceId, promptId } = prompt
    // Locked, so that it is not deleted before the gate that names it is stored.
    if (gate && !(await lockDataset(tx, { workspaceId, ...target, datasetId: gate.datasetId })))
      throw badRequest('gate.datasetId must be the id of a dataset of this component')
    const updatedAt = timestamp(context.clock.now())
    const { changedAt, ...label } = await labelToChange(tx, by, { prompt, name })
    const stored = gate === undefined ? label.protection.gate : gate && { ...gate, maxAgeDays: gate.maxAgeDays ?? AGE_DAYS_DEFAULT }
    const changed = { ...label, changedAt: changedAt || updatedAt, protection: { minRole, gate: stored } }
    await saveLabel(tx, { workspaceId, promptId }, changed)
    await updatePrompt(tx, { workspaceId, promptId }, { updatedAt })
    const detail = `${name}: ${minRole}`
    const action = 'prompt-label.protection-changed'
    await recordAudit(tx, context, { by, workspaceId, action, resourceId: promptId, detail })
    return changed
  })
}
