/** What the framework knows of the application while an import runs. Everything here is read from the server: there is no state file. */
import { ApiError, ConflictError, NotFoundError, type Touchstone, ValidationError } from 'touchstone-sdk/client'
import type { ImportTally } from './import-report.ts'

export interface ImportTarget {
  client: Touchstone
  /** Undefined in a dry run if the component would be created. */
  component: { id: string | undefined; name: string }
  /** The name of the source, which is part of the identity of items. */
  source: string
  isDryRun: boolean
  signal: AbortSignal
  tally: ImportTally
  /** By name. */
  datasets: Map<string, StoredDataset>
  /** By `runKey`. */
  runs: Map<string, StoredRun>
  /** By name. */
  prompts: Map<string, StoredPrompt>
  /** The traces that this import has met: stored, or in a dry run counted. */
  traceIds: Set<string>
}

export interface StoredDataset {
  /** Undefined in a dry run if it would be created. */
  id: string | undefined
  /** The ids of its imported items by their key; empty ids in a dry run. */
  items: Map<string, string>
}

export interface StoredPrompt {
  /** Undefined in a dry run if it would be created. */
  id: string | undefined
  /** The number of each content that is stored. */
  numbers: Map<string, number>
  /** The number of the next version. */
  next: number
  labels: Set<string>
  /** The numbers of versions of the source. */
  bySource: Map<number, number>
}

interface StoredRun {
  id: string | undefined
  /** The ids of its traces, read when a trace is met that is stored already. */
  traceIds?: Set<string>
}

export function runKey(dataset: string, run: string): string {
  return JSON.stringify([dataset, run])
}

/** Throws if a source has yielded a record before the dataset that it names. */
export function requireStored<Stored>(stored: Map<string, Stored>, key: string, what: string): Stored {
  const found = stored.get(key)
  if (!found) throw new Error(`The source named the ${what} ${key} before it was there.`)
  return found
}

/**
 * Sends entries together. If the server rejects them for their content, halves are sent, so that one bad entry costs only itself.
 * Sending entries again is safe because they have ids.
 */
export async function sendInHalves<Entry>(
  entries: Entry[],
  send: (entries: Entry[]) => Promise<void>,
  onRejected: (entry: Entry, reason: string) => void,
): Promise<void> {
  const [first] = entries
  if (first === undefined) return
  try {
    await send(entries)
  } catch (error) {
    if (!isRejectedContent(error)) throw error
    if (entries.length === 1) {
      onRejected(first, `the server rejected it: ${error.message}`)
      return
    }
    const middle = Math.ceil(entries.length / 2)
    await sendInHalves(entries.slice(0, middle), send, onRejected)
    await sendInHalves(entries.slice(middle), send, onRejected)
  }
}

const TOO_LARGE = 413

export function isRejectedContent(error: unknown): error is ApiError {
  if (error instanceof ValidationError || error instanceof ConflictError) return true
  return error instanceof ApiError && error.status === TOO_LARGE
}

/** Undefined for a 404. */
export async function unlessMissing<Result>(request: Promise<Result>): Promise<Result | undefined> {
  try {
    return await request
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}
