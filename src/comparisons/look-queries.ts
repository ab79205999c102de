import type { Queries } from '../storage/db.ts'

export type LookPair = { workspaceId: string; baselineRunId: string; candidateRunId: string }

export async function findLook(q: Queries, { workspaceId, baselineRunId, candidateRunId }: LookPair) {
  return q
    .selectFrom('comparison_looks')
    .select(['looks', 'result_hash as resultHash'])
    .where('workspace_id', '=', workspaceId)
    .where('baseline_run_id', '=', baselineRunId)
    .where('candidate_run_id', '=', candidateRunId)
    .executeTakeFirst()
}

/** Counts a look whose result differs from the last one. Two requests with the same result count once. */
export async function countLook(
  tx: Queries,
  { workspaceId, baselineRunId, candidateRunId, resultHash, now }: LookPair & { resultHash: string; now: string },
): Promise<void> {
  await tx
    .insertInto('comparison_looks')
    .values({
      workspace_id: workspaceId,
      baseline_run_id: baselineRunId,
      candidate_run_id: candidateRunId,
      looks: 1,
      result_hash: resultHash,
      looked_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'baseline_run_id', 'candidate_run_id'])
        .doUpdateSet((eb) => ({
          looks: eb('comparison_looks.looks', '+', 1),
          result_hash: resultHash,
          looked_at: now,
        }))
        .where('comparison_looks.result_hash', '!=', resultHash),
    )
    .execute()
}

/** The runs that were compared with this baseline since then. */
export async function listComparedWith(
  q: Queries,
  { workspaceId, baselineRunId, since }: { workspaceId: string; baselineRunId: string; since: string },
): Promise<string[]> {
  const rows = await q
    .selectFrom('comparison_looks')
    .select('candidate_run_id as runId')
    .where('workspace_id', '=', workspaceId)
    .where('baseline_run_id', '=', baselineRunId)
    .where('looked_at', '>=', since)
    .execute()
  return rows.map(({ runId }) => runId)
}
