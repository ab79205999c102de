import type { Queries } from '../../storage/db.ts'
import { updateRows } from '../../storage/update-rows.ts'
import { ofTrial } from '../calls/call-queries.ts'
import type { TrialScope } from '../trial-queries.ts'

type Range = { after: number; until: number; limit: number }

/** Answers that no look has scored yet, by number. */
export async function listUnscoredCalls(q: Queries, of: TrialScope, { after, until, limit }: Range) {
  return ofTrial(q, of)
    .select(['number', 'variant', 'item_id as itemId', 'repetition', 'attempt'])
    .where('number', '>', after)
    .where('number', '<=', until)
    .where('state', '=', 'done')
    .where('score_state', 'is', null)
    .orderBy('number')
    .limit(limit)
    .execute()
}

export type CallScore = { number: number; state: 'scored' | 'failed' | 'skipped'; score: number | null }

export async function saveCallScores(tx: Queries, of: TrialScope, scores: readonly CallScore[]): Promise<void> {
  await updateRows(tx, {
    table: 'trial_calls',
    key: ['workspace_id', 'trial_id', 'number'],
    values: ['score_state', 'score'],
    only: { column: 'state', words: ['done'] },
    rows: scores.map(({ number, state, score }) => [of.workspaceId, of.trialId, number, state, score]),
  })
}

/** The calls of a look, by number. */
export async function listLookCalls(q: Queries, of: TrialScope, { after, until, limit }: Range) {
  return ofTrial(q, of)
    .select(['number', 'variant', 'item_id as itemId', 'score_state as scoreState', 'score'])
    .where('number', '>', after)
    .where('number', '<=', until)
    .orderBy('number')
    .limit(limit)
    .execute()
}
