import type { Queries } from '../../storage/db.ts'
import { insertNewRows } from '../../storage/insert-rows.ts'
import type { FacetValue } from './facets.ts'

type OfTrace = { traceDbId: string; values: readonly FacetValue[] }

export async function insertFacets(tx: Queries, workspaceId: string, traces: readonly OfTrace[]): Promise<void> {
  await insertNewRows(
    tx,
    {
      table: 'trace_facets',
      columns: ['workspace_id', 'facet', 'value', 'trace_id'],
      rows: traces.flatMap(({ traceDbId, values }) =>
        values.map(([facet, value]) => [workspaceId, facet, value, traceDbId]),
      ),
    },
    ['trace_id'],
  )
}

export async function deleteFacets(tx: Queries, workspaceId: string, { traceDbId, values }: OfTrace): Promise<void> {
  for (const [facet, value] of values) {
    await tx
      .deleteFrom('trace_facets')
      .where('workspace_id', '=', workspaceId)
      .where('facet', '=', facet)
      .where('value', '=', value)
      .where('trace_id', '=', traceDbId)
      .execute()
  }
}
