import { sql } from 'kysely'
import { chunksOf } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { inList, lockForUpdate } from '../../storage/dialect.ts'
import { insertNewRows } from '../../storage/insert-rows.ts'
import { prepared, selectScoped } from '../../storage/query-building.ts'
import { type FieldSources, SOURCED_FIELDS, type SourcedField, UNKNOWN_SOURCE } from './field-sources.ts'
import { MAPPING_VERSION } from './mapping-version.ts'
import { newTraceState, STATE_COLUMNS, type StateColumn, type TraceState } from './trace-state.ts'

const IDS_PER_STATEMENT = 500

export type KnownTrace = { id: string; traceId: string; state: TraceState }

/**
 * Finds the existing traces by the ids of their senders and locks them until the transaction ends, so that two batches of one trace do
 * not both add to the same state. Locks in order of the ids, so that transactions never deadlock.
 */
export async function findTraceStates(tx: Queries, workspaceId: string, traceIds: string[]): Promise<KnownTrace[]> {
  const found: KnownTrace[] = []
  for (const chunk of chunksOf(traceIds.toSorted(), IDS_PER_STATEMENT)) {
    for (const row of await lockTraceStates(tx, { workspaceId, traceIds: chunk })) {
      found.push({ id: row.id, traceId: row.trace_id, state: stateOf(row) })
    }
  }
  return found
}

const COLUMNS: readonly Pick<StateColumn<unknown>, 'column' | 'isNanoseconds'>[] = Object.values(STATE_COLUMNS)

const lockTraceStates = prepared<{ workspaceId: string; traceIds: readonly string[] }>()((q, value) =>
  lockForUpdate(
    q,
    selectScoped(q, 'traces', { workspace_id: value('workspaceId') })
      .select(['id', 'trace_id'])
      .select(COLUMNS.map(({ column, isNanoseconds }) => (isNanoseconds ? digits(column).as(column) : column)))
      .select('listed_spans')
      .where(inList(q, 'trace_id', value('traceIds')))
      .where('deleted_at', 'is', null)
      .orderBy('trace_id'),
  ),
)

function digits(column: string) {
  return sql<string | null>`cast(${sql.ref(column)} as text)`
}

/** By field, so that the compiler knows that a column has the type of its field. */
const BY_FIELD: { [Field in keyof TraceState]: StateColumn<TraceState[Field]> } = STATE_COLUMNS

const FIELDS = keysOf(BY_FIELD)

function keysOf<Value extends object>(object: Value) {
  const keys: Extract<keyof Value, string>[] = []
  for (const key in object) keys.push(key)
  return keys
}

type StateRow = Readonly<Record<StateColumn<unknown>['column'], string | number | null>>

function stateOf(row: StateRow): TraceState {
  const state = newTraceState()
  for (const field of FIELDS) readField(state, field, row)
  if (row.field_sources === null) state.sources = unknownSources(state)
  if (row.listed_spans !== state.spanCount) Object.assign(state, { modelSummary: null, preview: null })
  return state
}

function readField<Field extends keyof TraceState>(state: TraceState, field: Field, row: StateRow): void {
  const { column, read } = BY_FIELD[field]
  state[field] = read(row[column])
}

/** Values that were stored before their source was recorded are not changed by later spans. */
function unknownSources({ name, namedBy, service, environment, sessionId, userId, links }: TraceState): FieldSources {
  const own = { name: namedBy === 'trace' ? name : null, service, environment, sessionId, userId }
  const values: Partial<Record<SourcedField, string | null>> = { ...links, ...own }
  const sources: FieldSources = {}
  for (const field of SOURCED_FIELDS) if (values[field] ?? null) sources[field] = UNKNOWN_SOURCE
  return sources
}

const WRITTEN_COLUMNS = [...COLUMNS.map(({ column }) => column), 'listed_spans'] as const

/** In the order of the columns. What lists show is always computed from all spans of the state. */
function valuesOf(state: TraceState) {
  return [...FIELDS.map((field) => writeField(state, field)), state.spanCount]
}

function writeField<Field extends keyof TraceState>(state: TraceState, field: Field) {
  return BY_FIELD[field].write(state[field])
}

export type NewTrace = { id: string; traceId: string; createdAt: string; state: TraceState }

/** Returns, for each trace, whether it was inserted: another process may have inserted it first. */
export async function insertTraces(tx: Queries, workspaceId: string, traces: NewTrace[]): Promise<boolean[]> {
  return insertNewRows(
    tx,
    {
      table: 'traces',
      columns: ['workspace_id', 'id', 'trace_id', 'created_at', 'mapping_version', ...WRITTEN_COLUMNS],
      rows: traces.map(({ id, traceId, createdAt, state }) => {
        return [workspaceId, id, traceId, createdAt, MAPPING_VERSION, ...valuesOf(state)]
      }),
    },
    ['id'],
  )
}

export async function updateTrace(tx: Queries, workspaceId: string, { id, state }: KnownTrace): Promise<void> {
  const values = valuesOf(state)
  const changes = WRITTEN_COLUMNS.map((column, index) => sql`${sql.ref(column)} = ${values[index]}`)
  await sql`update ${sql.table('traces')} set ${sql.join(changes)}
    where ${sql.ref('workspace_id')} = ${workspaceId} and ${sql.ref('id')} = ${id}`.execute(tx)
}
