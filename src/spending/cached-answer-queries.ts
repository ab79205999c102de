import { type Clock, timestamp } from '../base/clock.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Db, Queries } from '../storage/db.ts'
import { insertNewRows } from '../storage/insert-rows.ts'
import { lockWorkspaceShared } from '../workspaces/workspace-queries.ts'

/** The answer of a model, cached for identical questions. */
export type KnownAnswer = {
  hash: string
  answer: string
  inputTokens: number | null
  outputTokens: number | null
  costUsd: number | null
}

export async function findAnswer(q: Queries, workspaceId: string, hash: string): Promise<string | undefined> {
  const row = await q
    .selectFrom('model_answers')
    .select('answer')
    .where('workspace_id', '=', workspaceId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return row?.answer
}

/** Stores nothing if the workspace is deleted. */
export async function insertAnswers(
  tx: Queries,
  workspaceId: string,
  { answers, now }: { answers: readonly KnownAnswer[]; now: string },
): Promise<void> {
  if (!(await lockWorkspaceShared(tx, workspaceId))) return
  await insertNewRows(
    tx,
    {
      table: 'model_answers',
      columns: ['workspace_id', 'hash', 'answer', 'input_tokens', 'output_tokens', 'cost_usd', 'created_at'],
      rows: answers.map(({ hash, answer, inputTokens, outputTokens, costUsd }) => {
        return [workspaceId, hash, answer, inputTokens, outputTokens, costUsd, now]
      }),
    },
    ['hash'],
  )
}

/**
 * Deletes answers created before `before`, in all workspaces. Returns the number deleted, which is `limit` while there
 * may be more.
 */
async function deleteOldAnswersOfAnyWorkspace(
  tx: Queries,
  { before, limit }: { before: string; limit: number },
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('model_answers')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('workspace_id', 'hash'),
        'in',
        selectFrom('model_answers')
          .select(['workspace_id', 'hash'])
          .where('created_at', '<', before)
          .limit(limit)
          .$asTuple('workspace_id', 'hash'),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

const KEPT_MS = 30 * 86_400_000
const ANSWERS_PER_CHUNK = 200

/** Providers change the model behind a name, so answers are cached for 30 days. */
export async function deleteOldAnswers(db: Db, clock: Clock): Promise<void> {
  const before = timestamp(clock.now() - KEPT_MS)
  const limit = ANSWERS_PER_CHUNK
  for (;;) {
    const deleted = await db.transaction((tx) => deleteOldAnswersOfAnyWorkspace(tx, { before, limit }))
    if (deleted < limit) return
    await yieldToEventLoop()
  }
}
