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
  where "k"."key_hash" = ?
  and "u"."disabled_at" is null
-- SEARCH k USING INDEX sqlite_autoindex_api_keys_1 (key_hash=?)
-- SEARCH w USING PRIMARY KEY (id=?)
-- SEARCH m USING PRIMARY KEY (workspace_id=? AND user_id=?)
-- SEARCH u USING INDEX sqlite_autoindex_users_1 (id=?)
-- CORRELATED SCALAR SUBQUERY 1
--   SEARCH a USING COVERING INDEX sqlite_autoindex_accounts_2 (user_id=? AND provider_id=?)

select "id", "name", "description", "created_at" as "createdAt", "updated_at" as "updatedAt"
  from "workspaces"
  where "id" = ?
  and "deleted_at" is null
-- SEARCH workspaces USING PRIMARY KEY (id=?)

-- store the spans of a new trace (POST /v1/traces) --

select "id", "model_pattern" as "modelPattern", "provider", "input_per_million" as "inputPerMillion", "output_per_million" as "outputPerMillion", "cache_read_per_million" as "cacheReadPerMillion", "cache_write_per_million" as "cacheWritePerMillion", "valid_from" as "validFrom", "valid_until" as "validUntil", "created_at" as "createdAt"
  from "prices"
  where "workspace_id" = ?
  order by "id" desc
-- SEARCH prices USING PRIMARY KEY (workspace_id=?)

select "id"
  from "workspaces"
  where "id" = ?
  and "deleted_at" is null
-- SEARCH workspaces USING PRIMARY KEY (id=?)

select "id", "trace_id", "name", "named_by", "status", "component_id", "service", "environment", "session_id", "user_id", "tags", "links", "source", "prompts", cast("start_ns" as text) as "start_ns", cast("end_ns" as text) as "end_ns", "span_count", "error_count", "total_tokens", "cost_usd", "root_span_id", "root_status", cast("root_ns" as text) as "root_ns", "first_llm_span_id", cast("first_llm_ns" as text) as "first_llm_ns", "last_llm_span_id", cast("last_llm_ns" as text) as "last_llm_ns", "field_sources", cast("last_failure_ns" as text) as "last_failure_ns", cast("last_answer_ns" as text) as "last_answer_ns", "usage_scope", "model_summary", "preview", "listed_spans"
  from "traces"
  where "workspace_id" = ?
  and "trace_id" in (select value
  from json_each(?))
  and "deleted_at" is null
  order by "trace_id"
-- SEARCH traces USING INDEX traces_by_sender (workspace_id=? AND trace_id=?)
-- LIST SUBQUERY 1
--   SCAN json_each VIRTUAL TABLE INDEX 1:

select "trace_ref" as "traceId"
  from "run_traces"
  where "workspace_id" = ?
  and "trace_ref" in (select value
  from json_each(?))
-- SEARCH run_traces USING COVERING INDEX run_traces_of_trace (workspace_id=? AND trace_ref=?)
-- LIST SUBQUERY 1
--   SCAN json_each VIRTUAL TABLE INDEX 1:

insert into traces (workspace_id, id, trace_id, created_at, mapping_version, name, named_by, status, component_id, service, environment, session_id, user_id, tags, links, source, prompts, start_ns, end_ns, span_count, error_count, total_tokens, cost_usd, root_span_id, root_status, root_ns, first_llm_span_id, first_llm_ns, last_llm_span_id, last_llm_ns, field_sources, last_failure_ns, last_answer_ns, usage_scope, model_summary, preview, listed_spans)
  values (…)
  on conflict do nothing

insert into spans (span_id, parent_span_id, name, sent_name, kind, otel_kind, start_ns, end_ns, status, status_message, model, provider, input_tokens, output_tokens, total_tokens, cost_usd, cost_basis, input, input_from, output, output_from, attributes, events, links, notes, resource_scope, sent_status, sent_status_message, workspace_id, trace_id, covered_usage, is_orphan)
  values (…)
  on conflict do nothing

insert into trace_facets (workspace_id, facet, value, trace_id)
  values (…)
  on conflict do nothing

select "workspace_id"
  from "pending_span_events"
  where "workspace_id" = ?
  limit cast(? as integer)
-- SEARCH pending_span_events USING COVERING INDEX pending_span_events_by_age (workspace_id=?)

select "dataset_id", "id", "trace_ref", "provisional"
  from "dataset_items" as "i" indexed by "dataset_items_of_trace"
  where "workspace_id" = ?
  and "trace_ref" in (select value
  from json_each(?))
  and "provisional" > ?
  order by "id"
-- SEARCH i USING INDEX dataset_items_of_trace (workspace_id=? AND trace_ref=?)
-- LIST SUBQUERY 1
--   SCAN json_each VIRTUAL TABLE INDEX 1:
-- USE TEMP B-TREE FOR ORDER BY

insert into trace_hours (workspace_id, hour, newest_id)
  values (…)
  on conflict (workspace_id, hour) do update
  set newest_id = excluded.newest_id
  where trace_hours.newest_id < excluded.newest_id

insert into trace_rollups (workspace_id, hour, component_id, status, service, environment, traces, tokens, cost_usd)
  values (…)
  on conflict (workspace_id, hour, component_id, status, service, environment) do update
  set traces = trace_rollups.traces + excluded.traces, tokens = trace_rollups.tokens + excluded.tokens, cost_usd = trace_rollups.cost_usd + excluded.cost_usd

insert into "workspace_usage" ("workspace_id", "day", "spans", "evaluations", "stored_bytes")
  values (…)
  on conflict ("workspace_id") do update
  set "spans" = excluded.spans + case when excluded.day > workspace_usage.day then 0 else workspace_usage.spans end, "evaluations" = excluded.evaluations + case when excluded.day > workspace_usage.day then 0 else workspace_usage.evaluations end, "stored_bytes" = excluded.stored_bytes + workspace_usage.stored_bytes, "day" = case when excluded.day > workspace_usage.day then excluded.day else workspace_usage.day end
  returning "spans", "evaluations", "stored_bytes"

-- store a span of a trace that is known (POST /v1/traces) --

select "span_id"
  from "spans"
  where "workspace_id" = ?
  and "trace_id" = ?
  and "span_id" in (select value
  from json_each(?))
-- SEARCH spans USING COVERING INDEX sqlite_autoindex_spans_1 (workspace_id=? AND trace_id=? AND span_id=?)
-- LIST SUBQUERY 1
--   SCAN json_each VIRTUAL TABLE INDEX 1:

update "spans"
  set "is_orphan" = ?
  where "workspace_id" = ?
  and "trace_id" = ?
  and "is_orphan" = ?
  and "parent_span_id" in (select value
  from json_each(?))
  returning "parent_span_id", "total_tokens" as "totalTokens", "cost_usd" as "costUsd", "covered_usage" as "covered"
-- SEARCH spans USING INDEX sqlite_autoindex_spans_1 (workspace_id=? AND trace_id=?)
-- LIST SUBQUERY 1
--   SCAN json_each VIRTUAL TABLE INDEX 1:
--   CREATE BLOOM FILTER

update "traces"
  set "name" = ?, "named_by" = ?, "status" = ?, "component_id" = ?, "service" = ?, "environment" = ?, "session_id" = ?, "user_id" = ?, "tags" = ?, "links" = ?, "source" = ?, "prompts" = ?, "start_ns" = ?, "end_ns" = ?, "span_count" = ?, "error_count" = ?, "total_tokens" = ?, "cost_usd" = ?, "root_span_id" = ?, "root_status" = ?, "root_ns" = ?, "first_llm_span_id" = ?, "first_llm_ns" = ?, "last_llm_span_id" = ?, "last_llm_ns" = ?, "field_sources" = ?, "last_failure_ns" = ?, "last_answer_ns" = ?, "usage_scope" = ?, "model_summary" = ?, "preview" = ?, "listed_spans" = ?
  where "workspace_id" = ?
  and "id" = ?
-- SEARCH traces USING INDEX sqlite_autoindex_traces_1 (workspace_id=? AND id=?)

-- one component (GET /components/:id) --

select "id", "name", "description", "workspace_id" as "workspaceId", "created_at" as "createdAt", "updated_at" as "updatedAt"
  from "components"
  where "workspace_id" = ?
  and "id" = ?
  and "deleted_at" is null
-- SEARCH components USING PRIMARY KEY (workspace_id=? AND id=?)

-- list of components (GET /components) --

select "id", "name", "description", "workspace_id" as "workspaceId", "created_at" as "createdAt", "updated_at" as "updatedAt"
  from "components"
  where "workspace_id" = ?
  and "deleted_at" is null
  order by "id" desc
  limit cast(? as integer) offset ?
-- SEARCH components USING PRIMARY KEY (workspace_id=?)

-- list of traces (GET /traces) --

select "t"."id", "t"."trace_id" as "traceId", "t"."name", "t"."status", "c"."id" as "aiComponentId", "c"."name" as "componentName", "t"."total_tokens" as "totalTokens", "t"."cost_usd" as "costUsd", t.start_ns / 1000000 as "startMs", t.end_ns / 1000000 as "endMs", t.end_ns - t.start_ns as "durationNs"
  from "traces" as "t"
  left join "components" as "c" on "c"."workspace_id" = "t"."workspace_id"
  and "c"."id" = "t"."component_id"
  and "c"."deleted_at" is null
  where "t"."workspace_id" = ?
  and (t.deleted_at is null) is true
  and 1 = 1
  order by "t"."id" desc
  limit cast(? as integer) offset ?
-- SEARCH t USING INDEX sqlite_autoindex_traces_1 (workspace_id=?)
-- SEARCH c USING PRIMARY KEY (workspace_id=? AND id=?) LEFT-JOIN

select cast((select coalesce(sum(h.traces), 0) as "traces"
  from "trace_rollups" as "h"
  where "h"."workspace_id" = ?
  and "h"."hour" = ?) as bigint) as total
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH h USING PRIMARY KEY (workspace_id=? AND hour=?)

-- list of traces by start (GET /traces?sort) --

select "t"."id", cast(t.start_ns as text) as "value"
  from "traces" as "t" indexed by "traces_by_start"
  where "t"."workspace_id" = ?
  and (t.deleted_at is null) is true
  and 1 = 1
  order by "t"."start_ns" desc, "t"."id" desc
  limit cast(? as integer)
-- SEARCH t USING INDEX traces_by_start (workspace_id=?)

select "t"."id", "t"."trace_id" as "traceId", "t"."name", "t"."status", "c"."id" as "aiComponentId", "c"."name" as "componentName", "t"."total_tokens" as "totalTokens", "t"."cost_usd" as "costUsd", t.start_ns / 1000000 as "startMs", t.end_ns / 1000000 as "endMs", t.end_ns - t.start_ns as "durationNs", "t"."session_id" as "sessionId", "t"."user_id" as "userId", "t"."service", "t"."environment", "t"."tags", "t"."source", "t"."prompts", "t"."span_count" as "spanCount", "t"."error_count" as "errorCount", "t"."root_span_id" as "rootSpanId", "t"."first_llm_span_id" as "firstLlmSpanId", "t"."last_llm_span_id" as "lastLlmSpanId", "t"."created_at" as "createdAt", case when t.listed_spans = t.span_count then t.model_summary end as "modelSummary", case when t.listed_spans = t.span_count
  and t.mapping_version between 3
  and 4 then t.preview end as "preview"
  from "traces" as "t"
  left join "components" as "c" on "c"."workspace_id" = "t"."workspace_id"
  and "c"."id" = "t"."component_id"
  and "c"."deleted_at" is null
  where "t"."deleted_at" is null
  and "t"."workspace_id" = ?
  and "t"."id" in (select value
  from json_each(?))
-- SEARCH t USING INDEX sqlite_autoindex_traces_1 (workspace_id=? AND id=?)
-- LIST SUBQUERY 1
--   SCAN json_each VIRTUAL TABLE INDEX 1:
-- SEARCH c USING PRIMARY KEY (workspace_id=? AND id=?) LEFT-JOIN

-- list of traces, filtered (GET /traces?status&service&session_id&start_after) --

select "t"."id", "t"."trace_id" as "traceId", "t"."name", "t"."status", "c"."id" as "aiComponentId", "c"."name" as "componentName", "t"."total_tokens" as "totalTokens", "t"."cost_usd" as "costUsd", t.start_ns / 1000000 as "startMs", t.end_ns / 1000000 as "endMs", t.end_ns - t.start_ns as "durationNs"
  from "trace_facets" as "f" cross join "traces" as "t"
  left join "components" as "c" on "c"."workspace_id" = "t"."workspace_id"
  and "c"."id" = "t"."component_id"
  and "c"."deleted_at" is null
  where "f"."workspace_id" = ?
  and "f"."facet" = ?
  and "f"."value" = ?
  and "t"."id" = "f"."trace_id"
  and "t"."workspace_id" = ?
  and (t.deleted_at is null) is true
  and ("t"."status" = 'error'
  and +"t"."start_ns" >= ?
  and "t"."service" = ?
  and "t"."session_id" = ?)
  order by "f"."trace_id" desc
  limit cast(? as integer) offset ?
-- SEARCH f USING PRIMARY KEY (workspace_id=? AND facet=? AND value=?)
-- SEARCH t USING INDEX sqlite_autoindex_traces_1 (workspace_id=? AND id=?)
-- SEARCH c USING PRIMARY KEY (workspace_id=? AND id=?) LEFT-JOIN

select cast((select count(*) as "count"
  from "trace_facets" as "f" cross join "traces" as "t"
  where "f"."workspace_id" = ?
  and "f"."facet" = ?
  and "f"."value" = ?
  and "t"."id" = "f"."trace_id"
  and "t"."workspace_id" = ?
  and (t.deleted_at is null) is true
  and ("t"."status" = 'error'
  and "t"."start_ns" >= ?
  and "t"."service" = ?
  and "t"."session_id" = ?)) as bigint) as total
-- SCAN CONSTANT ROW
-- SCALAR SUBQUERY 1
--   SEARCH f USING PRIMARY KEY (workspace_id=? AND facet=? AND value=?)
--   SEARCH t USING INDEX sqlite_autoindex_traces_1 (workspace_id=? AND id=?)

-- spans of a trace (GET /traces/:id) --

select "t"."id", "t"."trace_id" as "traceId", "t"."name", "t"."status", "c"."id" as "aiComponentId", "c"."name" as "componentName", "t"."total_tokens" as "totalTokens", "t"."cost_usd" as "costUsd", t.start_ns / 1000000 as "startMs", t.end_ns / 1000000 as "endMs", t.end_ns - t.start_ns as "durationNs", "t"."session_id" as "sessionId", "t"."user_id" as "userId", "t"."tags", "t"."span_count" as "spanCount", "t"."root_span_id" as "rootSpanId", "t"."first_llm_span_id" as "firstLlmSpanId", "t"."last_llm_span_id" as "lastLlmSpanId", "t"."created_at" as "createdAt"
  from "traces" as "t"
  left join "components" as "c" on "c"."workspace_id" = "t"."workspace_id"
  and "c"."id" = "t"."component_id"
  and "c"."deleted_at" is null
  where "t"."deleted_at" is null
  and "t"."workspace_id" = ?
  and "t"."trace_id" = ?
-- SEARCH t USING INDEX traces_by_sender (workspace_id=? AND trace_id=?)
-- SEARCH c USING PRIMARY KEY (workspace_id=? AND id=?) LEFT-JOIN

select "span_id" as "spanId", "parent_span_id" as "parentSpanId", "name", "sent_name" as "sentName", "kind", "status", "status_message" as "statusMessage", "sent_status" as "sentStatus", "sent_status_message" as "sentStatusMessage", "model", "provider", "input_tokens" as "inputTokens", "output_tokens" as "outputTokens", "total_tokens" as "totalTokens", "cost_usd" as "costUsd", "cost_basis" as "costBasis", "input", "input_from" as "inputFrom", "output", "output_from" as "outputFrom", "attributes", "events", "links", "notes", "resource_scope", s.start_ns / 1000000 as "startMs", s.end_ns / 1000000 as "endMs", s.end_ns - s.start_ns as "durationNs"
  from "spans" as "s"
  where "workspace_id" = ?
  and "trace_id" = ?
  and (select sum(coalesce(octet_length("input"), 0) + coalesce(octet_length("output"), 0) + coalesce(octet_length("attributes"), 0) + coalesce(octet_length("events"), 0) + coalesce(octet_length("links"), 0)) as "bytes"
  from "spans"
  where "workspace_id" = ?
  and "trace_id" = ?) <= ?
  order by "start_ns", "position"
-- SEARCH s USING INDEX sqlite_autoindex_spans_1 (workspace_id=? AND trace_id=?)
-- SCALAR SUBQUERY 1
--   SEARCH spans USING INDEX sqlite_autoindex_spans_1 (workspace_id=? AND trace_id=?)
-- USE TEMP B-TREE FOR ORDER BY

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
  and "r"."workspace_id" = ?
  and "r"."component_id" = ?
  and "r"."id" = ?
-- SEARCH r USING PRIMARY KEY (workspace_id=? AND id=?)
-- SEARCH d USING PRIMARY KEY (workspace_id=? AND id=?)
-- SEARCH c USING PRIMARY KEY (workspace_id=? AND id=?)

select "raters_per_item", "is_blind", "ratings"
  from "annotation_policies"
  where "workspace_id" = ?
  and "run_id" = ?
-- SEARCH annotation_policies USING INDEX sqlite_autoindex_annotation_policies_1 (workspace_id=? AND run_id=?)

select "id"
  from "annotations"
  where "workspace_id" = ?
  and "run_id" = ?
  and "trace_ref" = ?
  and ("annotations"."rating" is not null
  and "annotations"."rating" <> '')
  and "user_id" = ?
-- SEARCH annotations USING INDEX annotations_of_rater (workspace_id=? AND run_id=? AND user_id=? AND trace_ref=? AND rating>?)

select "ratings", "is_ordered"
  from "rating_schemes"
  where "workspace_id" = ?
-- SEARCH rating_schemes USING INDEX sqlite_autoindex_rating_schemes_1 (workspace_id=?)

insert into "annotations" ("workspace_id", "id", "run_id", "trace_ref", "user_id", "created_at", "given_ref", "rating", "comment", "corrected_output", "updated_at")
  values (…)
  on conflict ("workspace_id", "run_id", "trace_ref", "user_id") do nothing

select "id", "trace_ref" as "traceRef", "given_ref" as "givenRef", "user_id" as "userId", "rating", "comment", "corrected_output" as "correctedOutput", "created_at" as "createdAt", "updated_at" as "updatedAt"
  from "annotations"
  where "workspace_id" = ?
  and "run_id" = ?
  and "trace_ref" = ?
  and "user_id" = ?
-- SEARCH annotations USING INDEX sqlite_autoindex_annotations_2 (workspace_id=? AND run_id=? AND trace_ref=? AND user_id=?)

update "annotations"
  set "given_ref" = ?, "rating" = ?, "comment" = ?, "corrected_output" = ?, "updated_at" = ?
  where "workspace_id" = ?
  and "id" = ?
-- SEARCH annotations USING INDEX sqlite_autoindex_annotations_1 (workspace_id=? AND id=?)

-- claim jobs --

insert into "jobs" ("workspace_id", "id", "kind", "payload", "state", "attempts", "fence", "run_at", "lease_owner", "lease_until", "last_error", "created_at")
  values (…)

with "turns" as (select "j"."id", row_number() over(partition by "j"."workspace_id"
  order by "j"."run_at", "j"."id") + (select count(*) as "count"
  from "jobs" as "r"
  where "r"."workspace_id" = "j"."workspace_id"
  and "r"."state" = ?
  and "r"."lease_until" >= ?) as "turn"
  from "jobs" as "j"
  where (("j"."state" = ?
  and "j"."run_at" <= ?) or ("j"."state" = ?
  and "j"."run_at" > ?) or ("j"."state" = ?
  and "j"."lease_until" < ?))), "due" as (select "j"."id"
  from "jobs" as "j"
  inner join "turns" on "turns"."id" = "j"."id"
  where (("j"."state" = ?
  and "j"."run_at" <= ?) or ("j"."state" = ?
  and "j"."run_at" > ?) or ("j"."state" = ?
  and "j"."lease_until" < ?))
  order by "turns"."turn", "j"."run_at"
  limit cast(? as integer) ) update "jobs"
  set "state" = ?, "lease_owner" = ?, "lease_until" = ?, "fence" = "fence" + ?, "attempts" = "attempts" + ?
  where "id" in (select "due"."id"
  from "due")
  returning "workspace_id" as "workspaceId", "id", "kind", "payload", "attempts" as "attempt", "fence"
-- SCAN jobs
-- LIST SUBQUERY 4
--   MATERIALIZE turns
--     CO-ROUTINE (subquery-5)
--       SCAN j USING INDEX sqlite_autoindex_jobs_1
--       USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY
--     SCAN (subquery-5)
--     CORRELATED SCALAR SUBQUERY 1
--       SEARCH r USING INDEX sqlite_autoindex_jobs_1 (workspace_id=?)
--   SCAN j
--   SEARCH turns USING AUTOMATIC COVERING INDEX (id=?)
--   USE TEMP B-TREE FOR ORDER BY
