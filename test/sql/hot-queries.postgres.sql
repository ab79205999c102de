-- authenticate by a key (GET /workspace) --

select "k"."id", "k"."workspace_id", "k"."created_by", "k"."last_used_at", "k"."expires_at", "k"."role", "m"."role" as "creatorRole", case when w.requires_second_factor = 1 then case when u.two_factor_enabled = 0
  and exists (select 1
  from accounts as a
  where a.user_id = u.id
  and a.provider_id = 'credential') then 1 else 0 end else 0 end as "lacksFactor"
  from "api_keys" as "k"
  inner join "members" as "m" on "m"."workspace_id" = "k"."workspace_id"
  and "m"."user_id" = "k"."created_by"
  inner join "users" as "u" on "u"."id" = "k"."created_by"
  inner join "workspaces" as "w" on "w"."id" = "k"."workspace_id"
  where "k"."key_hash" = $1
  and "u"."disabled_at" is null
-- Nested Loop
--   ->  Nested Loop
--         ->  Nested Loop
--               ->  Index Scan using api_keys_key_hash_key on api_keys k
--                     Index Cond: (key_hash = $1)
--               ->  Index Scan using members_by_user on members m
--                     Index Cond: ((user_id = k.created_by) AND (workspace_id = k.workspace_id))
--         ->  Index Scan using users_pkey on users u
--               Index Cond: (id = m.user_id)
--               Filter: (disabled_at IS NULL)
--   ->  Index Scan using workspaces_pkey on workspaces w
--         Index Cond: (id = m.workspace_id)
--   SubPlan 1
--     ->  Index Scan using accounts_by_provider on accounts a
--           Index Cond: (provider_id = 'credential'::text)
--           Filter: (user_id = u.id)

select "id", "name", "description", "created_at" as "createdAt", "updated_at" as "updatedAt"
  from "workspaces"
  where "id" = $1
  and "deleted_at" is null
-- Index Scan using workspaces_pkey on workspaces
--   Index Cond: (id = $1)
--   Filter: (deleted_at IS NULL)

-- store the spans of a new trace (POST /v1/traces) --

select "id", "model_pattern" as "modelPattern", "provider", "input_per_million" as "inputPerMillion", "output_per_million" as "outputPerMillion", "cache_read_per_million" as "cacheReadPerMillion", "cache_write_per_million" as "cacheWritePerMillion", "valid_from" as "validFrom", "valid_until" as "validUntil", "created_at" as "createdAt"
  from "prices"
  where "workspace_id" = $1
  order by "id" desc
-- Sort
--   Sort Key: id DESC
--   ->  Bitmap Heap Scan on prices
--         Recheck Cond: (workspace_id = $1)
--         ->  Bitmap Index Scan on prices_pkey
--               Index Cond: (workspace_id = $1)

select pg_advisory_xact_lock_shared(7305802, hashtext($1))
-- Result

select "id"
  from "workspaces"
  where "id" = $1
  and "deleted_at" is null
-- Index Scan using workspaces_pkey on workspaces
--   Index Cond: (id = $1)
--   Filter: (deleted_at IS NULL)

select "id", "trace_id", "name", "named_by", "status", "component_id", "service", "environment", "session_id", "user_id", "tags", "links", "source", "prompts", cast("start_ns" as text) as "start_ns", cast("end_ns" as text) as "end_ns", "span_count", "error_count", "total_tokens", "cost_usd", "root_span_id", "root_status", cast("root_ns" as text) as "root_ns", "first_llm_span_id", cast("first_llm_ns" as text) as "first_llm_ns", "last_llm_span_id", cast("last_llm_ns" as text) as "last_llm_ns", "field_sources", cast("last_failure_ns" as text) as "last_failure_ns", cast("last_answer_ns" as text) as "last_answer_ns", "usage_scope", "model_summary", "preview", "listed_spans"
  from "traces"
  where "workspace_id" = $1
  and "trace_id" = any($2::text[])
  and "deleted_at" is null
  order by "trace_id" for update
-- LockRows
--   ->  Index Scan using traces_by_sender on traces
--         Index Cond: ((workspace_id = $1) AND (trace_id = ANY ($2)))
--         Filter: (deleted_at IS NULL)

select "trace_ref" as "traceId"
  from "run_traces"
  where "workspace_id" = $1
  and "trace_ref" = any($2::text[])
-- Index Only Scan using run_traces_of_trace on run_traces
--   Index Cond: ((workspace_id = $1) AND (trace_ref = ANY ($2)))

insert into traces ("workspace_id", "id", "trace_id", "created_at", "mapping_version", "name", "named_by", "status", "component_id", "service", "environment", "session_id", "user_id", "tags", "links", "source", "prompts", "start_ns", "end_ns", "span_count", "error_count", "total_tokens", "cost_usd", "root_span_id", "root_status", "root_ns", "first_llm_span_id", "first_llm_ns", "last_llm_span_id", "last_llm_ns", "field_sources", "last_failure_ns", "last_answer_ns", "usage_scope", "model_summary", "preview", "listed_spans") select "workspace_id", "id", "trace_id", "created_at", "mapping_version", "name", "named_by", "status", "component_id", "service", "environment", "session_id", "user_id", "tags", "links", "source", "prompts", "start_ns", "end_ns", "span_count", "error_count", "total_tokens", "cost_usd", "root_span_id", "root_status", "root_ns", "first_llm_span_id", "first_llm_ns", "last_llm_span_id", "last_llm_ns", "field_sources", "last_failure_ns", "last_answer_ns", "usage_scope", "model_summary", "preview", "listed_spans"
  from json_populate_recordset(null::traces, $1::json)
  on conflict do nothing
  returning "id"
-- Insert on traces
--   Conflict Resolution: NOTHING
--   ->  Function Scan on json_populate_recordset

insert into spans ("span_id", "parent_span_id", "name", "sent_name", "kind", "otel_kind", "start_ns", "end_ns", "status", "status_message", "model", "provider", "input_tokens", "output_tokens", "total_tokens", "cost_usd", "cost_basis", "input", "input_from", "output", "output_from", "attributes", "events", "links", "notes", "resource_scope", "sent_status", "sent_status_message", "workspace_id", "trace_id", "covered_usage", "is_orphan") select "span_id", "parent_span_id", "name", "sent_name", "kind", "otel_kind", "start_ns", "end_ns", "status", "status_message", "model", "provider", "input_tokens", "output_tokens", "total_tokens", "cost_usd", "cost_basis", "input", "input_from", "output", "output_from", "attributes", "events", "links", "notes", "resource_scope", "sent_status", "sent_status_message", "workspace_id", "trace_id", "covered_usage", "is_orphan"
  from json_populate_recordset(null::spans, $1::json)
  on conflict do nothing
  returning "span_id"
-- Insert on spans
--   Conflict Resolution: NOTHING
--   ->  Function Scan on json_populate_recordset

insert into trace_facets ("workspace_id", "facet", "value", "trace_id") select "workspace_id", "facet", "value", "trace_id"
  from json_populate_recordset(null::trace_facets, $1::json)
  on conflict do nothing
  returning "trace_id"
-- Insert on trace_facets
--   Conflict Resolution: NOTHING
--   ->  Function Scan on json_populate_recordset

select "workspace_id"
  from "pending_span_events"
  where "workspace_id" = $1
  limit $2
-- Limit
--   ->  Index Only Scan using pending_span_events_by_age on pending_span_events
--         Index Cond: (workspace_id = $1)

select "dataset_id", "id", "trace_ref", "provisional"
  from "dataset_items" as "i"
  where "workspace_id" = $1
  and "trace_ref" = any($2::text[])
  and "provisional" > $3
  order by "id" for update
-- LockRows
--   ->  Sort
--         Sort Key: id
--         ->  Index Scan using dataset_items_of_trace on dataset_items i
--               Index Cond: ((workspace_id = $1) AND (trace_ref = ANY ($2)))
--               Filter: (provisional > $3)

insert into trace_hours ("workspace_id", "hour", "newest_id") select "workspace_id", "hour", "newest_id"
  from json_populate_recordset(null::trace_hours, $1::json)
  on conflict (workspace_id, hour) do update
  set newest_id = excluded.newest_id
  where trace_hours.newest_id < excluded.newest_id
-- Insert on trace_hours
--   Conflict Resolution: UPDATE
--   Conflict Arbiter Indexes: trace_hours_pkey
--   Conflict Filter: (trace_hours.newest_id < excluded.newest_id)
--   ->  Function Scan on json_populate_recordset

insert into trace_rollups ("workspace_id", "hour", "component_id", "status", "service", "environment", "traces", "tokens", "cost_usd") select "workspace_id", "hour", "component_id", "status", "service", "environment", "traces", "tokens", "cost_usd"
  from json_populate_recordset(null::trace_rollups, $1::json)
  on conflict (workspace_id, hour, component_id, status, service, environment) do update
  set traces = trace_rollups.traces + excluded.traces, tokens = trace_rollups.tokens + excluded.tokens, cost_usd = trace_rollups.cost_usd + excluded.cost_usd
-- Insert on trace_rollups
--   Conflict Resolution: UPDATE
--   Conflict Arbiter Indexes: trace_rollups_pkey
--   ->  Function Scan on json_populate_recordset

insert into "workspace_usage" ("workspace_id", "day", "spans", "evaluations", "stored_bytes")
  values (…)
  on conflict ("workspace_id") do update
  set "spans" = excluded.spans + case when excluded.day > workspace_usage.day then 0 else workspace_usage.spans end, "evaluations" = excluded.evaluations + case when excluded.day > workspace_usage.day then 0 else workspace_usage.evaluations end, "stored_bytes" = excluded.stored_bytes + workspace_usage.stored_bytes, "day" = case when excluded.day > workspace_usage.day then excluded.day else workspace_usage.day end
  returning "spans", "evaluations", "stored_bytes"
-- Insert on workspace_usage
--   Conflict Resolution: UPDATE
--   Conflict Arbiter Indexes: workspace_usage_pkey
--   ->  Result

-- store a span of a trace that is known (POST /v1/traces) --

select "span_id"
  from "spans"
  where "workspace_id" = $1
  and "trace_id" = $2
  and "span_id" = any($3::text[])
-- Index Only Scan using spans_workspace_id_trace_id_span_id_key on spans
--   Index Cond: ((workspace_id = $1) AND (trace_id = $2) AND (span_id = ANY ($3)))

update "spans"
  set "is_orphan" = $1
  where "workspace_id" = $2
  and "trace_id" = $3
  and "is_orphan" = $4
  and "parent_span_id" = any($5::text[])
  returning "parent_span_id", "total_tokens" as "totalTokens", "cost_usd" as "costUsd", "covered_usage" as "covered"
-- Update on spans
--   ->  Index Scan using spans_workspace_id_trace_id_span_id_key on spans
--         Index Cond: ((workspace_id = $2) AND (trace_id = $3))
--         Filter: ((is_orphan = $4) AND (parent_span_id = ANY ($5)))

update "traces"
  set "name" = $1, "named_by" = $2, "status" = $3, "component_id" = $4, "service" = $5, "environment" = $6, "session_id" = $7, "user_id" = $8, "tags" = $9, "links" = $10, "source" = $11, "prompts" = $12, "start_ns" = $13, "end_ns" = $14, "span_count" = $15, "error_count" = $16, "total_tokens" = $17, "cost_usd" = $18, "root_span_id" = $19, "root_status" = $20, "root_ns" = $21, "first_llm_span_id" = $22, "first_llm_ns" = $23, "last_llm_span_id" = $24, "last_llm_ns" = $25, "field_sources" = $26, "last_failure_ns" = $27, "last_answer_ns" = $28, "usage_scope" = $29, "model_summary" = $30, "preview" = $31, "listed_spans" = $32
  where "workspace_id" = $33
  and "id" = $34
-- Update on traces
--   ->  Index Scan using traces_by_start on traces
--         Index Cond: ((workspace_id = $33) AND (id = $34))

-- one component (GET /components/:id) --

select "id", "name", "description", "workspace_id" as "workspaceId", "created_at" as "createdAt", "updated_at" as "updatedAt"
  from "components"
  where "workspace_id" = $1
  and "id" = $2
  and "deleted_at" is null
-- Index Scan using components_pkey on components
--   Index Cond: ((workspace_id = $1) AND (id = $2))
--   Filter: (deleted_at IS NULL)

-- list of components (GET /components) --

select "id", "name", "description", "workspace_id" as "workspaceId", "created_at" as "createdAt", "updated_at" as "updatedAt", (select count(*)
  from ((select 1 as "one"
  from "components"
  where "workspace_id" = $1
  and "deleted_at" is null
  limit 201)) as listed) as "total"
  from "components"
  where "workspace_id" = $2
  and "deleted_at" is null
  order by "id" desc
  limit $3 offset $4
-- Limit
--   InitPlan 1
--     ->  Aggregate
--           ->  Limit
--                 ->  Bitmap Heap Scan on components components_1
--                       Recheck Cond: (workspace_id = $1)
--                       Filter: (deleted_at IS NULL)
--                       ->  Bitmap Index Scan on components_by_name
--                             Index Cond: (workspace_id = $1)
--   ->  Sort
--         Sort Key: components.id DESC
--         ->  Bitmap Heap Scan on components
--               Recheck Cond: (workspace_id = $2)
--               Filter: (deleted_at IS NULL)
--               ->  Bitmap Index Scan on components_by_name
--                     Index Cond: (workspace_id = $2)

-- list of traces (GET /traces) --

select "t"."id", "t"."trace_id" as "traceId", "t"."name", "t"."status", "c"."id" as "aiComponentId", "c"."name" as "componentName", "t"."total_tokens" as "totalTokens", "t"."cost_usd" as "costUsd", t.start_ns / 1000000 as "startMs", t.end_ns / 1000000 as "endMs", t.end_ns - t.start_ns as "durationNs"
  from "traces" as "t"
  left join "components" as "c" on "c"."workspace_id" = "t"."workspace_id"
  and "c"."id" = "t"."component_id"
  and "c"."deleted_at" is null
  where "t"."workspace_id" = $1
  and (t.deleted_at is null) is true
  and 1 = 1
  order by "t"."id" desc
  limit $2 offset $3
-- Limit
--   ->  Nested Loop Left Join
--         ->  Index Scan Backward using traces_pkey on traces t
--               Index Cond: (workspace_id = $1)
--               Filter: ((deleted_at IS NULL) IS TRUE)
--         ->  Index Scan using components_pkey on components c
--               Index Cond: ((workspace_id = $1) AND (id = t.component_id))
--               Filter: (deleted_at IS NULL)

select cast((select coalesce(sum(h.traces), 0) as "traces"
  from "trace_rollups" as "h"
  where "h"."workspace_id" = $1
  and "h"."hour" = $2) as bigint) as total
-- Result
--   InitPlan 1
--     ->  Aggregate
--           ->  Index Scan using trace_rollups_pkey on trace_rollups h
--                 Index Cond: ((workspace_id = $1) AND (hour = $2))

-- list of traces by start (GET /traces?sort) --

select "t"."id", cast(t.start_ns as text) as "value"
  from "traces" as "t"
  where "t"."workspace_id" = $1
  and (t.deleted_at is null) is true
  and 1 = 1
  order by "t"."start_ns" desc, "t"."id" desc
  limit $2
-- Limit
--   ->  Index Scan Backward using traces_by_start on traces t
--         Index Cond: (workspace_id = $1)
--         Filter: ((deleted_at IS NULL) IS TRUE)

select "t"."id", "t"."trace_id" as "traceId", "t"."name", "t"."status", "c"."id" as "aiComponentId", "c"."name" as "componentName", "t"."total_tokens" as "totalTokens", "t"."cost_usd" as "costUsd", t.start_ns / 1000000 as "startMs", t.end_ns / 1000000 as "endMs", t.end_ns - t.start_ns as "durationNs", "t"."session_id" as "sessionId", "t"."user_id" as "userId", "t"."service", "t"."environment", "t"."tags", "t"."source", "t"."prompts", "t"."span_count" as "spanCount", "t"."error_count" as "errorCount", "t"."root_span_id" as "rootSpanId", "t"."first_llm_span_id" as "firstLlmSpanId", "t"."last_llm_span_id" as "lastLlmSpanId", "t"."created_at" as "createdAt", case when t.listed_spans = t.span_count then t.model_summary end as "modelSummary", case when t.listed_spans = t.span_count
  and t.mapping_version between 3
  and 4 then t.preview end as "preview"
  from "traces" as "t"
  left join "components" as "c" on "c"."workspace_id" = "t"."workspace_id"
  and "c"."id" = "t"."component_id"
  and "c"."deleted_at" is null
  where "t"."deleted_at" is null
  and "t"."workspace_id" = $1
  and "t"."id" = any($2::uuid[])
-- Nested Loop Left Join
--   ->  Index Scan using traces_by_start on traces t
--         Index Cond: ((workspace_id = $1) AND (id = ANY ($2)))
--         Filter: (deleted_at IS NULL)
--   ->  Index Scan using components_pkey on components c
--         Index Cond: ((workspace_id = $1) AND (id = t.component_id))
--         Filter: (deleted_at IS NULL)

-- list of traces, filtered (GET /traces?status&service&session_id&start_after) --

select "t"."id", "t"."trace_id" as "traceId", "t"."name", "t"."status", "c"."id" as "aiComponentId", "c"."name" as "componentName", "t"."total_tokens" as "totalTokens", "t"."cost_usd" as "costUsd", t.start_ns / 1000000 as "startMs", t.end_ns / 1000000 as "endMs", t.end_ns - t.start_ns as "durationNs"
  from "trace_facets" as "f" cross join "traces" as "t"
  left join "components" as "c" on "c"."workspace_id" = "t"."workspace_id"
  and "c"."id" = "t"."component_id"
  and "c"."deleted_at" is null
  where "f"."workspace_id" = $1
  and "f"."facet" = $2
  and "f"."value" = $3
  and "t"."id" = "f"."trace_id"
  and "t"."workspace_id" = $4
  and (t.deleted_at is null) is true
  and ("t"."status" = 'error'
  and "t"."start_ns" >= $5
  and "t"."service" = $6
  and "t"."session_id" = $7)
  order by "f"."trace_id" desc
  limit $8 offset $9
-- Limit
--   ->  Nested Loop Left Join
--         ->  Nested Loop
--               Join Filter: (f.trace_id = t.id)
--               ->  Index Only Scan Backward using trace_facets_pkey on trace_facets f
--                     Index Cond: ((workspace_id = $1) AND (facet = $2) AND (value = $3))
--               ->  Index Scan Backward using traces_failed on traces t
--                     Index Cond: (workspace_id = $4)
--                     Filter: (((deleted_at IS NULL) IS TRUE) AND (start_ns >= $5) AND (service = $6) AND (session_id = $7))
--         ->  Index Scan using components_pkey on components c
--               Index Cond: ((workspace_id = $4) AND (id = t.component_id))
--               Filter: (deleted_at IS NULL)

select cast((select count(*) as "count"
  from "trace_facets" as "f" cross join "traces" as "t"
  where "f"."workspace_id" = $1
  and "f"."facet" = $2
  and "f"."value" = $3
  and "t"."id" = "f"."trace_id"
  and "t"."workspace_id" = $4
  and (t.deleted_at is null) is true
  and ("t"."status" = 'error'
  and "t"."start_ns" >= $5
  and "t"."service" = $6
  and "t"."session_id" = $7)) as bigint) as total
-- Result
--   InitPlan 1
--     ->  Aggregate
--           ->  Nested Loop
--                 Join Filter: (f.trace_id = t.id)
--                 ->  Index Only Scan using trace_facets_pkey on trace_facets f
--                       Index Cond: ((workspace_id = $1) AND (facet = $2) AND (value = $3))
--                 ->  Index Scan using traces_failed on traces t
--                       Index Cond: (workspace_id = $4)
--                       Filter: (((deleted_at IS NULL) IS TRUE) AND (start_ns >= $5) AND (service = $6) AND (session_id = $7))

-- spans of a trace (GET /traces/:id) --

select "t"."id", "t"."trace_id" as "traceId", "t"."name", "t"."status", "c"."id" as "aiComponentId", "c"."name" as "componentName", "t"."total_tokens" as "totalTokens", "t"."cost_usd" as "costUsd", t.start_ns / 1000000 as "startMs", t.end_ns / 1000000 as "endMs", t.end_ns - t.start_ns as "durationNs", "t"."session_id" as "sessionId", "t"."user_id" as "userId", "t"."tags", "t"."span_count" as "spanCount", "t"."root_span_id" as "rootSpanId", "t"."first_llm_span_id" as "firstLlmSpanId", "t"."last_llm_span_id" as "lastLlmSpanId", "t"."created_at" as "createdAt"
  from "traces" as "t"
  left join "components" as "c" on "c"."workspace_id" = "t"."workspace_id"
  and "c"."id" = "t"."component_id"
  and "c"."deleted_at" is null
  where "t"."deleted_at" is null
  and "t"."workspace_id" = $1
  and "t"."trace_id" = $2
-- Nested Loop Left Join
--   ->  Index Scan using traces_by_start on traces t
--         Index Cond: (workspace_id = $1)
--         Filter: ((deleted_at IS NULL) AND (trace_id = $2))
--   ->  Index Scan using components_pkey on components c
--         Index Cond: ((workspace_id = $1) AND (id = t.component_id))
--         Filter: (deleted_at IS NULL)

select "span_id" as "spanId", "parent_span_id" as "parentSpanId", "name", "sent_name" as "sentName", "kind", "status", "status_message" as "statusMessage", "sent_status" as "sentStatus", "sent_status_message" as "sentStatusMessage", "model", "provider", "input_tokens" as "inputTokens", "output_tokens" as "outputTokens", "total_tokens" as "totalTokens", "cost_usd" as "costUsd", "cost_basis" as "costBasis", "input", "input_from" as "inputFrom", "output", "output_from" as "outputFrom", "attributes", "events", "links", "notes", "resource_scope", s.start_ns / 1000000 as "startMs", s.end_ns / 1000000 as "endMs", s.end_ns - s.start_ns as "durationNs"
  from "spans" as "s"
  where "workspace_id" = $1
  and "trace_id" = $2
  and (select sum(coalesce(octet_length("input"), 0) + coalesce(octet_length("output"), 0) + coalesce(octet_length("attributes"), 0) + coalesce(octet_length("events"), 0) + coalesce(octet_length("links"), 0)) as "bytes"
  from "spans"
  where "workspace_id" = $3
  and "trace_id" = $4) <= $5
  order by "start_ns", "position"
-- Sort
--   Sort Key: s.start_ns, s."position"
--   InitPlan 1
--     ->  Aggregate
--           ->  Index Scan using spans_workspace_id_trace_id_span_id_key on spans
--                 Index Cond: ((workspace_id = $3) AND (trace_id = $4))
--   ->  Result
--         One-Time Filter: ((InitPlan 1).col1 <= $5)
--         ->  Index Scan using spans_workspace_id_trace_id_span_id_key on spans s
--               Index Cond: ((workspace_id = $1) AND (trace_id = $2))

-- save an annotation (POST …/annotations) --

select "r"."id"
  from "runs" as "r"
  inner join "datasets" as "d" on "d"."workspace_id" = "r"."workspace_id"
  and "d"."id" = "r"."dataset_id"
  inner join "components" as "c" on "c"."workspace_id" = "r"."workspace_id"
  and "c"."id" = "r"."component_id"
  where "r"."deleted_at" is null
  and "d"."deleted_at" is null
  and "c"."deleted_at" is null
  and "r"."workspace_id" = $1
  and "r"."component_id" = $2
  and "r"."id" = $3 for share
-- LockRows
--   ->  Nested Loop
--         ->  Nested Loop
--               Join Filter: (r.dataset_id = d.id)
--               ->  Index Scan using runs_of_dataset on runs r
--                     Index Cond: ((workspace_id = $1) AND (id = $3))
--                     Filter: ((deleted_at IS NULL) AND (component_id = $2))
--               ->  Bitmap Heap Scan on datasets d
--                     Recheck Cond: (workspace_id = $1)
--                     Filter: (deleted_at IS NULL)
--                     ->  Bitmap Index Scan on datasets_by_name
--                           Index Cond: (workspace_id = $1)
--         ->  Index Scan using components_pkey on components c
--               Index Cond: ((workspace_id = $1) AND (id = $2))
--               Filter: (deleted_at IS NULL)

select "raters_per_item", "is_blind", "ratings"
  from "annotation_policies"
  where "workspace_id" = $1
  and "run_id" = $2
-- Index Scan using annotation_policies_pkey on annotation_policies
--   Index Cond: ((workspace_id = $1) AND (run_id = $2))

select "id"
  from "annotations"
  where "workspace_id" = $1
  and "run_id" = $2
  and "trace_ref" = $3
  and ("annotations"."rating" is not null
  and "annotations"."rating" <> '')
  and "user_id" = $4
-- Index Scan using annotations_of_rater on annotations
--   Index Cond: ((workspace_id = $1) AND (run_id = $2) AND (user_id = $4) AND (trace_ref = $3))

select "ratings", "is_ordered"
  from "rating_schemes"
  where "workspace_id" = $1
-- Index Scan using rating_schemes_pkey on rating_schemes
--   Index Cond: (workspace_id = $1)

insert into "annotations" ("workspace_id", "id", "run_id", "trace_ref", "user_id", "created_at", "given_ref", "rating", "comment", "corrected_output", "updated_at")
  values (…)
  on conflict ("workspace_id", "run_id", "trace_ref", "user_id") do nothing
-- Insert on annotations
--   Conflict Resolution: NOTHING
--   Conflict Arbiter Indexes: annotations_workspace_id_run_id_trace_ref_user_id_key
--   ->  Result

select "id", "trace_ref" as "traceRef", "given_ref" as "givenRef", "user_id" as "userId", "rating", "comment", "corrected_output" as "correctedOutput", "created_at" as "createdAt", "updated_at" as "updatedAt"
  from "annotations"
  where "workspace_id" = $1
  and "run_id" = $2
  and "trace_ref" = $3
  and "user_id" = $4 for update
-- LockRows
--   ->  Index Scan using annotations_of_trace on annotations
--         Index Cond: ((workspace_id = $1) AND (trace_ref = $3) AND (run_id = $2))
--         Filter: (user_id = $4)

update "annotations"
  set "given_ref" = $1, "rating" = $2, "comment" = $3, "corrected_output" = $4, "updated_at" = $5
  where "workspace_id" = $6
  and "id" = $7
-- Update on annotations
--   ->  Index Scan using annotations_pkey on annotations
--         Index Cond: ((workspace_id = $6) AND (id = $7))

-- claim jobs --

insert into "jobs" ("workspace_id", "id", "kind", "payload", "state", "attempts", "fence", "run_at", "lease_owner", "lease_until", "last_error", "created_at")
  values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8), $9, $10, $11, $12)
-- Insert on jobs
--   ->  Result

with "turns" as (select "j"."id", row_number() over(partition by "j"."workspace_id"
  order by "j"."run_at", "j"."id") + (select count(*) as "count"
  from "jobs" as "r"
  where "r"."workspace_id" = "j"."workspace_id"
  and "r"."state" = $1
  and "r"."lease_until" >= now() + make_interval(secs => $2)) as "turn"
  from "jobs" as "j"
  where (("j"."state" = $3
  and "j"."run_at" <= now() + make_interval(secs => $4)) or ("j"."state" = $5
  and "j"."run_at" > now() + make_interval(secs => $6)) or ("j"."state" = $7
  and "j"."lease_until" < now() + make_interval(secs => $8)))), "due" as (select "j"."id"
  from "jobs" as "j"
  inner join "turns" on "turns"."id" = "j"."id"
  where (("j"."state" = $9
  and "j"."run_at" <= now() + make_interval(secs => $10)) or ("j"."state" = $11
  and "j"."run_at" > now() + make_interval(secs => $12)) or ("j"."state" = $13
  and "j"."lease_until" < now() + make_interval(secs => $14)))
  order by "turns"."turn", "j"."run_at"
  limit $15 for update skip locked) update "jobs"
  set "state" = $16, "lease_owner" = $17, "lease_until" = now() + make_interval(secs => $18), "fence" = "fence" + $19, "attempts" = "attempts" + $20
  where "id" in (select "due"."id"
  from "due")
  returning "workspace_id" as "workspaceId", "id", "kind", "payload", "attempts" as "attempt", "fence"
-- Update on jobs
--   CTE due
--     ->  Limit
--           ->  LockRows
--                 ->  Sort
--                       Sort Key: turns.turn, j.run_at
--                       ->  Nested Loop
--                             ->  Subquery Scan on turns
--                                   ->  WindowAgg
--                                         Window: w1 AS (PARTITION BY j_1.workspace_id ORDER BY j_1.run_at, j_1.id ROWS UNBOUNDED PRECEDING)
--                                         ->  Incremental Sort
--                                               Sort Key: j_1.workspace_id, j_1.run_at, j_1.id
--                                               Presorted Key: j_1.workspace_id
--                                               ->  Index Scan using jobs_pkey on jobs j_1
--                                                     Filter: (((state = $3) AND (run_at <= (now() + make_interval(0, 0, 0, 0, 0, 0, $4)))) OR ((state = $5) AND (run_at > (now() + make_interval(0, 0, 0, 0, 0, 0, $6)))) OR ((state = $7) AND (lease_until < (now() + make_interval(0, 0, 0, 0, 0, 0, $8)))))
--                                         SubPlan 1
--                                           ->  Aggregate
--                                                 ->  Bitmap Heap Scan on jobs r
--                                                       Recheck Cond: (workspace_id = j_1.workspace_id)
--                                                       Filter: ((state = $1) AND (lease_until >= (now() + make_interval(0, 0, 0, 0, 0, 0, $2))))
--                                                       ->  Bitmap Index Scan on jobs_pkey
--                                                             Index Cond: (workspace_id = j_1.workspace_id)
--                             ->  Bitmap Heap Scan on jobs j
--                                   Recheck Cond: (turns.id = id)
--                                   Filter: (((state = $9) AND (run_at <= (now() + make_interval(0, 0, 0, 0, 0, 0, $10)))) OR ((state = $11) AND (run_at > (now() + make_interval(0, 0, 0, 0, 0, 0, $12)))) OR ((state = $13) AND (lease_until < (now() + make_interval(0, 0, 0, 0, 0, 0, $14)))))
--                                   ->  Bitmap Index Scan on jobs_pkey
--                                         Index Cond: (id = turns.id)
--   ->  Nested Loop
--         ->  HashAggregate
--               Group Key: due.id
--               ->  CTE Scan on due
--         ->  Bitmap Heap Scan on jobs
--               Recheck Cond: (due.id = id)
--               ->  Bitmap Index Scan on jobs_pkey
--                     Index Cond: (id = due.id)
