import type { ColumnTypes } from '../dialect.ts'

/**
 * What a trace was recorded for (null: production), the prompts that it used, and totals of both. Traces that are linked to a run are
 * marked here; `remap` finds the prompts of stored traces. A running older server sees no difference. What it stores while this is applied
 * has neither: the traces of runs among it count as production until they are remapped, and a trace of a run that it deletes stays in the
 * totals of its source. Writers of traces wait for seconds per million traces of runs.
 */
export function traceSources({ uuid, bigint, real, clustered }: ColumnTypes): string[] {
  return [
    'alter table traces add column source text',
    'alter table traces add column prompts text',
    // Totals like `trace_rollups`, of traces that are not of production. These are also in `trace_rollups`.
    `create table trace_source_rollups (
      workspace_id ${uuid} not null,
      hour integer not null,
      component_id ${uuid} not null,
      status text not null,
      service text not null,
      environment text not null,
      source text not null,
      traces ${bigint} not null,
      tokens ${bigint} not null,
      cost_usd ${real} not null,
      primary key (workspace_id, hour, component_id, status, service, environment, source)
    ) ${clustered}`,
    `create table prompt_rollups (
      workspace_id ${uuid} not null,
      component_id ${uuid} not null,
      hour integer not null,
      prompt text not null,
      version text not null,
      label text not null,
      source text not null,
      traces ${bigint} not null,
      uses ${bigint} not null,
      priced ${bigint} not null,
      cost_usd ${real} not null,
      primary key (workspace_id, component_id, hour, prompt, version, label, source)
    ) ${clustered}`,
    'create index prompt_versions_by_time on prompt_versions (workspace_id, created_at)',

    `update traces set source = 'run' where deleted_at is null and exists (select 1 from run_traces
      where run_traces.workspace_id = traces.workspace_id and run_traces.trace_ref = traces.trace_id)`,
    `insert into trace_facets (workspace_id, facet, value, trace_id)
      select workspace_id, 'source', source, id from traces where source is not null`,
    `insert into trace_source_rollups
        (workspace_id, hour, component_id, status, service, environment, source, traces, tokens, cost_usd)
      select workspace_id, start_ns / 3600000000000, coalesce(component_id, '00000000-0000-0000-0000-000000000000'),
        status, coalesce(service, ''), coalesce(environment, ''), source,
        count(*), sum(coalesce(total_tokens, 0)), sum(coalesce(cost_usd, 0))
      from traces where source is not null
      group by 1, 2, 3, 4, 5, 6, 7`,
    `insert into trace_source_rollups
        (workspace_id, hour, component_id, status, service, environment, source, traces, tokens, cost_usd)
      select workspace_id, -1, component_id, status, service, environment, source, sum(traces), sum(tokens), sum(cost_usd)
      from trace_source_rollups where hour >= 0
      group by 1, 2, 3, 4, 5, 6, 7`,
  ]
}
