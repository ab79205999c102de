/** The tables of annotations and of the annotation workspace. `tables.ts` has the others. */

export type Annotations = {
  workspace_id: string
  id: string
  run_id: string
  trace_ref: string
  given_ref: string | null
  user_id: string
  rating: string | null
  comment: string | null
  /** The output that the author would have expected. */
  corrected_output: string | null
  created_at: string
  updated_at: string
}

/** The ratings of the application, as JSON. */
export type RatingSchemes = { workspace_id: string; ratings: string; is_ordered: number; updated_at: string }

export type AnnotationPolicies = {
  workspace_id: string
  run_id: string
  raters_per_item: number | null
  is_blind: number
  /** JSON list of the ratings that are allowed; null: any. */
  ratings: string | null
  updated_at: string
}

/** Which user is annotating which trace, and until when the trace is not assigned to others. A user may have several. */
export type AnnotationLeases = {
  workspace_id: string
  run_id: string
  trace_ref: string
  user_id: string
  lease_until: string
}

/** The traces that a user has skipped: the queue returns them after all others. */
export type AnnotationSkips = {
  workspace_id: string
  run_id: string
  user_id: string
  trace_ref: string
  skipped_at: string
}

/** The traces that the queue drew at random. `pool` is the number of traces that could have been drawn. */
export type AnnotationDraws = {
  workspace_id: string
  run_id: string
  trace_ref: string
  probability: number
  pool: number
  drawn_at: string
}

/** The changes that a user can undo, newest last. Deleted after a day. */
export type AnnotationChanges = {
  workspace_id: string
  id: string
  run_id: string
  user_id: string
  trace_ref: string
  /** The annotation before the change, as JSON; null if there was none. */
  former: string | null
  created_at: string
}

/** Annotations outside of runs. `trace_id` is our id: the row is deleted with the trace. */
export type TraceAnnotations = {
  workspace_id: string
  id: string
  trace_id: string
  user_id: string
  rating: string | null
  comment: string | null
  corrected_output: string | null
  created_at: string
  updated_at: string
}

/** Comments on a trace, or on one of its spans. */
export type TraceComments = {
  workspace_id: string
  trace_id: string
  id: string
  span_id: string | null
  user_id: string
  body: string
  created_at: string
  updated_at: string
}

/** The rating that settles a disagreement. The ratings themselves stay. */
export type DisagreementResolutions = {
  workspace_id: string
  run_id: string
  trace_ref: string
  user_id: string
  rating: string
  note: string | null
  created_at: string
  updated_at: string
}
