/** Moves, rolls back and deletes labels. Each change has a number, and the history of a label keeps all of them. */
import { conflict } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import { type ChangeContext, lockActivePrompt, type PromptTarget } from './change-prompt.ts'
import { findChangeToUndo, findLabel, type Label } from './label-queries.ts'
import type { MeasuredVerdict } from './required-verdicts.ts'
import { changeLabel, type LabelMove, noLabel, requireChange, requireRemover, setSplits } from './set-label.ts'
import { restoreVersions } from './version-queries.ts'

type LabelTarget = PromptTarget & { label: string }

export async function moveLabel(
  { db, ...context }: ChangeContext,
  by: Principal,
  { componentId, promptId, ...move }: PromptTarget & LabelMove & { verdicts: readonly MeasuredVerdict[] },
): Promise<Label> {
  return db.transaction(async (tx) => {
    const prompt = await lockActivePrompt(tx, by, { componentId, promptId })
    return setSplits(tx, context, by, { prompt, ...move })
  })
}

/**
 * Returns to the state before the newest change that is not undone, so that repeated rollbacks go further back, and never forward. It
 * needs neither the role of a protected label nor that the versions still exist: deleted ones are restored.
 */
export async function rollBackLabel(
  { db, ...context }: ChangeContext,
  by: Principal,
  { label: name, note, ifChange, ...target }: LabelTarget & Pick<LabelMove, 'note' | 'ifChange'>,
): Promise<Label> {
  return db.transaction(async (tx) => {
    const prompt = await lockActivePrompt(tx, by, target)
    const { workspaceId, promptId } = prompt
    const label = await findLabel(tx, { workspaceId, promptId, label: name })
    if (!label || label.change === 0) throw noLabel(prompt, name)
    requireChange(label, ifChange)
    const undone = await findChangeToUndo(tx, { workspaceId, promptId, label: name })
    if (!undone?.before)
      throw conflict(`Label ${name} has no earlier state to return to; move it with PUT, or delete it`)
    const after = undone.before
    await restoreVersions(tx, { workspaceId, promptId, numbers: after.splits.map(({ version }) => version) })
    const undoes = undone.change
    return changeLabel(tx, context, by, { prompt, label, kind: 'rolledBack', undoes, after, note, evidence: [] })
  })
}

const NOTHING = { undoes: null, after: null, note: null, evidence: [] }

/** Its protection, its history and the number of its last change stay. */
export async function deleteLabel(
  { db, ...context }: ChangeContext,
  by: Principal,
  { label: name, ...target }: LabelTarget,
): Promise<void> {
  await db.transaction(async (tx) => {
    const prompt = await lockActivePrompt(tx, by, target)
    const { workspaceId, promptId } = prompt
    const label = await findLabel(tx, { workspaceId, promptId, label: name })
    if (!label || label.splits.length === 0) throw noLabel(prompt, name)
    requireRemover(by, label)
    await changeLabel(tx, context, by, { prompt, label, kind: 'deleted', ...NOTHING })
  })
}
