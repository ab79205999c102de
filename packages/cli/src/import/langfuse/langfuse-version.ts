/** What differs between the versions of Langfuse's public API, and how both return lists. */

import type { Query, SourceServer } from '../source-server.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../source-values.ts'

const PER_PAGE = 50

export interface LangfuseTrace {
  id: string
  /** Version 4 has none. */
  trace?: Fields
  observations: Fields[]
}

export interface LangfuseRun {
  id: string
  name: string
  /** Undefined if the items are not of a dataset of Langfuse. */
  datasetId: string | undefined
  createdAt: string
  metadata: unknown
  cases: { itemId: string; traceId: string; input?: unknown; expected?: unknown }[]
}

export interface LangfuseScore {
  name: string
  dataType: string
  value: number | string | boolean | undefined
  comment: string | undefined
  source: string
  at: unknown
  traceId: string | undefined
  observationId: string | undefined
  /** What it scores if that is no trace: `session s-1`. */
  other: string | undefined
}

/** What differs between the versions. */
export interface LangfuseVersion {
  traces(since: string | undefined): AsyncGenerator<LangfuseTrace>
  scores(): AsyncGenerator<LangfuseScore>
  runs(datasets: { id: string; name: string }[]): AsyncGenerator<LangfuseRun>
  /** Undefined if there is no such observation. */
  traceOfObservation(id: string): Promise<string | undefined>
}

/** Pages by number. */
export async function* readPages(server: SourceServer, path: string, query: Query): AsyncGenerator<Fields> {
  for (let page = 1, isLast = false; !isLast; page++) {
    const { data, meta } = fieldsOf(await server.get(path, { ...query, page, limit: PER_PAGE }))
    const entries = listOf(data).filter(isFields)
    yield* entries
    isLast = entries.length === 0 || page >= Number(fieldsOf(meta)['totalPages'] ?? 0)
  }
}

/** Pages by cursor, in version 4. */
export async function* readCursor(server: SourceServer, path: string, query: Query): AsyncGenerator<Fields> {
  let cursor: string | undefined
  do {
    const { data, meta } = fieldsOf(await server.get(path, { ...query, cursor }))
    yield* listOf(data).filter(isFields)
    cursor = textOf(fieldsOf(meta)['cursor'])
  } while (cursor !== undefined)
}
