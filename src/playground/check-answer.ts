/**
 * Checks an answer against the schema of a response format, in a worker with hard limits: a schema of a user can need a second to be
 * compiled.
 */
import { workerFile } from '../base/worker-file.ts'
import { TaskLimitError, WorkerQueue } from '../base/worker-queue.ts'
import type { ResponseFormat } from '../llm/chat.ts'

export type SchemaTask = { schema: Record<string, unknown>; text: string }
export type SchemaMissed = { path: string; message: string }
export type SchemaReply = { misses: SchemaMissed[] } | { problem: string }

export type SchemaCheck = { valid: boolean; misses: SchemaMissed[] }

const worker = new WorkerQueue<SchemaTask, SchemaReply>({
  thread: workerFile(new URL('./schema-thread.ts', import.meta.url)),
  cpuMsMax: 5_000,
  timeoutMs: 30_000,
  memoryMbMax: 256,
  idleMs: 10_000,
})

/** Any object or list. */
const ANY_JSON = { type: ['object', 'array'] }

/** Null if the format says nothing about the answer. A schema that cannot be used is a miss of the whole answer. */
export async function checkAnswer(
  workspaceId: string,
  format: ResponseFormat | undefined,
  text: string,
): Promise<SchemaCheck | null> {
  if (!format) return null
  const schema = format.type === 'schema' ? format.schema : ANY_JSON
  const reply = await worker.run(workspaceId, { schema, text }).catch((error: unknown): SchemaReply => {
    if (error instanceof TaskLimitError) return { problem: `checking the answer against it ${error.message}` }
    throw error
  })
  const misses =
    'misses' in reply ? reply.misses : [{ path: '', message: `the schema cannot be used: ${reply.problem}` }]
  return { valid: misses.length === 0, misses }
}
