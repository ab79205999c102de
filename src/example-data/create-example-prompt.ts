import { timestamp } from '../base/clock.ts'
import { createdAtOf, idGenerator } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import { type ChangeContext, createPrompt } from '../prompts/change-prompt.ts'
import { insertLabelChange, type Label, saveLabel } from '../prompts/label-queries.ts'
import { countLabelChange } from '../prompts/prompt-queries.ts'
import { saveVersion } from '../prompts/save-version.ts'
import { prepareContent } from '../prompts/version-content.ts'
import type { Queries } from '../storage/db.ts'
import { EXAMPLE_GATE, EXAMPLE_LABEL_MOVES, EXAMPLE_PROMPT, EXAMPLE_PROMPT_VERSIONS } from './example-prompt.ts'

const HOUR_MS = 3_600_000

type Scope = { workspaceId: string; componentId: string; datasetId: string; authors: readonly string[] }

/** Creates the prompt as if its authors had written it and moved its labels in the last week. Returns its id. */
export async function createExamplePrompt(
  context: ChangeContext,
  tx: Queries,
  { authors, workspaceId, componentId, datasetId }: Scope,
): Promise<string> {
  const nowMs = context.clock.now()
  const by = (place: number) => editorOf(workspaceId, authors[place % authors.length] ?? '')
  const oldest = contextAt(context, nowMs - (EXAMPLE_PROMPT_VERSIONS[0]?.hoursAgo ?? 0) * HOUR_MS)
  const description = 'Answers a customer from passages of the help center'
  const { id: promptId } = await createPrompt(oldest, by(0), { componentId, name: EXAMPLE_PROMPT, description })
  for (const [place, { hoursAgo, note, content }] of EXAMPLE_PROMPT_VERSIONS.entries()) {
    const version = { componentId, promptId, content: prepareContent(content), note, labels: [], verdicts: [] }
    await saveVersion(contextAt(context, nowMs - hoursAgo * HOUR_MS), by(place), version)
  }
  await moveLabels(tx, { workspaceId, promptId, datasetId, authors, nowMs })
  return promptId
}

/**
 * Stored as they are: the operation that moves labels would write into the audit log that people who do not exist have moved them, some of
 * it before the application was created.
 */
async function moveLabels(
  tx: Queries,
  {
    workspaceId,
    promptId,
    datasetId,
    authors,
    nowMs,
  }: Omit<Scope, 'componentId'> & { promptId: string; nowMs: number },
): Promise<void> {
  const labels = new Map<string, Label>()
  for (const { label: name, hoursAgo, author, after, ...move } of EXAMPLE_LABEL_MOVES) {
    const id = idGenerator({ now: () => nowMs - hoursAgo * HOUR_MS })()
    const known = labels.get(name)
    const made = { change: (known?.change ?? 0) + 1, changedBy: authors[author] ?? '', changedAt: createdAtOf(id) }
    const gate = name === 'production' ? { ...EXAMPLE_GATE, datasetId } : null
    const label = { name, ...made, ...after, protection: { minRole: 'editor', gate } } as const
    const before = known ? { seed: known.seed, splits: known.splits } : null
    await saveLabel(tx, { workspaceId, promptId }, label)
    await insertLabelChange(
      tx,
      { workspaceId, promptId, label: name },
      { id, ...move, ...made, before, after, evidence: [] },
    )
    await countLabelChange(tx, { workspaceId, promptId }, timestamp(nowMs))
    labels.set(name, label)
  }
}

/** The same transaction at another time. */
function contextAt(context: ChangeContext, ms: number): ChangeContext {
  const clock = { now: () => ms }
  return { ...context, clock, newId: idGenerator(clock) }
}

function editorOf(workspaceId: string, userId: string): Principal {
  return { kind: 'session', credential: 'bearer', credentialId: userId, userId, workspaceId, role: 'editor' }
}
