import { type Page, totalIfLast } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { countRows } from '../storage/list-page.ts'
import { activeTraces, TRACE_SUMMARY_COLUMNS } from '../traces/trace-queries.ts'
import { activeRuns } from './run-queries.ts'

/**
 * The traces of a run that have arrived, ordered by the time of their link, then by id, newest first. Each has its item of the run's
 * dataset, if the link names one or an item was created from the trace.
 */
export async function listRunTraces(
  q: Queries,
  {
    workspaceId,
    componentId,
    runId,
    limit,
    offset,
  }: { workspaceId: string; componentId: string; runId: string } & Page,
) {
  const links = activeRuns(q)
    .innerJoin('run_traces as l', (join) =>
      join.onRef('l.workspace_id', '=', 'r.workspace_id').onRef('l.run_id', '=', 'r.id'),
    )
    .innerJoin('traces as arrived', (join) =>
      join
        .onRef('arrived.workspace_id', '=', 'l.workspace_id')
        .onRef('arrived.trace_id', '=', 'l.trace_ref')
        .on('arrived.deleted_at', 'is', null),
    )
    .select(['arrived.id', 'l.created_at', 'l.item_id', 'r.dataset_id'])
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.id', '=', runId)
    .orderBy('l.created_at', 'desc')
    .orderBy('arrived.id', 'desc')
  const page = links.limit(limit).offset(offset)
  const rows = await activeTraces(q)
    .innerJoin(page.as('p'), 'p.id', 't.id')
    .leftJoin('dataset_items as named', (join) =>
      join
        .onRef('named.workspace_id', '=', 't.workspace_id')
        .onRef('named.dataset_id', '=', 'p.dataset_id')
        .onRef('named.id', '=', 'p.item_id'),
    )
    .leftJoin('dataset_items as own', (join) =>
      join
        .onRef('own.workspace_id', '=', 't.workspace_id')
        .onRef('own.dataset_id', '=', 'p.dataset_id')
        .onRef('own.trace_ref', '=', 't.trace_id'),
    )
    .select(TRACE_SUMMARY_COLUMNS)
    .select(({ fn }) => ['p.dataset_id as datasetId', fn.coalesce('named.id', 'own.id').as('itemId')])
    .where('t.workspace_id', '=', workspaceId)
    .orderBy('p.created_at', 'desc')
    .orderBy('t.id', 'desc')
    .execute()
  const total = totalIfLast({ limit, offset }, rows.length) ?? (await countRows(q, links))
  return { rows, count: rows.length, total }
}

/**
 * The traces of a run, as `l`, each joined with the item that its link names and the item that was created from the trace. The item of
 * the link takes precedence.
 */
export function linksWithItems(
  q: Queries,
  { workspaceId, runId, datasetId }: { workspaceId: string; runId: string; datasetId: string },
) {
  return q
    .selectFrom('run_traces as l')
    .leftJoin('dataset_items as named', (join) =>
      join
        .onRef('named.workspace_id', '=', 'l.workspace_id')
        .on('named.dataset_id', '=', datasetId)
        .onRef('named.id', '=', 'l.item_id'),
    )
    .leftJoin('dataset_items as own', (join) =>
      join
        .onRef('own.workspace_id', '=', 'l.workspace_id')
        .on('own.dataset_id', '=', datasetId)
        .onRef('own.trace_ref', '=', 'l.trace_ref'),
    )
    .select(({ fn }) => ['l.trace_ref as ref', fn.coalesce('named.id', 'own.id').as('itemId')])
    .where('l.workspace_id', '=', workspaceId)
    .where('l.run_id', '=', runId)
}
