import type { ExpressionBuilder, Selectable } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { prepared, selectScoped } from '../storage/query-building.ts'
import type { Tables } from '../storage/tables.ts'
import type { Split } from './choose-version.ts'
import type { Evidence, LabelGate } from './evidence-schemas.ts'

export type LabelScope = { workspaceId: string; promptId: string; label: string }

export type Label = {
  name: string
  change: number
  seed: number
  splits: Split[]
  protection: { minRole: 'editor' | 'admin'; gate: LabelGate | null }
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
  evidence: Evidence[]
  changedBy: string
  changedAt: string
}

const LABEL_COLUMNS = [
  'name',
  'change_number',
  'seed',
  'splits',
  'min_role',
  'gate_dataset_id',
  'gate_metric',
  'gate_margin',
  'gate_max_age_days',
  'changed_by',
  'changed_at',
] as const

const CHANGE_COLUMNS = [
  'number',
  'kind',
  'undoes',
  'before',
  'after',
  'note',
  'evidence',
  'user_id',
  'created_at',
] as const

/** As `isListed`. Those that were deleted stay for their history, and there may be any number of them. */
const isListedRow = (eb: ExpressionBuilder<Tables, 'prompt_labels'>) =>
  eb.or([eb('splits', 'is not', null), eb('min_role', '<>', 'editor'), eb('gate_dataset_id', 'is not', null)])

const findLabelRows = prepared<{ workspaceId: string; promptId: string }>()((q, value) =>
  selectScoped(q, 'prompt_labels', { workspace_id: value('workspaceId'), prompt_id: value('promptId') })
    .select(LABEL_COLUMNS)
    .where(isListedRow)
    .orderBy('name'),
)

/** Those that serve something or are protected, by name. */
export async function findLabels(q: Queries, scope: { workspaceId: string; promptId: string }): Promise<Label[]> {
  return (await findLabelRows(q, scope)).map(toLabel)
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
    .where(isListedRow)
    .orderBy('name')
    .execute()
  const byPrompt = Map.groupBy(rows, (row) => row.prompt_id)
  return new Map([...byPrompt].map(([promptId, own]) => [promptId, own.map(toLabel)]))
}

/** A label that was deleted and is not protected is not listed, and does not count. */
export function isListed(label: Label): boolean {
  return label.splits.length > 0 || isProtected(label)
}

export function isProtected({ protection: { minRole, gate } }: Pick<Label, 'protection'>): boolean {
  return minRole !== 'editor' || gate !== null
}

/** In the order in which they are, which decides who gets which version. */
export function describeSplits(splits: readonly Split[]): string {
  return splits.map(({ version, weight }) => `${weight} % version ${version}`).join(', ')
}

/** Also one that serves nothing. */
export async function findLabel(q: Queries, { workspaceId, promptId, label }: LabelScope): Promise<Label | undefined> {
  const row = await selectScoped(q, 'prompt_labels', { workspace_id: workspaceId, prompt_id: promptId, name: label })
    .select(LABEL_COLUMNS)
    .executeTakeFirst()
  return row && toLabel(row)
}

/** The active labels whose gates compare on a dataset, with their prompts, by name. */
export async function listLabelsGatedBy(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
): Promise<{ prompt: string; label: string }[]> {
  return q
    .selectFrom('prompt_labels as l')
    .innerJoin('prompts as p', (join) =>
      join.onRef('p.workspace_id', '=', 'l.workspace_id').onRef('p.id', '=', 'l.prompt_id'),
    )
    .select(['p.name as prompt', 'l.name as label'])
    .where('l.workspace_id', '=', workspaceId)
    .where('l.gate_dataset_id', '=', datasetId)
    .where('p.deleted_at', 'is', null)
    .orderBy('p.name')
    .orderBy('l.name')
    .execute()
}

/** Inserts or updates a label of a locked prompt. */
export async function saveLabel(
  tx: Queries,
  { workspaceId, promptId }: Omit<LabelScope, 'label'>,
  label: Label,
): Promise<void> {
  const { gate } = label.protection
  const values = {
    change_number: label.change,
    seed: label.seed,
    splits: label.splits.length === 0 ? null : JSON.stringify(label.splits),
    min_role: label.protection.minRole,
    gate_dataset_id: gate?.datasetId ?? null,
    gate_metric: gate?.metric ?? null,
    gate_margin: gate?.margin ?? null,
    gate_max_age_days: gate?.maxAgeDays ?? null,
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
      evidence: change.evidence.length === 0 ? null : JSON.stringify(change.evidence),
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

type LabelRow = Pick<Selectable<Tables['prompt_labels']>, (typeof LABEL_COLUMNS)[number]>

function toLabel(row: LabelRow): Label {
  return {
    name: row.name,
    change: row.change_number,
    seed: row.seed,
    splits: row.splits === null ? [] : JSON.parse(row.splits),
    protection: { minRole: row.min_role, gate: toGate(row) },
    changedBy: row.changed_by,
    changedAt: row.changed_at,
  }
}

function toGate(row: LabelRow): LabelGate | null {
  const { gate_dataset_id: datasetId, gate_metric: metric, gate_margin: margin, gate_max_age_days: maxAgeDays } = row
  if (datasetId === null || metric === null || margin === null || maxAgeDays === null) return null
  return { datasetId, metric, margin, maxAgeDays }
}

export function readEvidence(stored: string | null): Evidence[] {
  const evidence: Evidence[] = stored === null ? [] : JSON.parse(stored)
  return evidence.map((one) => ({ ...WITHOUT_COUNTS, ...one }))
}

/** Older servers stored no counts. */
const WITHOUT_COUNTS = { wins: null, ties: null, losses: null }

function toChange(row: Pick<Selectable<Tables['prompt_label_changes']>, (typeof CHANGE_COLUMNS)[number]>): LabelChange {
  return {
    change: row.number,
    kind: row.kind,
    undoes: row.undoes,
    before: row.before === null ? null : JSON.parse(row.before),
    after: row.after === null ? null : JSON.parse(row.after),
    note: row.note,
    evidence: readEvidence(row.evidence),
    changedBy: row.user_id,
    changedAt: row.created_at,
  }
}
