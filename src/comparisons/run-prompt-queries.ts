import type { Queries } from '../storage/db.ts'
import { readPrompts } from '../traces/storing/trace-prompts.ts'

export type RunPrompt = { name: string; traces: number }

/** More are no version of the run, but names that a sender makes up. */
const PROMPTS_MAX = 50

type Sides = { baseline: RunPrompt[]; candidate: RunPrompt[] }

/** The prompts that the traces of two runs used, the most used first. */
export async function readRunPrompts(
  q: Queries,
  {
    workspaceId,
    baselineRunId,
    candidateRunId,
  }: { workspaceId: string; baselineRunId: string; candidateRunId: string },
): Promise<Sides> {
  const rows = await listUsedPrompts(q, workspaceId, [baselineRunId, candidateRunId])
  const promptsOf = (runId: string) => {
    const counts = new Map<string, number>()
    for (const row of rows) {
      if (row.runId !== runId) continue
      const names = new Set(readPrompts(row.prompts).map(({ name }) => name))
      for (const name of names) counts.set(name, (counts.get(name) ?? 0) + Number(row.traces))
    }
    return [...counts]
      .map(([name, traces]) => ({ name, traces }))
      .sort((a, b) => b.traces - a.traces || (a.name < b.name ? -1 : 1))
      .slice(0, PROMPTS_MAX)
  }
  return { baseline: promptsOf(baselineRunId), candidate: promptsOf(candidateRunId) }
}

/** Traces of a run mostly used the same prompts, so there are few rows. */
function listUsedPrompts(q: Queries, workspaceId: string, runIds: readonly string[]) {
  return q
    .selectFrom('run_traces as l')
    .innerJoin('traces as t', (join) =>
      join
        .onRef('t.workspace_id', '=', 'l.workspace_id')
        .onRef('t.trace_id', '=', 'l.trace_ref')
        .on('t.deleted_at', 'is', null),
    )
    .select(['l.run_id as runId', 't.prompts'])
    .select(({ fn }) => fn.countAll<number>().as('traces'))
    .where('l.workspace_id', '=', workspaceId)
    .where('l.run_id', 'in', runIds)
    .where('t.prompts', 'is not', null)
    .groupBy(['l.run_id', 't.prompts'])
    .execute()
}
