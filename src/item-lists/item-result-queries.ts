import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { inIdList } from '../storage/dialect.ts'

/** The newest runs of a dataset that have a completed evaluation, newest first. */
export async function listEvaluatedRuns(
  q: Queries,
  { workspaceId, datasetId, limit }: { workspaceId: string; datasetId: string; limit: number },
): Promise<string[]> {
  const completed = sql<boolean>`exists (select 1 from evaluations as e where e.workspace_id = r.workspace_id
    and e.run_id = r.id and e.deleted_at is null and e.status = 'completed')`
  const rows = await q
    .selectFrom('runs as r')
    .select('r.id')
    .where('r.workspace_id', '=', workspaceId)
    .where('r.dataset_id', '=', datasetId)
    .where('r.deleted_at', 'is', null)
    .where(completed)
    .orderBy('r.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export type ItemScore = Awaited<ReturnType<typeof listItemScores>>[number]

/** The scores of these items in these evaluations, one row per item and evaluator: repetitions are counted together. */
export async function listItemScores(
  q: Queries,
  { workspaceId, evaluationIds, itemIds }: { workspaceId: string; evaluationIds: string[]; itemIds: string[] },
) {
  if (evaluationIds.length === 0 || itemIds.length === 0) return []
  const rows = await q
    .selectFrom('evaluation_scores as s')
    .select(['s.evaluation_id as evaluationId', 's.item_id as itemId', 's.evaluator'])
    .select([
      sql<number>`count(*)`.as('scores'),
      countOf(sql`s.state = 'scored'`).as('scored'),
      countOf(sql`s.state = 'failed'`).as('failed'),
      countOf(sql`s.state = 'skipped'`).as('skipped'),
      sql<number | null>`avg(s.score)`.as('score'),
      countOf(sql`s.passed is not null`).as('judged'),
      sql<number | null>`sum(s.passed)`.as('passes'),
      sql<string | null>`min(s.label)`.as('label'),
      sql<string | null>`min(s.trace_ref)`.as('traceRef'),
    ])
    .where('s.workspace_id', '=', workspaceId)
    .where('s.evaluation_id', 'in', evaluationIds)
    .where('s.item_id', 'in', itemIds)
    .groupBy(['s.evaluation_id', 's.item_id', 's.evaluator'])
    .execute()
  // One of the drivers returns sums and averages as text.
  return rows.map((row) => ({
    ...row,
    scores: Number(row.scores),
    scored: Number(row.scored),
    failed: Number(row.failed),
    skipped: Number(row.skipped),
    judged: Number(row.judged),
    passes: Number(row.passes ?? 0),
    // The engines add in different orders.
    score: row.score === null ? null : Number(Number(row.score).toPrecision(12)),
  }))
}

type OneMetric = { workspaceId: string; evaluator: string }

/** The items that pass in one evaluation and not in the other, by one metric, oldest first. */
export async function listTurnedIds(
  q: Queries,
  { workspaceId, evaluator, passedIn, failedIn }: OneMetric & { passedIn: string; failedIn: string },
): Promise<string[]> {
  const items = (evaluationId: string) => judgedItems({ workspaceId, evaluator, evaluationId })
  const { rows } = await sql<{ id: string }>`select a.item_id as id from (${items(passedIn)}) as a
    inner join (${items(failedIn)}) as b on b.item_id = a.item_id
    where ${isPassed('a')} and not ${isPassed('b')} order by a.item_id`.execute(q)
  return rows.map(({ id }) => id)
}

/** The items that do not pass in an evaluation, by one metric, oldest first. */
export async function listFailingIds(q: Queries, metric: OneMetric & { evaluationId: string }): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select a.item_id as id from (${judgedItems(metric)}) as a
    where not ${isPassed('a')} order by a.item_id`.execute(q)
  return rows.map(({ id }) => id)
}

function judgedItems({ workspaceId, evaluator, evaluationId }: OneMetric & { evaluationId: string }) {
  return sql`select s.item_id, sum(s.passed) as passes, count(*) as judged from evaluation_scores as s
    where s.workspace_id = ${workspaceId} and s.evaluation_id = ${evaluationId} and s.item_id is not null
    and s.evaluator = ${evaluator} and s.passed is not null group by s.item_id`
}

/** As `hasPassed` decides. */
function isPassed(of: 'a' | 'b') {
  return sql`(2 * ${sql.ref(`${of}.passes`)} > ${sql.ref(`${of}.judged`)})`
}

function countOf(condition: RawBuilder<unknown>) {
  return sql<number>`sum(case when ${condition} then 1 else 0 end)`
}

/** Which of these ids a dataset has, in their order in the dataset: the number of an item is its place, oldest first. */
export async function listItemNumbers(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
  ids: readonly string[],
) {
  const numbered = q
    .selectFrom('dataset_items as i')
    .select(['i.id', sql<number>`row_number() over (order by i.id)`.as('number')])
    .where('i.workspace_id', '=', workspaceId)
    .where('i.dataset_id', '=', datasetId)
  const rows = await q
    .selectFrom(numbered.as('n'))
    .select(['n.id', 'n.number'])
    .where(inIdList(q, 'n.id', ids))
    .execute()
  return new Map(rows.map(({ id, number }) => [id, Number(number)]))
}
