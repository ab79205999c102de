import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type EvaluationScope, scoresOf } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import type { Tables } from '../../storage/tables.ts'

type State = Tables['evaluation_scores']['state']

/** The states of a score that has a reason for not being there. */
const ERROR_STATES = ['failed', 'retrying', 'skipped'] as const

/** False for scores that the reader must not see. */
function isOpen(withheld: readonly string[]): RawBuilder<SqlBool> {
  return withheld.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`evaluator not in (${sql.join(withheld)})`
}

type Withheld = { withheld: readonly string[] }

/** The distinct reasons of each evaluator and state, most frequent first. `caseRef` is the first case that has it. */
export async function listErrors(q: Queries, of: EvaluationScope, { withheld, limit }: Withheld & { limit: number }) {
  const rows = await scoresOf(q, of)
    .select(['evaluator', 'state', 'reason'])
    .select([
      sql<number>`count(*)`.as('count'),
      sql<number>`max(attempts)`.as('attempts'),
      sql<string>`min(case_ref)`.as('caseRef'),
    ])
    .where('state', 'in', ERROR_STATES)
    .where(isOpen(withheld))
    .groupBy(['evaluator', 'state', 'reason'])
    .orderBy('count', 'desc')
    .orderBy('evaluator')
    .orderBy('state')
    .orderBy('reason')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

export async function countErrors(q: Queries, of: EvaluationScope, { withheld }: Withheld): Promise<number> {
  const { count } = await scoresOf(q, of)
    .select(sql<number>`count(*)`.as('count'))
    .where('state', 'in', ERROR_STATES)
    .where(isOpen(withheld))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The number of scores with the same state, outcome, value and label. Beyond `valuesMax` values, only the outcome counts. */
export async function listValues(
  q: Queries,
  of: EvaluationScope,
  { withheld, valuesMax }: Withheld & { valuesMax: number },
) {
  const scores = () => scoresOf(q, of).where(isOpen(withheld))
  const distinct = await scores()
    .select('evaluator')
    .where('state', '=', 'scored')
    .groupBy('evaluator')
    .having(sql<boolean>`count(distinct score) <= ${valuesMax} and count(distinct label) <= ${valuesMax}`)
    .execute()
  const few = distinct.map(({ evaluator }) => evaluator)
  const hasFew = few.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`evaluator in (${sql.join(few)})`
  const rows = await scores()
    .select(['evaluator', 'state', 'passed'])
    .select([
      sql<number | null>`case when ${hasFew} then score end`.as('score'),
      sql<string | null>`case when ${hasFew} then label end`.as('label'),
      sql<number>`count(*)`.as('count'),
    ])
    .groupBy(sql`1, 2, 3, 4, 5`)
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/** The number of scores of these evaluators, in any state. */
export async function countScores(
  q: Queries,
  of: EvaluationScope,
  evaluators: readonly string[],
): Promise<{ evaluator: string; count: number }[]> {
  if (evaluators.length === 0) return []
  const rows = await scoresOf(q, of)
    .select(['evaluator', sql<number>`count(*)`.as('count')])
    .where('evaluator', 'in', evaluators)
    .groupBy('evaluator')
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

export type ScoreState = State
