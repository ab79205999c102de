/**
 * The search of the example experiment. The steps are planned as those of any experiment, and its guards decide about the proposals; only the
 * answers and proposals come from `example-sorting.ts`, because there is no model to call.
 */
import { timestamp } from '../base/clock.ts'
import { endExperimentCall, insertExperimentCalls } from '../experiments/calls/experiment-call-queries.ts'
import { mergeMessages } from '../experiments/compose/merge-texts.ts'
import type { ExperimentPlan } from '../experiments/experiment-plan.ts'
import type { ExperimentItems, ExperimentScope } from '../experiments/experiment-queries.ts'
import { checkProposal } from '../experiments/guards/check-proposal.ts'
import {
  type CandidateContent,
  changeIteration,
  findContents,
  insertIterations,
  saveProposal,
} from '../experiments/iteration-queries.ts'
import { readSearch } from '../experiments/runner/read-search.ts'
import { commonAncestor } from '../experiments/search/merge-pair.ts'
import { planStep } from '../experiments/search/plan-step.ts'
import { isFailing, type NewCall, type Proposed, type Search, type SearchEnd } from '../experiments/search/search.ts'
import { hashContent, type VersionContent } from '../prompts/version-content.ts'
import type { Queries } from '../storage/db.ts'
import {
  answerUsage,
  proposeSorting,
  reflectionUsage,
  type SortingCase,
  sortMessage,
  type Used,
} from './example-sorting.ts'

const SECONDS_PER_STEP = 25

type Searching = {
  plan: ExperimentPlan
  items: ExperimentItems
  start: VersionContent
  caseOf(itemId: string): SortingCase
  startMs: number
}

export type Searched = { search: Search; end: SearchEnd; reason: string; used: Used; endMs: number }

export async function searchExample(tx: Queries, of: ExperimentScope, given: Searching): Promise<Searched> {
  const { plan, items, startMs } = given
  const used: Used = { tokens: 0, nanoUsd: 0 }
  let [calls, nowMs] = [0, startMs]
  for (;;) {
    const { search } = await readSearch(tx, of, { plan, items })
    const step = planStep(search)
    if ('end' in step) return { search, end: step.end, reason: step.reason, used, endMs: nowMs }
    if ('compose' in step) {
      for (const number of step.compose) await merge(tx, of, { ...given, search, number })
      continue
    }
    for (const change of step.changes) await changeIteration(tx, of, change)
    const now = timestamp(nowMs)
    if (step.added.length > 0) await insertIterations(tx, of, { candidates: step.added, now })
    if (step.calls.length === 0) continue
    await insertExperimentCalls(tx, of, { calls: step.calls, first: calls + 1 })
    const contents = await contentsOf(tx, of, search, step.calls)
    for (const call of step.calls) {
      calls += 1
      const { tokens, nanoUsd } = await endCall(tx, { ...of, number: calls }, { ...given, search, call, contents })
      used.tokens += tokens
      used.nanoUsd += nanoUsd
    }
    nowMs += SECONDS_PER_STEP * 1_000
  }
}

type Contents = ReadonlyMap<number, CandidateContent>
type Calling = Searching & { search: Search; call: NewCall; contents: Contents }

/** Returns what it has used. */
async function endCall(tx: Queries, of: ExperimentScope & { number: number }, calling: Calling): Promise<Used> {
  const { call, contents, caseOf } = calling
  if (call.kind === 'reflection') return reflect(tx, of, calling)
  const content = contents.get(call.candidate) ?? { messages: [] }
  const one = caseOf(call.itemId ?? '')
  const output = sortMessage(content, one)
  const value = output === one.team ? 1 : 0
  const used = answerUsage(content, one, output)
  const scores = { 'right team': { score: value, reason: null }, 'one word': { score: 1, reason: null } }
  await endExperimentCall(tx, of, { state: 'done', nanoUsd: used.nanoUsd, value, scores, output })
  return used
}

async function reflect(
  tx: Queries,
  of: ExperimentScope & { number: number },
  { search, call: { candidate: number }, contents, plan, start, caseOf }: Calling,
): Promise<Used> {
  const { parent = 0, sample = [] } = search.candidates.find((one) => one.number === number) ?? {}
  const before = contents.get(parent ?? 0) ?? { messages: [] }
  const failing = sample.filter((id) => isFailing(search.valueFor(parent ?? 0, id))).map(caseOf)
  const { content, diagnosis } = proposeSorting({ number, parent: before, failing })
  const read = sample.map(caseOf).flatMap(({ message, team }) => [message, team])
  const problem = checkProposal(content, { ...plan, start: start.messages, startTools: [], items: read })
  const proposed: Proposed = problem ?? { hash: hashContent({ ...start, ...content }) }
  const used = reflectionUsage(before, content)
  await endExperimentCall(tx, of, { state: 'done', nanoUsd: used.nanoUsd, output: JSON.stringify(proposed) })
  if (!problem) await saveProposal(tx, { ...of, number }, { content, diagnosis })
  return used
}

type Merging = Searching & { search: Search; number: number }

async function merge(tx: Queries, of: ExperimentScope, { search, number, plan, start }: Merging): Promise<void> {
  const { candidates } = search
  const { parent, otherParent } = candidates.find((one) => one.number === number) ?? {}
  const [one, other] = [parent ?? 0, otherParent ?? 0]
  const ancestor = commonAncestor({ candidates }, one, other)
  const contents = await findContents(tx, of, [ancestor, one, other])
  const [before, first, second] = [ancestor, one, other].map((from) => contents.get(from)?.content)
  const content = { messages: mergeMessages(before?.messages ?? [], first?.messages ?? [], second?.messages ?? []) }
  const hash = hashContent({ ...start, ...content })
  const same = candidates.find((known) => known.hash === hash)
  const repeated = { fate: 'repeated' as const, reason: `The merged prompt is the same as number ${same?.number}` }
  const tooLong = checkProposal(content, { ...plan, start: start.messages, startTools: [], items: [] })
  const problem = same ? repeated : tooLong
  if (problem) {
    await changeIteration(tx, of, { number, step: 'ended', state: 'rejected', ...problem })
    return
  }
  await changeIteration(tx, of, { number, step: 'validating', hash })
  const diagnosis = `Merges what ${one} and ${other} have changed in ${ancestor}`
  await saveProposal(tx, { ...of, number }, { content, diagnosis })
}

/** Of the candidates that are asked, and of those that a reflection is about. */
async function contentsOf(
  tx: Queries,
  of: ExperimentScope,
  { candidates }: Search,
  calls: readonly NewCall[],
): Promise<Contents> {
  const parents = new Map(candidates.map(({ number, parent }) => [number, parent ?? 0]))
  const asked = calls.map(({ kind, candidate }) => (kind === 'reflection' ? (parents.get(candidate) ?? 0) : candidate))
  const found = await findContents(tx, of, [...new Set(asked)])
  return new Map([...found].flatMap(([number, { content }]) => (content ? [[number, content]] : [])))
}
