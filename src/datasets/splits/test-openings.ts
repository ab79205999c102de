/**
 * Counts what has decided by the test split of a dataset. A test set that chooses between versions is used up: each
 * choice fits it a little better, and its numbers become too good.
 *
 * An opening is an evaluation or a comparison that reads items of the split. It counts once, however often its result is
 * read again; a comparison of newer evaluations of the same runs counts again. A trial is one opening with all its evaluations
 * and their comparisons, because it makes one choice.
 */
import { timestamp } from '../../base/clock.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { NIL_ID } from '../../base/ids.ts'
import type { Context } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import type { Split } from './split.ts'
import {
  countTestOpenings,
  findTrialOfEvaluations,
  hasTestOpening,
  insertTestOpening,
  listItemIds,
} from './split-queries.ts'

type NamedDataset = { workspaceId: string; datasetId: string }

export type TestSet = { openings: number; summary: string }

const ITEMS_PER_PAGE = 5_000

/** Of an evaluation that has read items of the test split. */
export async function evaluationSubject(q: Queries, workspaceId: string, evaluationId: string): Promise<string> {
  const trialId = await findTrialOfEvaluations(q, workspaceId, [evaluationId])
  return trialId === undefined ? `evaluation:${evaluationId}` : trialSubject(trialId)
}

export function trialSubject(trialId: string): string {
  return `trial:${trialId}`
}

type ComparedRun = { runId: string; evaluationId: string | null }

/** The same for both orders of the runs. Newer evaluations of the runs are another comparison. */
export async function comparisonSubject(
  q: Queries,
  workspaceId: string,
  [one, other]: readonly [ComparedRun, ComparedRun],
): Promise<string> {
  const ids = [one, other].flatMap(({ evaluationId }) => evaluationId ?? [])
  const trialId = ids.length < 2 ? undefined : await findTrialOfEvaluations(q, workspaceId, ids)
  if (trialId !== undefined) return trialSubject(trialId)
  const sides = [one, other].map(({ runId, evaluationId }) => `${runId}:${evaluationId ?? ''}`)
  return `comparison:${sides.sort().join(':')}`
}

/** What a stored subject names. */
export function openingOf({ subject, openedAt }: { subject: string; openedAt: string }) {
  const [kind, first = '', , second = ''] = subject.split(':')
  const nothing = { evaluationId: null, trialId: null, runIds: [], openedAt }
  if (kind === 'evaluation') return { ...nothing, evaluationId: first }
  if (kind === 'trial') return { ...nothing, trialId: first }
  return { ...nothing, runIds: [first, second] }
}

/** The items of a split; without one, all items. */
export async function readItemIds(
  q: Queries,
  dataset: NamedDataset & { split?: Split | undefined },
): Promise<ReadonlySet<string>> {
  const items = new Set<string>()
  for (let after = NIL_ID; ; ) {
    const ids = await listItemIds(q, { ...dataset, after, limit: ITEMS_PER_PAGE })
    for (const id of ids) items.add(id)
    const last = ids.at(-1)
    if (last === undefined || ids.length < ITEMS_PER_PAGE) return items
    after = last
    await yieldToEventLoop()
  }
}

export async function describeTestSet(q: Queries, dataset: NamedDataset): Promise<TestSet> {
  const openings = await countTestOpenings(q, dataset)
  const times = openings === 1 ? 'once' : `${openings} times`
  return { openings, summary: `This test set has decided ${times}.` }
}

/** Writes only the first time, so that reading a result again is a plain read. */
export async function openTestSet(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  opening: NamedDataset & { subject: string },
): Promise<TestSet> {
  if (!(await hasTestOpening(db.read, opening)))
    await db.transaction((tx) => insertTestOpening(tx, { ...opening, now: timestamp(clock.now()) }))
  return describeTestSet(db.read, opening)
}
