import type { Selectable } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { prepared, selectScoped } from '../storage/query-building.ts'
import type { Tables } from '../storage/tables.ts'
import type { Split } from './choose-version.ts'

export type LabelScope = { workspaceId: string; promptId: string; label: string }

export type Label = {
  name: string
  change: number
  seed: number
  splits: Split[]
  protection: { minRole: 'editor' | 'admin' }
  changedBy: string
  changedAt: string
}

/** What a label serves. */
export type LabelState = Pick<Label, 'seed' | 'splits'>

export type LabelChange = {
  change: number
  kind: 'moved' | 'rolledBack' | 'deleted'
  undoes: number | null
  before: LabelState | null
  after: LabelState | null
  note: string | null
  changedBy: string
  changedAt: string
}

const LABEL_COLUMNS = ['name', 'change_number', 'seed', 'splits', 'min_role', 'changed_by', 'changed_at'] as const

const CHANGE_COLUMNS = ['number', 'kind', 'undoes', 'before', 'after', 'note', 'user_id', 'created_at'] as const

/** All labels of a prompt, also those that serve nothing. There are few. */
const findLabelRows = prepared<{ workspaceId: string; promptId: string }>()((q, value) =>
  selectScoped(q, 'prompt_labels', { workspace_id: value('workspaceId'), prompt_id: value('promptId') })
    .select(LABEL_COLUMNS)
    .orderBy('name'),
)

/** Those that serve something or are protected, by name. */
export async function findLabels(q: Queries, scope: { workspaceId: string; promptId: string }): Promise<Label[]> {
  return (await findLabelRows(q, scope)).map(toLabel).filter(isListed)
}

/** The same of several prompts. */
export async function findLabelsOfPrompts(
  q: Queries,
  { workspaceId, promptIds }: { workspaceId: string; promptIds: readonly string[] },
): Promise<Map<string, Label[]>> {
  if (promptIds.length === 0) return new Map()
  const rows = await selectScoped(q, 'prompt_labels', { workspace_id: workspaceId })
    .select(['prompt_id', ...LABEL_COLUMNS])
    .where('prompt_id', 'in', promptIds)
    .orderBy('name')
    .execute()
  const byPrompt = Map.groupBy(rows, (row) => row.prompt_id)
  return new Map([...byPrompt].map(([promptId, own]) => [promptId, own.map(toLabel).filter(isListed)]))
}

/** A label that was deleted and is not protected is not listed, and does not count. */
export function isListed({ splits, protection }: Label): boolean {
  return splits.length > 0 || protection.minRole !== 'editor'
}

/** Also one that serves nothing. */
export async function findLabel(q: Queries, { workspaceId, promptId, label }: LabelScope): Promise<Label | undefined> {
  const row = await selectScoped(q, 'prompt_labels', { workspace_id: workspaceId, prompt_id: promptId, name: label })
    .select(LABEL_COLUMNS)
    .executeTakeFirst()
  return row && toLabel(row)
}

/** Inserts or updates a label of a locked prompt. */
export async function saveLabel(
  tx: Queries,
  { workspaceId, promptId }: Omit<LabelScope, 'label'>,
  label: Label,
): Promise<void> {
  const values = {
    change_number: label.change,
    seed: label.seed,
    splits: label.splits.length === 0 ? null : JSON.stringify(label.splits),
    min_role: label.protection.minRole,
    changed_by: label.changedBy,
    changed_at: label.changedAt,
  }
  await tx
    .insertInto('prompt_labels')
    .values({ workspace_id: workspaceId, prompt_id: promptId, name: label.name, ...values })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'prompt_id', 'name']).doUpdateSet(values))
    .execute()
}

export async function insertLabelChange(
  tx: Queries,
  { workspaceId, promptId, label }: LabelScope,
  change: LabelChange & { id: string },
): Promise<void> {
  await tx
    .insertInto('prompt_label_changes')
    .values({
      workspace_id: workspaceId,
      id: change.id,
      prompt_id: promptId,
      label,
      number: change.change,
      kind: change.kind,
      undoes: change.undoes,
      before: change.before && JSON.stringify(change.before),
      after: change.after && JSON.stringify(change.after),
      note: change.note,
      user_id: change.changedBy,
      created_at: change.changedAt,
    })
    .execute()
}

/** Newest first. One more than the limit, to find out whether there are more. */
export async function listLabelChangesBefore(
  q: Queries,
  { workspaceId, promptId, label, before, limit }: LabelScope & { before: number | undefined; limit: number },
): Promise<LabelChange[]> {
  let changes = selectScoped(q, 'prompt_label_changes', {
    workspace_id: workspaceId,
    prompt_id: promptId,
    label,
  }).select(CHANGE_COLUMNS)
  if (before !== undefined) changes = changes.where('number', '<', before)
  const rows = await changes
    .orderBy('number', 'desc')
    .limit(limit + 1)
    .execute()
  return rows.map(toChange)
}

/** The newest change that is neither a rollback nor undone by one. */
export async function findChangeToUndo(
  q: Queries,
  { workspaceId, promptId, label }: LabelScope,
): Promise<LabelChange | undefined> {
  const row = await q
    .selectFrom('prompt_label_changes as c')
    .select(CHANGE_COLUMNS)
    .where('workspace_id', '=', workspaceId)
    .where('prompt_id', '=', promptId)
    .where('label', '=', label)
    .where('kind', '<>', 'rolledBack')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('prompt_label_changes as r')
            .select('r.id')
            .whereRef('r.workspace_id', '=', 'c.workspace_id')
            .whereRef('r.prompt_id', '=', 'c.prompt_id')
            .whereRef('r.label', '=', 'c.label')
            .whereRef('r.number', '>', 'c.number')
            .whereRef('r.undoes', '=', 'c.number'),
        ),
      ),
    )
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && toChange(row)
}

function toLabel(row: Pick<Selectable<Tables['prompt_labels']>, (typeof LABEL_COLUMNS)[number]>): Label {
  return {
    name: row.name,
    change: row.change_number,
    seed: row.seed,
    splits: row.splits === null ? [] : JSON.parse(row.splits),
    protection: { minRole: row.min_role },
    changedBy: row.changed_by,
    changedAt: row.changed_at,
  }
}

function toChange(row: Pick<Selectable<Tables['prompt_label_changes']>, (typeof CHANGE_COLUMNS)[number]>): LabelChange {
  return {
    change: row.number,
    kind: row.kind,
    undoes: row.undoes,
    before: row.before === null ? null : JSON.parse(row.before),
    after: row.after === null ? null : JSON.parse(row.after),
    note: row.note,
    changedBy: row.user_id,
    changedAt: row.created_at,
  }
}
