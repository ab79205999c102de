import type { RawBuilder } from 'kysely'
import type { Queries } from '../storage/db.ts'
import type { Tables } from '../storage/tables.ts'

export type PurgeKind = 'workspace' | 'component' | 'prompt' | 'dataset' | 'run' | 'evaluation' | 'trial' | 'experiment'

/** The deleted resource. */
export type PurgeTarget = { workspaceId: string; what: PurgeKind; id: string }

/** A condition on the rows of a step. */
export type PurgeCondition = (target: PurgeTarget) => RawBuilder<boolean>

/** Deletes the rows of one table. Each slice declares the steps of its tables; `src/job-handlers.ts` orders them. */
export type PurgeStep = {
  table: keyof Tables
  key: readonly string[]
  /** The rows that belong to a target, by kind; targets of other kinds have none in this table. */
  rows: Partial<Record<PurgeKind, PurgeCondition>>
  /** For tables with large rows. */
  rowsPerStatement?: number
  /** Handles a chunk of rows that are not deleted. Returns false if all of them are locked at the moment. */
  release?: (tx: Queries, target: PurgeTarget, limit: number) => Promise<boolean>
}

/** A span or an item may have megabytes; one statement must not block the process for long. */
export const LARGE_ROWS_PER_STATEMENT = 25
