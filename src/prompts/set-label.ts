/** What all changes of a label have in common. They run in a transaction that has locked the prompt. */
import { type AuditAction, recordAudit } from '../auth/audit/audit.ts'
import { AppError, badRequest, conflict, forbidden } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import { isAtLeast, type Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import type { Split } from './choose-version.ts'
import {
  describeSplits,
  findLabel,
  findLabels,
  insertLabelChange,
  isListed,
  isProtected,
  type Label,
  type LabelChange,
  type LabelState,
  saveLabel,
} from './label-queries.ts'
import { countLabelChange } from './prompt-queries.ts'
import { type MeasuredVerdict, requireVerdicts } from './required-verdicts.ts'
import { findVersionNumbers } from './version-queries.ts'

const LABELS_MAX = 50

/** A prompt that is locked. */
export type LockedPrompt = { workspaceId: string; promptId: string; name: string; lastNumber: number }

export type LabelContext = Pick<Context, 'newId' | 'requestId' | 'address'>

export type LabelMove = { label: string; splits: Split[]; note: string | null; ifChange?: number | undefined }

/**
 * Lets a label serve these versions. If it serves them already, nothing changes. `verdicts` has what was measured of those that need one.
 */
export async function setSplits(
  tx: Queries,
  context: LabelContext,
  by: Principal,
  {
    prompt,
    label: name,
    splits,
    note,
    ifChange,
    verdicts,
  }: LabelMove & { prompt: LockedPrompt; verdicts: readonly MeasuredVerdict[] },
): Promise<Label> {
  checkSplits(splits)
  const label = await labelToChange(tx, by, { prompt, name })
  requireMover(by, label)
  requireChange(label, ifChange)
  await checkVersions(tx, prompt, splits)
  if (describeSplits(label.splits) === describeSplits(splits)) return label
  const evidence = requireVerdicts(label, splits, verdicts)
  const after = { splits, seed: isSameSet(label.splits, splits) ? label.seed : label.change + 1 }
  return changeLabel(tx, context, by, { prompt, label, kind: 'moved', undoes: null, after, note, evidence })
}

/** The label, or what it is before its first change. */
export async function labelToChange(
  tx: Queries,
  by: Principal,
  { prompt: { workspaceId, promptId }, name }: { prompt: LockedPrompt; name: string },
): Promise<Label> {
  const label = await findLabel(tx, { workspaceId, promptId, label: name })
  if (label && isListed(label)) return label
  if ((await findLabels(tx, { workspaceId, promptId })).length >= LABELS_MAX)
    throw conflict(`A prompt has at most ${LABELS_MAX} labels; delete one first`)
  const { userId } = by
  return label ?? { name, change: 0, seed: 0, splits: [], ...UNPROTECTED, changedBy: userId, changedAt: '' }
}

const UNPROTECTED = { protection: { minRole: 'editor', gate: null } } as const

/** API keys are at most editors, so only a user in a session can change a label that requires an admin. */
function requireMover({ role }: Principal, { name, protection: { minRole } }: Label): void {
  if (isAtLeast(role, minRole)) return
  throw forbidden(`Label ${name} is protected: changing it requires the role ${minRole} in a session; yours is ${role}`)
}

/** Without its label or its prompt, a gate would be avoided by creating both again. */
export function requireRemover(by: Principal, label: Label): void {
  requireMover(by, label)
  if (!isProtected(label) || isAtLeast(by.role, 'admin')) return
  throw forbidden(
    `Label ${label.name} is protected: deleting it requires the role admin in a session; yours is ${by.role}`,
  )
}

const ACTIONS: Record<LabelChange['kind'], AuditAction> = {
  moved: 'prompt-label.moved',
  rolledBack: 'prompt-label.rolled-back',
  deleted: 'prompt-label.deleted',
}

/** Stores the new state of a label, its change and the audit event. */
export async function changeLabel(
  tx: Queries,
  context: LabelContext,
  by: Principal,
  {
    prompt: { workspaceId, promptId },
    label,
    after,
    ...change
  }: Pick<LabelChange, 'kind' | 'undoes' | 'note' | 'evidence'> & {
    prompt: LockedPrompt
    label: Label
    after: LabelState | null
  },
): Promise<Label> {
  const id = context.newId()
  const made = { change: label.change + 1, changedBy: by.userId, changedAt: createdAtOf(id) }
  const changed: Label = { ...label, ...made, seed: after?.seed ?? label.seed, splits: after?.splits ?? [] }
  await saveLabel(tx, { workspaceId, promptId }, changed)
  const before = label.splits.length === 0 ? null : { seed: label.seed, splits: label.splits }
  await insertLabelChange(tx, { workspaceId, promptId, label: label.name }, { id, ...change, ...made, before, after })
  await countLabelChange(tx, { workspaceId, promptId }, made.changedAt)
  const detail = after ? `${label.name}: ${describeSplits(after.splits)}` : label.name
  await recordAudit(tx, context, { by, workspaceId, action: ACTIONS[change.kind], resourceId: promptId, detail })
  return changed
}

export function noLabel(prompt: { name: string }, label: string): AppError {
  return new AppError(404, `Prompt ${prompt.name} has no label ${label}.`)
}

function checkSplits(splits: readonly Split[]): void {
  const sum = splits.reduce((total, { weight }) => total + weight, 0)
  if (sum !== 100) throw badRequest(`The weights of the splits must sum to 100; they sum to ${sum}`)
  const versions = splits.map(({ version }) => version)
  const doubled = versions.find((version, place) => versions.indexOf(version) !== place)
  if (doubled !== undefined) throw badRequest(`Version ${doubled} is in two splits; add their weights in one`)
}

async function checkVersions(tx: Queries, prompt: LockedPrompt, splits: readonly Split[]): Promise<void> {
  const numbers = splits.map(({ version }) => version)
  const found = await findVersionNumbers(tx, { ...prompt, numbers })
  const missing = numbers.find((number) => !found.includes(number))
  if (missing === undefined) return
  const newest = prompt.lastNumber === 0 ? 'save one first' : `its newest number is ${prompt.lastNumber}`
  throw badRequest(`Prompt ${prompt.name} has no version ${missing}; ${newest}`)
}

/** `ifChange` is the change that the caller has seen: what another one has done since is not overwritten. */
export function requireChange({ name, change, splits }: Label, ifChange: number | undefined): void {
  if (ifChange === undefined || ifChange === change) return
  const state = splits.length === 0 ? 'and serves nothing' : `and serves ${describeSplits(splits)}`
  throw conflict(
    `Label ${name} is not at change ${ifChange}: it is at change ${change} ${state}. To replace that, send ifChange ${change}`,
  )
}

function isSameSet(before: readonly Split[], after: readonly Split[]): boolean {
  return before.length === after.length && after.every(({ version }) => before.some((one) => one.version === version))
}
