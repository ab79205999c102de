import type { Queries } from '../storage/db.ts'
import { selectScoped } from '../storage/query-building.ts'

export type PromptTraffic = { hour: number; version: string; label: string; traces: number; uses: number }

/** What traces of production report of a prompt since an hour, from totals. A trace counts in `uses` of each label that it names. */
export async function listPromptTraffic(
  q: Queries,
  {
    workspaceId,
    componentId,
    prompt,
    fromHour,
  }: { workspaceId: string; componentId: string; prompt: string; fromHour: number },
): Promise<PromptTraffic[]> {
  const rows = await selectScoped(q, 'prompt_rollups', {
    workspace_id: workspaceId,
    component_id: componentId,
    prompt,
  })
    .select(['hour', 'version', 'label'])
    .select(({ fn }) => [fn.sum<number>('traces').as('traces'), fn.sum<number>('uses').as('uses')])
    .where('hour', '>=', fromHour)
    .groupBy(['hour', 'version', 'label'])
    .execute()
  return rows.map((row) => ({ ...row, traces: Number(row.traces), uses: Number(row.uses) }))
}
