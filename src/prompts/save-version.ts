import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { AppError, conflict } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import type { Principal } from '../base/principal.ts'
import type { Queries } from '../storage/db.ts'
import { type ChangeContext, lockActivePrompt, type PromptTarget } from './change-prompt.ts'
import { findLabels, type Label } from './label-queries.ts'
import { findLastNumber, updatePrompt } from './prompt-queries.ts'
import type { MeasuredVerdict } from './required-verdicts.ts'
import { type LockedPrompt, setSplits } from './set-label.ts'
import type { PreparedContent } from './version-content.ts'
import {
  countVersions,
  findVersion,
  findVersionByHash,
  insertVersion,
  markVersionDeleted,
  type Version,
  type VersionSource,
} from './version-queries.ts'

const VERSIONS_MAX = 10_000
const BY_PERSON: VersionSource = { kind: 'person', id: null }

type NewVersion = {
  content: PreparedContent
  note: string | null
  labels: readonly string[]
  verdicts: readonly MeasuredVerdict[]
  source?: VersionSource
}

/** Saves a version, or finds the one with the same content, and lets labels point to it: all of it or nothing. */
export async function saveVersion(
  { db, clock, ...context }: ChangeContext,
  by: Principal,
  { componentId, promptId, content, note, labels, verdicts, source = BY_PERSON }: PromptTarget & NewVersion,
): Promise<{ version: Version & { labels: string[] }; isNew: boolean }> {
  return db.transaction(async (tx) => {
    const prompt = await lockActivePrompt(tx, by, { componentId, promptId })
    const { workspaceId } = prompt
    const known = await findVersionByHash(tx, { workspaceId, promptId, hash: content.hash })
    const createdAt = timestamp(clock.now())
    const version = known ?? (await addVersion(tx, prompt, { content, note, source, createdBy: by.userId, createdAt }))
    const splits = [{ version: version.number, weight: 100 }]
    const latest = { ...prompt, lastNumber: Math.max(prompt.lastNumber, version.number) }
    for (const label of labels) await setSplits(tx, context, by, { prompt: latest, label, splits, note, verdicts })
    const pointing = labelsOf(version.number, await findLabels(tx, { workspaceId, promptId }))
    return { version: { ...version, labels: pointing }, isNew: known === undefined }
  })
}

/** Where the labels of a version would point to: to the number that it has or gets. */
export async function findMoves(
  q: Queries,
  {
    workspaceId,
    promptId,
    hash,
    labels,
  }: { workspaceId: string; promptId: string; hash: string; labels: readonly string[] },
) {
  const known = await findVersionByHash(q, { workspaceId, promptId, hash })
  const version = known?.number ?? (await findLastNumber(q, { workspaceId, promptId })) + 1
  return labels.map((label) => ({ label, splits: [{ version, weight: 100 }] }))
}

/** The prompt is locked, so that numbers have no gaps. */
async function addVersion(
  tx: Queries,
  prompt: LockedPrompt,
  version: Parameters<typeof insertVersion>[2],
): Promise<Version> {
  const { workspaceId, promptId, name, lastNumber } = prompt
  if (lastNumber >= VERSIONS_MAX && (await countVersions(tx, { workspaceId, promptId })) >= VERSIONS_MAX)
    throw conflict(`Prompt ${name} has ${VERSIONS_MAX} versions, which is the limit; delete some that no label needs`)
  const number = lastNumber + 1
  await insertVersion(tx, { workspaceId, promptId, number }, version)
  await updatePrompt(tx, { workspaceId, promptId }, { lastNumber: number, updatedAt: version.createdAt })
  const saved = await findVersion(tx, { workspaceId, promptId, number })
  invariant(saved, 'a version that was inserted must be found')
  return saved
}

/** A version that a label points to stays. */
export async function deleteVersion(
  { db, clock, ...context }: ChangeContext,
  by: Principal,
  { number, ...target }: PromptTarget & { number: number },
): Promise<void> {
  await db.transaction(async (tx) => {
    const prompt = await lockActivePrompt(tx, by, target)
    const { workspaceId, promptId } = prompt
    const labels = labelsOf(number, await findLabels(tx, { workspaceId, promptId }))
    if (labels.length > 0)
      throw conflict(
        `Version ${number} is served by ${labels.join(', ')}; move or delete ${labels.length === 1 ? 'this label' : 'these labels'} first`,
      )
    const deletedAt = timestamp(clock.now())
    if (!(await markVersionDeleted(tx, { workspaceId, promptId, number }, deletedAt))) throw noVersion(prompt, number)
    await updatePrompt(tx, { workspaceId, promptId }, { updatedAt: deletedAt })
    const event = { by, workspaceId, action: 'prompt-version.deleted', resourceId: promptId } as const
    await recordAudit(tx, context, { ...event, detail: `${prompt.name}@${number}` })
  })
}

export function noVersion(prompt: { name: string }, number: number): AppError {
  return new AppError(404, `Prompt ${prompt.name} has no version ${number}.`)
}

export function labelsOf(number: number, labels: readonly Label[]): string[] {
  return labels.filter(({ splits }) => splits.some(({ version }) => version === number)).map(({ name }) => name)
}
