/** The tables of experiments. `tables.ts` has the others. */
import type { Generated } from 'kysely'

/**
 * `phase` is what the job does next. `ended_by` is why the search ended, and `reason` the same for people. `plan`, `validation`, `results` and
 * `items` are JSON. `call_max_nano_usd` is the most that one call has been reserved at.
 */
export type Experiments = {
  workspace_id: string
  id: string
  component_id: string
  dataset_id: string
  /** No foreign key: an experiment that has ended stays readable when its prompt is deleted. */
  prompt_id: string
  name: string | null
  status: 'pending' | 'running' | 'completed' | 'failed'
  phase: 'created' | 'searching' | 'choosing' | 'testing' | 'ended'
  ended_by: 'nothingToImprove' | 'patience' | 'calls' | 'budget' | 'time' | 'stopped' | 'canceled' | null
  reason: string | null
  error: string | null
  max_nano_usd: number | null
  /** What its own calls have cost; those of the trial that opens the test split are counted there. */
  spent_nano_usd: Generated<number>
  call_max_nano_usd: Generated<number>
  /** Of its own calls; once it is completed, with those of the trial and its evaluations, which may be deleted. */
  tokens_used: Generated<number>
  user_id: string
  trial_id: string | null
  ends_at: string | null
  started_at: string | null
  completed_at: string | null
  created_at: string
  updated_at: string
  deleted_at: string | null
  plan: string
  validation: string | null
  results: string | null
  items: string
}

/** `parents` and `sample` are JSON lists, `content` the JSON list of messages, null until it is proposed. */
export type ExperimentIterations = {
  workspace_id: string
  experiment_id: string
  number: number
  parents: string
  round: number
  kind: 'start' | 'reflection' | 'demonstrations' | 'combination' | 'merge'
  step: 'sampling' | 'reflecting' | 'composing' | 'screening' | 'screened' | 'validating' | 'ended'
  state: 'proposed' | 'rejected' | 'screened' | 'validated' | 'finalist'
  fate: string | null
  reason: string | null
  content_hash: string | null
  /** Of the prompt, once it is a finalist. */
  version: number | null
  created_at: string
  sample: string
  diagnosis: string | null
  content: string | null
  /** Ids of items as a JSON list; null without any. */
  demonstrations: Generated<string | null>
}

/** What an experiment was described with before it was planned, as JSON: see `src/experiments/promptic`. */
export type ExperimentSettings = { workspace_id: string; experiment_id: string; settings: string }

/** Of a described experiment. `config` is JSON. */
export type ExperimentEvaluators = {
  workspace_id: string
  experiment_id: string
  id: string
  name: string
  description: string | null
  type: string
  weight: number
  scale_min: number
  scale_max: number
  created_at: string
  updated_at: string
  config: string | null
}

/**
 * `value` is the score by which the search chooses, from 0 to 1; `scores` has those of all evaluators as JSON. `trace_id` is that of the attempt
 * that ended the call, in the form of the sender; null if none was stored.
 */
export type ExperimentCalls = {
  workspace_id: string
  experiment_id: string
  number: number
  kind: 'train' | 'validation' | 'reflection'
  iteration: number
  item_id: string | null
  state: 'queued' | 'running' | 'retrying' | 'done' | 'failed' | 'skipped'
  errors: Generated<number>
  due_at: Generated<string | null>
  nano_usd: Generated<number>
  /** What a request that has no answer yet may cost. */
  reserved_nano_usd: Generated<number>
  value: Generated<number | null>
  reason: Generated<string | null>
  scores: Generated<string | null>
  output: Generated<string | null>
  attempt: Generated<number>
  trace_id: Generated<string | null>
  /** Of the model, from the first request to the last answer. */
  duration_ms: Generated<number | null>
}
