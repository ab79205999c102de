/** The annotations, comments and resolutions that changed last, for the events of an application. Adds indexes only. */
export function newestChanges(): string[] {
  return [
    'create index trace_annotations_by_change on trace_annotations (workspace_id, updated_at)',
    'create index trace_comments_by_change on trace_comments (workspace_id, updated_at)',
    'create index disagreement_resolutions_by_change on disagreement_resolutions (workspace_id, updated_at)',
  ]
}
