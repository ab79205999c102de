import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type EvaluationScope, scoresOf } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { inList } from '../../storage/dialect.ts'
import type { Tables } from '../../storage/tables.ts'
import type { CasePosition, CaseSort } from './case-cursor.ts'

type State = Tables['evaluation_scores']['state']

/** A case is listed if one of its scores has all of these properties. */
export type CaseFilter = {
  evaluator?: string | undefined
  states?: readonly State[] | undefined
  passed?: boolean | undefined
  /** Evaluators whose results the reader must not see: their scores count as scored, without an outcome. */
  withheld: readonly string[]
}

function matching(q: Queries, scope: EvaluationScope, { evaluator, states, passed, withheld }: CaseFilter) {
  return scoresOf(q, scope)
    .$if(evaluator !== undefined, (scores) => scores.where('evaluator', '=', evaluator ?? ''))
    .$if(states !== undefined, (scores) =>
      scores.where((score) => {
        const isInState = score.and([score('state', 'in', states ?? []), isOpen(withheld)])
        return states?.includes('scored') ? score.or([isInState, isWithheld(withheld)]) : isInState
      }),
    )
    .$if(passed !== undefined, (scores) => scores.where('passed', '=', Number(passed)).where(isOpen(withheld)))
}

function isWithheld(withheld: readonly string[]): RawBuilder<SqlBool> {
  return withheld.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`evaluator in (${sql.join(withheld)})`
}

function isOpen(withheld: readonly string[]): RawBuilder<SqlBool> {
  return withheld.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`evaluator not in (${sql.join(withheld)})`
}

type CasePage = { after: CasePosition | undefined; limit: number }

/** A page of cases in their own order. */
export async function listCaseRefs(
  q: Queries,
  scope: EvaluationScope,
  filter: CaseFilter,
  { after, limit }: CasePage,
): Promise<CasePosition[]> {
  const rows = await matching(q, scope, filter)
    .select('case_ref as ref')
    .$if(after !== undefined, (scores) => scores.where('case_ref', '>', after?.ref ?? ''))
    .groupBy('case_ref')
    .orderBy('case_ref')
    .limit(limit)
    .execute()
  return rows.map(({ ref }) => ({ ref, value: null }))
}

/**
 * A page of cases in the order of their scores; with repetitions, of the lowest one. Cases without a score are last, and
 * cases with the same score are in their own order.
 */
export async function listCaseRefsByScore(
  q: Queries,
  scope: EvaluationScope,
  filter: CaseFilter & { evaluator: string },
  { after, limit, sort }: CasePage & { sort: CaseSort },
): Promise<CasePosition[]> {
  const isHidden = filter.withheld.includes(filter.evaluator)
  // The minimum and not the mean: a cursor must contain exactly what the engine computes again.
  const value = isHidden ? sql<null>`null` : sql<number | null>`min(score)`
  const cases = matching(q, scope, filter)
    .select(['case_ref as ref', value.as('value')])
    .groupBy('case_ref')
  return q
    .selectFrom(cases.as('c'))
    .select(['c.ref', 'c.value'])
    .$if(after !== undefined, (rows) => rows.where(isAfter(after, sort)))
    .orderBy(sql`c.value is null`)
    .orderBy('c.value', sort === 'score' ? 'asc' : 'desc')
    .orderBy('c.ref')
    .limit(limit)
    .execute()
}

function isAfter(after: CasePosition | undefined, sort: CaseSort): RawBuilder<SqlBool> {
  if (!after) return sql<SqlBool>`1 = 1`
  const { ref, value } = after
  if (value === null) return sql<SqlBool>`(c.value is null and c.ref > ${ref})`
  const number = sql`cast(${value} as double precision)`
  const beyond = sql.raw(sort === 'score' ? '>' : '<')
  return sql<SqlBool>`(c.value ${beyond} ${number} or (c.value = ${number} and c.ref > ${ref}) or c.value is null)`
}

/** The reasons of cases without a score, in the order of cases. The last case may be incomplete. */
export async function listCaseErrors(
  q: Queries,
  scope: EvaluationScope,
  filter: CaseFilter & { states: readonly State[] },
  { after, limit }: CasePage,
): Promise<{ ref: string; reason: string | null }[]> {
  return matching(q, scope, filter)
    .select(['case_ref as ref', 'reason'])
    .$if(after !== undefined, (scores) => scores.where('case_ref', '>', after?.ref ?? ''))
    .groupBy(['case_ref', 'reason'])
    .orderBy('case_ref')
    .orderBy('reason')
    .limit(limit)
    .execute()
}

/** The number of cases, and of those that have a score with an outcome or in a state. A case may be in several counts. */
export async function countCasesByOutcome(
  q: Queries,
  scope: EvaluationScope,
  { evaluator, withheld }: Pick<CaseFilter, 'evaluator' | 'withheld'>,
) {
  const countOf = (is: RawBuilder<unknown>) =>
    sql<number>`count(distinct case when ${is} and ${isOpen(withheld)} then case_ref end)`
  const row = await matching(q, scope, { evaluator, withheld })
    .select([
      sql<number>`count(distinct case_ref)`.as('total'),
      countOf(sql`passed = 1`).as('passed'),
      countOf(sql`passed = 0`).as('notPassed'),
      countOf(sql`state = 'failed'`).as('failed'),
      countOf(sql`state = 'skipped'`).as('skipped'),
      countOf(sql`state in ('queued', 'running', 'retrying')`).as('pending'),
    ])
    .executeTakeFirstOrThrow()
  return {
    total: Number(row.total),
    passed: Number(row.passed),
    notPassed: Number(row.notPassed),
    failed: Number(row.failed),
    skipped: Number(row.skipped),
    pending: Number(row.pending),
  }
}

/** The scores of these cases by evaluator and repetition, at most `limit` of each. */
export async function listScoresOfCases(
  q: Queries,
  scope: EvaluationScope,
  { refs, limit }: { refs: readonly string[]; limit: number },
) {
  const numbered = scoresOf(q, scope)
    .select([
      'case_ref as ref',
      'item_id as itemId',
      'trace_ref as traceRef',
      'evaluator',
      'repetition',
      'state',
      'score',
      'label',
      'passed',
      'reason',
      'attempts',
      'details',
      'cost_usd as costUsd',
      sql<number>`row_number() over (partition by case_ref order by evaluator, repetition)`.as('place'),
      sql<number>`count(*) over (partition by case_ref)`.as('total'),
    ])
    .where(inList(q, 'case_ref', refs))
  return q
    .selectFrom(numbered.as('s'))
    .selectAll()
    .where('s.place', '<=', limit)
    .orderBy('s.ref')
    .orderBy('s.place')
    .execute()
}

/** The beginnings of the texts of items. */
export async function listItemBeginnings(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
  { itemIds, lengthMax }: { itemIds: readonly string[]; lengthMax: number },
) {
  if (itemIds.length === 0) return new Map()
  const beginning = (column: 'input' | 'output' | 'expected') =>
    sql<string | null>`substr(${sql.ref(column)}, 1, ${sql.lit(lengthMax)})`.as(column)
  const rows = await q
    .selectFrom('dataset_items')
    .select(['id', beginning('input'), beginning('output'), beginning('expected')])
    .where('workspace_id', '=', workspaceId)
    .where('dataset_id', '=', datasetId)
    .where('id', 'in', itemIds)
    .execute()
  return new Map(rows.map(({ id, ...texts }) => [id, texts]))
}
