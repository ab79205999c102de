import { sql } from 'kysely'
import { idGenerator } from '../../src/base/ids.ts'
import { asId, textRows } from '../../src/storage/dialect.ts'
import type { TestApp } from '../harness/test-app.ts'

const newId = idGenerator({ now: () => Date.now() })

/** Copies the only trace of a workspace many times, with its facets and rollups: sending them would need minutes. */
export async function copyTrace({ storage }: TestApp, workspaceId: string, copies: number): Promise<void> {
  await storage.transaction(async (tx) => {
    const kept = sql.raw(
      `workspace_id, name, named_by, status, component_id, service, environment, session_id, user_id, tags, start_ns, end_ns, span_count,
      error_count, total_tokens, cost_usd, created_at`,
    )
    const ids = Array.from({ length: copies }, () => [newId()])
    const copied = textRows(tx, ['id'], ids)
    await sql`insert into trace_facets (workspace_id, facet, value, trace_id)
      select f.workspace_id, f.facet, f.value, ${asId(tx, 'n.id')} from trace_facets as f cross join ${copied} as n
      where f.workspace_id = ${workspaceId}`.execute(tx)
    await sql`insert into traces (id, trace_id, ${kept})
      select ${asId(tx, 'n.id')}, n.id, ${kept} from traces as t cross join ${copied} as n
      where t.workspace_id = ${workspaceId}`.execute(tx)
    await sql`update trace_rollups set traces = traces * ${copies + 1}, tokens = tokens * ${copies + 1},
      cost_usd = cost_usd * ${copies + 1} where workspace_id = ${workspaceId}`.execute(tx)
    // As a PostgreSQL does by itself within a minute. That of the tests does not, and would take the new rows for a few.
    if (storage.engine === 'postgres') await sql`analyze traces, trace_facets`.execute(tx)
  })
}
