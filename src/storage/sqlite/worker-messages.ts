/** What the server and a read worker send each other. Every request but `cancel` and `reopenIndex` gets one reply, a task also batches. */
import type { Failure } from '../../base/thread-failure.ts'

export type WorkerRequest =
  /** `search` runs on a connection that has the search index. */
  | { kind: 'read' | 'search'; id: number; sql: string; parameters: readonly unknown[] }
  | { kind: 'task'; id: number; name: string; input: unknown }
  | { kind: 'nextBatch' | 'cancel'; id: number }
  | { kind: 'checkpoint'; id: number }
  | { kind: 'reopenIndex' }

/** `indexError` is sent once, when a search ran without the index because the index cannot be read. */
export type WorkerReply = { id: number; indexError?: Failure | undefined } & (
  | { result: unknown }
  | { failure: Failure }
  | { batch: unknown }
)

/** `isCanceled` is shared memory: 1 when the statement that runs is to be stopped. */
export type WorkerStart = { file: string; isCanceled: Int32Array }
