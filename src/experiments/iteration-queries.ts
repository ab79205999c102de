import type { TemplateMessage } from '../prompts/template.ts'
import type { Queries } from '../storage/db.ts'
import { insertNewRows } from '../storage/insert-rows.ts'
import { selectScoped, updateScoped } from '../storage/query-building.ts'
import type { ExperimentScope } from './experiment-queries.ts'
import { type Candidate, type CandidateChange, FATES } from './search/search.ts'

/** A candidate as it is stored, without its content. */
export type IterationRow = Candidate & { reason: string | null; version: number | null; createdAt: string }

const COLUMNS = [
  'number',
  'kind',
  'parents',
  'round',
  'step',
  'state',
  'fate',
  'reason',
  'content_hash',
  'version',
  'created_at',
  'sample',
  'demonstrations',
] as const

type StoredRow = {
  number: number
  kind: Candidate['kind']
  parents: string
  round: number
  step: Candidate['step']
  state: Candidate['state']
  fate: string | null
  reason: string | null
  content_hash: string | null
  version: number | null
  created_at: string
  sample: string
  demonstrations: string | null
}

function ofExperiment(q: Queries, { workspaceId, experimentId }: ExperimentScope) {
  return selectScoped(q, 'experiment_iterations', { workspace_id: workspaceId, experiment_id: experimentId })
}

export async function listIterations(q: Queries, of: ExperimentScope): Promise<IterationRow[]> {
  const rows = await ofExperiment(q, of).select(COLUMNS).orderBy('number').execute()
  return rows.map(toIteration)
}

/** What a candidate changes of the start. `tools` is absent if they are those of the start. */
export type CandidateContent = { messages: TemplateMessage[]; tools?: Record<string, unknown>[] }

export type IterationContent = { content: CandidateContent | null; diagnosis: string | null }

/** By number. */
export async function findContents(
  q: Queries,
  of: ExperimentScope,
  numbers: readonly number[],
): Promise<Map<number, IterationContent>> {
  if (numbers.length === 0) return new Map()
  const rows = await ofExperiment(q, of)
    .select(['number', 'content', 'diagnosis'])
    .where('number', 'in', numbers)
    .execute()
  return new Map(
    rows.map(({ number, content, diagnosis }) => [
      number,
      { content: content === null ? null : readContent(content), diagnosis },
    ]),
  )
}

/** Stored as a list of messages if the tools are those of the start. */
function readContent(text: string): CandidateContent {
  const stored: TemplateMessage[] | CandidateContent = JSON.parse(text)
  return Array.isArray(stored) ? { messages: stored } : stored
}

function contentText({ messages, tools }: CandidateContent): string {
  return JSON.stringify(tools === undefined ? messages : { messages, tools })
}

export async function insertIterations(
  tx: Queries,
  { workspaceId, experimentId }: ExperimentScope,
  { candidates, content, now }: { candidates: readonly Candidate[]; content?: CandidateContent; now: string },
): Promise<void> {
  await insertNewRows(
    tx,
    {
      table: 'experiment_iterations',
      columns: [
        'workspace_id',
        'experiment_id',
        'number',
        'kind',
        'parents',
        'round',
        'step',
        'state',
        'content_hash',
        'created_at',
        'sample',
        'demonstrations',
        'content',
      ],
      rows: candidates.map(
        ({ number, kind, parent, otherParent, round, step, state, hash, sample, demonstrations }) => [
          workspaceId,
          experimentId,
          number,
          kind,
          JSON.stringify([parent, otherParent].filter((one) => one !== null)),
          round,
          step,
          state,
          hash,
          now,
          JSON.stringify(sample),
          demonstrations.length === 0 ? null : JSON.stringify(demonstrations),
          content === undefined ? null : contentText(content),
        ],
      ),
    },
    ['number'],
  )
}

export async function changeIteration(
  tx: Queries,
  { workspaceId, experimentId }: ExperimentScope,
  { number, step, state, fate, hash, reason }: CandidateChange,
): Promise<void> {
  await updateScoped(tx, 'experiment_iterations', { workspace_id: workspaceId, experiment_id: experimentId, number })
    .set({
      ...(step !== undefined && { step }),
      ...(state !== undefined && { state }),
      ...(fate !== undefined && { fate }),
      ...(hash !== undefined && { content_hash: hash }),
      ...(reason !== undefined && { reason }),
    })
    .execute()
}

export async function saveProposal(
  tx: Queries,
  { workspaceId, experimentId, number }: ExperimentScope & { number: number },
  { content, diagnosis }: { content: CandidateContent; diagnosis: string },
): Promise<void> {
  await updateScoped(tx, 'experiment_iterations', { workspace_id: workspaceId, experiment_id: experimentId, number })
    .set({ content: contentText(content), diagnosis })
    .execute()
}

export async function saveFinalist(
  tx: Queries,
  { workspaceId, experimentId, number }: ExperimentScope & { number: number },
  version: number,
): Promise<void> {
  await updateScoped(tx, 'experiment_iterations', { workspace_id: workspaceId, experiment_id: experimentId, number })
    .set({ state: 'finalist', version })
    .execute()
}

/** Of a proposal that was saved without a test. */
export async function setVersion(
  tx: Queries,
  { workspaceId, experimentId, number }: ExperimentScope & { number: number },
  version: number,
): Promise<void> {
  await updateScoped(tx, 'experiment_iterations', { workspace_id: workspaceId, experiment_id: experimentId, number })
    .set({ version })
    .execute()
}

/** Those that the end of the search has interrupted. */
export async function endOpenIterations(
  tx: Queries,
  { workspaceId, experimentId }: ExperimentScope,
  reason: string,
): Promise<void> {
  await updateScoped(tx, 'experiment_iterations', { workspace_id: workspaceId, experiment_id: experimentId })
    .set({ step: 'ended', fate: 'unfinished', reason })
    .where('step', '!=', 'ended')
    .execute()
}

function toIteration({
  parents,
  fate,
  content_hash,
  created_at,
  sample,
  demonstrations,
  ...row
}: StoredRow): IterationRow {
  const [parent = null, otherParent = null]: (number | null)[] = JSON.parse(parents)
  return {
    ...row,
    parent,
    otherParent,
    fate: FATES.find((one) => one === fate) ?? null,
    hash: content_hash,
    createdAt: created_at,
    sample: JSON.parse(sample),
    demonstrations: demonstrations === null ? [] : JSON.parse(demonstrations),
  }
}
