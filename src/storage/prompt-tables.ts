/** The tables of prompts. `tables.ts` has the others. */

/**
 * `last_number` is that of the newest version, also if it was deleted: numbers are never used again. `label_changes` counts the changes of
 * all labels: what they serve is the same as long as it is.
 */
export type Prompts = {
  workspace_id: string
  id: string
  component_id: string
  name: string
  description: string | null
  last_number: number
  label_changes: number
  created_at: string
  /** Of the prompt, its versions or its labels. */
  updated_at: string
  deleted_at: string | null
}

/** `content`, `variables` and `placeholders` are JSON. */
export type PromptVersions = {
  workspace_id: string
  prompt_id: string
  number: number
  content: string
  content_hash: string
  variables: string
  placeholders: string
  note: string | null
  source_kind: 'person' | 'experiment'
  source_id: string | null
  created_by: string
  created_at: string
  deleted_at: string | null
}

/**
 * `splits` is a JSON list; null while the label serves nothing. `seed` is the number of the change at which its set of versions began.
 * The columns of the gate are all null or none of them is.
 */
export type PromptLabels = {
  workspace_id: string
  prompt_id: string
  name: string
  change_number: number
  seed: number
  splits: string | null
  min_role: 'editor' | 'admin'
  gate_dataset_id: string | null
  gate_metric: string | null
  gate_margin: number | null
  gate_max_age_days: number | null
  changed_by: string
  changed_at: string
}

/**
 * Append-only. `before` and `after` are JSON with seed and splits; null if the label served nothing. `undoes` is set for rollbacks.
 * `evidence` is a JSON list of the verdicts that the change rests on; null if it needed none.
 */
export type PromptLabelChanges = {
  workspace_id: string
  id: string
  prompt_id: string
  label: string
  number: number
  kind: 'moved' | 'rolledBack' | 'deleted'
  undoes: number | null
  before: string | null
  after: string | null
  note: string | null
  evidence: string | null
  user_id: string
  created_at: string
}
