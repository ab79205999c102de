/** The tables of trials. `tables.ts` has the others. */
import type { Generated } from 'kysely'

/**
 * `phase` is what the job does next; the status follows from it. `plan` is JSON. `item_ids` is a JSON list of the items, in the order of
 * their calls, until all calls are rows: the plan is fixed when the trial is created. `results` is JSON, written at the end.
 */
export type Trials = {
  workspace_id: string
  id: string
  component_id: string
  dataset_id: string
  name: string | null
  status: 'pending' | 'running' | 'completed' | 'failed'
  phase: 'planning' | 'requeuing' | 'calling' | 'evaluating' | 'ended'
  ended_by: 'done' | 'decided' | 'futile' | 'budget' | 'time' | 'canceled' | null
  error: string | null
  calls_total: number
  /** How many calls are rows. */
  calls_planned: number
  /** The last call that may begin before the next look; all of them without looks. */
  calls_until: number
  max_nano_usd: number | null
  user_id: string
  /** When the time of its plan ends; null before it begins. */
  ends_at: string | null
  started_at: string | null
  completed_at: string | null
  created_at: string
  updated_at: string
  deleted_at: string | null
  plan: string
  results: Generated<string | null>
  item_ids: string | null
  /** The looks so far, as JSON. */
  looks: Generated<string | null>
  /** Null also of trials that an older server has canceled. */
  canceled_by: Generated<string | null>
}

/** `target` is JSON. `queue` is set if workers fetch the calls. A variant with a `broken_reason` gets no more calls. */
export type TrialVariants = {
  workspace_id: string
  trial_id: string
  number: number
  name: string
  target_type: 'prompt' | 'http' | 'worker' | 'recorded'
  queue: string | null
  target: string
  /** No foreign keys: a trial keeps its counts when a run or an evaluation is deleted. */
  run_id: string
  evaluation_id: string | null
  broken_reason: string | null
  /** Why a look has ended the variant: it gets no more calls. */
  ended_by: Generated<'decided' | 'futile' | null>
  calls_total: number
  calls_done: number
  calls_failed: number
  calls_skipped: number
  spent_nano_usd: number
  /** Of the models that the server has asked. */
  tokens_used: Generated<number>
  /** Of the evaluations that a retry has replaced. */
  judges_nano_usd: Generated<number>
}

/**
 * The calls of an item follow each other, by variant and repetition, so `number` contains all three. The id of the trace is computed from
 * the key and `attempt` (`call-trace-id.ts`). `errors` counts only errors of the call itself, which are limited.
 */
export type TrialCalls = {
  workspace_id: string
  trial_id: string
  number: number
  variant: number
  item_id: string
  repetition: number
  state: 'queued' | 'running' | 'retrying' | 'done' | 'failed' | 'skipped'
  attempt: Generated<number>
  errors: Generated<number>
  /** When a call that is retried may be sent. */
  due_at: Generated<string | null>
  /** The lease of the worker that has it, or had it last. */
  lease: Generated<string | null>
  lease_until: Generated<string | null>
  /** When its last attempt began. */
  started_at: Generated<string | null>
  /** What it has cost, with all attempts. */
  nano_usd: Generated<number>
  /** What a request of the server that has no answer yet may cost. */
  reserved_nano_usd: Generated<number>
  duration_ms: Generated<number | null>
  reason: Generated<string | null>
  is_retryable: Generated<number | null>
  /** What a look has found of an answer, by the evaluator that decides. */
  score_state: Generated<'scored' | 'failed' | 'skipped' | null>
  score: Generated<number | null>
}
