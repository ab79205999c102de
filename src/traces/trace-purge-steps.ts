import { columnIs, everyRow } from '../purge/purge-queries.ts'
import { LARGE_ROWS_PER_STATEMENT, type PurgeStep } from '../purge/purge-step.ts'
import { releaseTraces } from './storing/release-trace-queries.ts'

const workspace = everyRow

export const tracePurgeSteps: readonly PurgeStep[] = [
  {
    table: 'traces',
    key: ['workspace_id', 'id'],
    rows: { component: columnIs('component_id') },
    release: (tx, { workspaceId, id }, limit) => releaseTraces(tx, { workspaceId, componentId: id, limit }),
  },
  {
    table: 'spans',
    key: ['workspace_id', 'trace_id', 'span_id'],
    rows: { workspace },
    rowsPerStatement: LARGE_ROWS_PER_STATEMENT,
  },
  {
    table: 'pending_span_events',
    key: ['workspace_id', 'trace_id', 'span_id', 'hash'],
    rows: { workspace },
    rowsPerStatement: LARGE_ROWS_PER_STATEMENT,
  },
  { table: 'trace_facets', key: ['workspace_id', 'facet', 'value', 'trace_id'], rows: { workspace } },
  { table: 'traces', key: ['workspace_id', 'id'], rows: { workspace } },
  {
    table: 'trace_rollups',
    key: ['workspace_id', 'hour', 'component_id', 'status', 'service', 'environment'],
    rows: { workspace },
  },
  {
    table: 'trace_source_rollups',
    key: ['workspace_id', 'hour', 'component_id', 'status', 'service', 'environment', 'source'],
    rows: { workspace },
  },
  {
    table: 'prompt_rollups',
    key: ['workspace_id', 'component_id', 'hour', 'prompt', 'version', 'label', 'source'],
    // After its traces were released, so that no late span adds to them again.
    rows: { workspace, component: columnIs('component_id') },
  },
  { table: 'trace_hours', key: ['workspace_id', 'hour'], rows: { workspace } },
  { table: 'resource_scopes', key: ['workspace_id', 'hash'], rows: { workspace } },
  { table: 'prices', key: ['workspace_id', 'id'], rows: { workspace } },
  { table: 'retention', key: ['workspace_id'], rows: { workspace } },
  { table: 'trace_settings', key: ['workspace_id'], rows: { workspace } },
]
