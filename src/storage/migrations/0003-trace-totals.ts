/**
 * Sums of traces for all time, in addition to those of each hour: a total of the whole must not cost more with every hour that passes. A running
 * older server that adds traces while this is applied does not know of them; stop it first, as with every upgrade.
 */
export function traceTotals(): string[] {
  return [
    `insert into trace_rollups (workspace_id, hour, component_id, status, service, environment, traces, tokens, cost_usd)
      select workspace_id, -1, component_id, status, service, environment, sum(traces), sum(tokens), sum(cost_usd)
      from trace_rollups where hour >= 0
      group by workspace_id, component_id, status, service, environment`,
  ]
}
