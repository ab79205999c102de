import { type Clock, timestamp } from '../../base/clock.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Db } from '../../storage/db.ts'
import { deleteOldAnswersOfAnyWorkspace } from './cached-answer-queries.ts'

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
