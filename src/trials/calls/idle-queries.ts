/** Why no call of a variant runs. */
import type { Clock } from '../../base/clock.ts'
import type { Queries } from '../../storage/db.ts'
import { dbNow } from '../../storage/dialect.ts'
import type { TrialScope } from '../trial-queries.ts'
import { ofTrial, RUNS, WAITS } from './call-queries.ts'

/** Calls that were sent have low numbers. */
const FIRST_CALLS = 100

/** How many calls of a trial run, by the variants that have some. */
export async function countRunningByVariant(q: Queries, of: TrialScope): Promise<Map<number, number>> {
  const rows = await ofTrial(q, of)
    .select(({ fn }) => ['variant', fn.countAll<number>().as('count')])
    .where(RUNS)
    .groupBy('variant')
    .execute()
  return new Map(rows.map(({ variant, count }) => [variant, Number(count)]))
}

/** Of the first calls of a variant that wait: the one that is sent again next, if all that may begin wait for that. */
export async function findRetryOf(
  q: Queries,
  clock: Clock,
  { workspaceId, trialId, variant }: TrialScope & { variant: number },
): Promise<{ dueAt: string | null; reason: string | null } | undefined> {
  const first = ofTrial(q, { workspaceId, trialId })
    .select(['due_at', 'reason'])
    .where('variant', '=', variant)
    .where(WAITS)
    .orderBy('number')
    .limit(FIRST_CALLS)
  return q
    .selectFrom(first.as('first'))
    .select(['due_at as dueAt', 'reason'])
    .where('due_at', '>', dbNow(q, clock, 0))
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
}
