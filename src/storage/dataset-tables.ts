import type { Generated } from 'kysely'

export type Datasets = {
  workspace_id: string
  id: string
  component_id: string
  name: string
  description: string | null
  item_count: number
  /** The field of the items' metadata that names their group. */
  group_by: Generated<string | null>
  /** The highest that an item has or had: numbers are never used again. */
  last_case_number: Generated<number>
  /** When its test split was drawn again; null if it never was. */
  test_drawn_at: Generated<string | null>
  /** How often the test splits before had decided; null as zero. */
  earlier_openings: Generated<number | null>
  created_at: string
  /** When an item was added, changed or deleted last, and by which user; null for changes by spans. */
  changed_at: Generated<string | null>
  changed_by: Generated<string | null>
  deleted_at: string | null
}

/** `trace_ref` is an id as the client sent it, of a trace that may not have arrived yet. */
export type DatasetItems = {
  workspace_id: string
  dataset_id: string
  id: string
  trace_ref: string | null
  /** JSON text where structured, like a trace's own; null until the trace has arrived. */
  input: string | null
  input_hash: string | null
  output: string | null
  expected: string | null
  metadata: string | null
  /** The texts that were read before the trace's root had arrived, and that the root replaces: 1 for the input, 2 for the output. */
  provisional: Generated<number>
  /** 1 if the item exists only because a span named the dataset. */
  from_spans: Generated<number>
  split: Generated<'train' | 'validation' | 'test' | null>
  /** The import that added the item. No foreign key: the items of a dataset are deleted before its imports. */
  import_id: Generated<string | null>
  created_at: string
  created_by: Generated<string | null>
  changed_at: Generated<string | null>
  changed_by: Generated<string | null>
  /** Unique in the dataset; null for items that an older server has added. */
  case_number: Generated<number | null>
  /** Given by the client of a case. */
  case_index: Generated<number | null>
  /** How the client of a case has sent `expected`: see `case-content.ts`. */
  case_form: Generated<number | null>
}

/** Reads of the test split: an evaluation, or two runs with the evaluations that were compared. */
export type TestOpenings = {
  workspace_id: string
  dataset_id: string
  subject: string
  opened_at: string
}

/** A file that was imported. The counts are those of the import; items can be changed and deleted afterwards. */
export type DatasetImports = {
  workspace_id: string
  dataset_id: string
  id: string
  user_id: string
  file_name: string | null
  format: 'csv' | 'jsonl' | 'json'
  row_count: number
  imported_count: number
  bad_count: number
  duplicate_count: number
  created_at: string
  undone_at: string | null
  undone_by: string | null
  removed_count: number | null
  kept_count: number | null
}
