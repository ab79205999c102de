import { sql } from 'kysely'
import { livingAnnotations } from '../annotations/annotation-queries.ts'
import type { Queries } from '../storage/db.ts'

/** What is evaluated: the traces of a run, or the items of a dataset. */
export type CaseSource = { workspaceId: string; datasetId: string; runId: string | null }

export async function countCases(q: Queries, source: CaseSource): Promise<number> {
  const { count } = await casesOf(q, source)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** A page of references in their own order, from behind `after`: each page costs the same, however many came before. */
export async function listCaseRefs(
  q: Queries,
  source: CaseSource,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await casesOf(q, source).select('ref').where('ref', '>', after).orderBy('ref').limit(limit).execute()
  return rows.map(({ ref }) => ref)
}

/** What people said of these traces: in the run if there is one, else in every run. */
export async function listRatings(q: Queries, { workspaceId, runId }: CaseSource, refs: string[]) {
  const ratings = livingAnnotations(q)
    .select(['a.trace_ref as ref', 'a.rating'])
    .where('a.workspace_id', '=', workspaceId)
    .where('a.trace_ref', 'in', refs)
    .where('a.rating', 'is not', null)
  return (runId === null ? ratings : ratings.where('a.run_id', '=', runId)).execute()
}

function casesOf(q: Queries, { workspaceId, datasetId, runId }: CaseSource) {
  const ref = sql<string>`trace_ref`.as('ref')
  if (runId === null) {
    const items = q
      .selectFrom('dataset_items')
      .select(ref)
      .where('workspace_id', '=', workspaceId)
      .where('dataset_id', '=', datasetId)
    return q.selectFrom(items.where('trace_ref', 'is not', null).as('cases'))
  }
  const traces = q
    .selectFrom('run_traces')
    .select(ref)
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
  return q.selectFrom(traces.as('cases'))
}
