/** Writes the prompts of candidates that follow from others: with demonstrations, or merged. No model is asked, and the same rows give the same prompts. */
import { timestamp } from '../../base/clock.ts'
import { calledTools } from '../../evaluators/json/tool-selection.ts'
import { workBudget } from '../../evaluators/work-budget.ts'
import { hashContent } from '../../prompts/version-content.ts'
import { findCallItems } from '../../trials/calls/call-item-queries.ts'
import { valuesOf } from '../../trials/item-variables.ts'
import { listAnswers } from '../calls/experiment-call-queries.ts'
import { addDemonstrations, demonstrationOf } from '../compose/add-demonstrations.ts'
import { mergeMessages, mergeTools } from '../compose/merge-texts.ts'
import { lockExperiment, updateExperiment } from '../experiment-queries.ts'
import { checkProposal, tooLong } from '../guards/check-proposal.ts'
import {
  type CandidateContent,
  changeIteration,
  findContents,
  type IterationRow,
  saveProposal,
} from '../iteration-queries.ts'
import { commonAncestor } from '../search/merge-pair.ts'
import type { CandidateChange, Proposed } from '../search/search.ts'
import type { StoredSearch } from './read-search.ts'
import type { Models, Running } from './searching.ts'

type Composed = { content: CandidateContent; diagnosis: string }

export async function composePrompts(
  running: Running,
  models: Models,
  { stored, numbers }: { stored: StoredSearch; numbers: readonly number[] },
): Promise<void> {
  const { job, of } = running
  const hashes = new Map(stored.iterations.map(({ hash, number }) => [hash, number]))
  const made: { change: CandidateChange; composed?: Composed }[] = []
  for (const iteration of stored.iterations.filter(({ number }) => numbers.includes(number))) {
    const { number, kind } = iteration
    const composed = await compose(running, models, { iteration, stored })
    const proposed = judge(running, models, { composed, kind })
    const same = 'hash' in proposed && kind === 'merge' ? hashes.get(proposed.hash) : undefined
    const repeated = { fate: 'repeated' as const, reason: `The merged prompt is the same as number ${same}` }
    if ('fate' in proposed || same !== undefined) {
      const why = 'fate' in proposed ? proposed : repeated
      made.push({ change: { number, step: 'ended', state: 'rejected', ...why } })
      continue
    }
    hashes.set(proposed.hash, number)
    const step = kind === 'combination' ? 'screening' : 'validating'
    made.push({ change: { number, step, hash: proposed.hash }, composed })
  }
  await job.commit(
    async (tx) => {
      const locked = await lockExperiment(tx, of)
      if (locked?.status !== 'running' || locked.phase !== 'searching') return
      for (const { change, composed } of made) {
        await changeIteration(tx, of, change)
        if (composed) await saveProposal(tx, { ...of, number: change.number }, composed)
      }
      await updateExperiment(tx, of, { now: timestamp(job.clock.now()) })
    },
    { resetAttempts: true },
  )
}

type Composing = { iteration: IterationRow; stored: StoredSearch }

async function compose(running: Running, models: Models, { iteration, stored }: Composing): Promise<Composed> {
  const { job, of } = running
  const { parent, otherParent } = iteration
  const ancestor =
    otherParent === null ? 0 : commonAncestor({ candidates: stored.iterations }, parent ?? 0, otherParent)
  const contents = await findContents(job.db.read, of, [parent ?? 0, otherParent ?? 0, ancestor])
  const contentOf = (number: number | null) => contents.get(number ?? 0)?.content ?? { messages: [] }
  if (iteration.kind === 'merge') {
    const [before, one, other] = [ancestor, parent, otherParent].map(contentOf)
    return {
      content: mergeContents([before, one, other], models.prompt.content.tools),
      diagnosis: `Merges what ${parent} and ${otherParent} have changed in ${ancestor}`,
    }
  }
  return demonstrate(running, iteration, contentOf(parent))
}

type Tools = Record<string, unknown>[]

function mergeContents([before, one, other]: (CandidateContent | undefined)[], startTools: Tools): CandidateContent {
  const messages = mergeMessages(before?.messages ?? [], one?.messages ?? [], other?.messages ?? [])
  if (!one?.tools && !other?.tools) return { messages }
  const toolsOf = (content: CandidateContent | undefined) => content?.tools ?? startTools
  return { messages, tools: mergeTools(toolsOf(before), toolsOf(one), toolsOf(other)) }
}

/** The answers are those of the prompt that the demonstrations were found with. */
async function demonstrate(
  { job, of, experiment, plan }: Running,
  { kind, parent, demonstrations }: IterationRow,
  { messages, ...rest }: CandidateContent,
): Promise<Composed> {
  const { workspaceId, datasetId } = experiment
  const answeredBy = kind === 'combination' ? 0 : (parent ?? 0)
  if (demonstrations.length === 0) return { content: { messages, ...rest }, diagnosis: `The instructions of ${parent}` }
  const items = await findCallItems(job.db.read, { workspaceId, datasetId }, demonstrations)
  const answers = await listAnswers(job.db.read, of, { iteration: answeredBy, itemIds: demonstrations })
  const shown = demonstrations.flatMap((id) => {
    const [item, answer] = [items.get(id), answers.get(id)]
    // A call of a tool is no text that a message could show.
    if (!item || typeof answer?.output !== 'string' || calledTools(answer.output, workBudget())) return []
    const values = valuesOf(item, messages, plan.variables)
    const demonstration = demonstrationOf(messages, { values, output: answer.output })
    return demonstration ? [demonstration] : []
  })
  const count = `${shown.length} ${shown.length === 1 ? 'demonstration' : 'demonstrations'}`
  return {
    content: { ...rest, messages: shown.length === 0 ? [] : addDemonstrations(messages, shown) },
    diagnosis: `The instructions of ${parent} with ${count}`,
  }
}

/** Demonstrations change nothing else, so that they can only be too long. The copy guard is not about them. */
function judge(
  { plan }: Running,
  models: Models,
  { composed: { content }, kind }: { composed: Composed; kind: IterationRow['kind'] },
): Proposed {
  const { messages: start, tools: startTools } = models.prompt.content
  if (content.messages.length === 0)
    return {
      fate: 'unusable',
      reason:
        'None of the items can be shown as a demonstration: they have {{…}}, no value, or calls of tools as their answers',
    }
  const problem =
    kind === 'merge'
      ? checkProposal(content, { ...plan, start, startTools, items: [] })
      : tooLong(content, plan.maxPromptTokens)
  return problem ?? { hash: hashContent({ ...models.prompt.content, ...content }) }
}
