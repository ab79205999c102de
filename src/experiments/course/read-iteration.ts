/** One proposal: its prompt, and what it changed on the validation items, against the start or the prompt that it improves on. */
import { notFound } from '../../base/errors.ts'
import type { Queries } from '../../storage/db.ts'
import { questionIn } from '../../traces/semconv/messages/question-and-answer.ts'
import { findCallItems } from '../../trials/calls/call-item-queries.ts'
import { listCallScores, listCallTraces } from '../calls/experiment-call-queries.ts'
import { readMessages } from '../describe-experiment.ts'
import type { ExperimentRow } from '../experiment-queries.ts'
import { tokensOf } from '../guards/check-proposal.ts'
import { findContents, type IterationContent, listIterations } from '../iteration-queries.ts'
import { meanOf, ROUNDING } from '../search/search.ts'
import type { IterationDetail } from './course-schemas.ts'

const CHANGES_MAX = 50
const QUESTION_LENGTH_MAX = 200

type Scores = Awaited<ReturnType<typeof listCallScores>>

export async function readIteration(
  q: Queries,
  experiment: ExperimentRow,
  { number, against }: { number: number; against: 'start' | 'parent' },
): Promise<IterationDetail> {
  const { workspaceId, id: experimentId, datasetId } = experiment
  const of = { workspaceId, experimentId }
  const iteration = (await listIterations(q, of)).find((one) => one.number === number)
  if (!iteration) throw notFound('Iteration')
  const { parent, state, fate, reason, version } = iteration
  const other = against === 'parent' ? (parent ?? 0) : 0
  const contents = await findContents(q, of, [other, number])
  const calls = await listCallScores(q, of, [other, number])
  const scores = calls.filter(({ kind, state: ended }) => kind === 'validation' && ended === 'done')
  const content = contents.get(number)
  const traces = await listCallTraces(q, of, [other, number])
  const traceOf = (of: number, itemId: string | null) =>
    traces.find((one) => one.iteration === of && one.itemId === itemId)?.traceId ?? null
  const pairs = pairsOf(scores, { before: other, after: number })
  const { data, ...counts } = await changesOf(q, { workspaceId, datasetId }, pairs)
  return {
    number,
    parent,
    against: other,
    state,
    fate,
    reason,
    diagnosis: content?.diagnosis ?? null,
    reflectionTraceId: traceOf(number, null),
    messages: readMessages(content?.content?.messages ?? null),
    tokens: { before: tokensIn(contents.get(other)), after: tokensIn(content) },
    version,
    scores: metricsOf(scores, { before: other, after: number }),
    changes: {
      ...counts,
      data: data.map((one) => ({
        ...one,
        beforeTraceId: traceOf(other, one.itemId),
        afterTraceId: traceOf(number, one.itemId),
      })),
    },
  }
}

function tokensIn(iteration: IterationContent | undefined): number | null {
  return iteration?.content ? tokensOf(iteration.content.messages, iteration.content.tools) : null
}

type Sides = { before: number; after: number }
type ItemChange = Omit<IterationDetail['changes']['data'][number], 'beforeTraceId' | 'afterTraceId'>
type Pair = { itemId: string; before: Scores[number]; after: Scores[number] }

/** The items that both have answered. */
function pairsOf(scores: Scores, { before, after }: Sides): Pair[] {
  const own = new Map(scores.flatMap((one) => (one.iteration === before ? [[one.itemId, one] as const] : [])))
  return scores.flatMap((one) => {
    const other = own.get(one.itemId)
    return one.iteration === after && one.itemId !== null && other
      ? [{ itemId: one.itemId, before: other, after: one }]
      : []
  })
}

function metricsOf(scores: Scores, sides: Sides): IterationDetail['scores'] {
  const pairs = pairsOf(scores, sides)
  const names = new Set(scores.flatMap((one) => Object.keys(one.scores)))
  return [...names].map((metric) => {
    const known = pairs.flatMap(({ before, after }) => {
      const [one, other] = [before.scores[metric]?.score, after.scores[metric]?.score]
      return typeof one === 'number' && typeof other === 'number' ? [{ before: one, after: other }] : []
    })
    const mean = (side: keyof Sides) => meanOf(known.map((pair) => pair[side])) ?? null
    return { metric, items: known.length, before: mean('before'), after: mean('after') }
  })
}

async function changesOf(
  q: Queries,
  scope: { workspaceId: string; datasetId: string },
  pairs: readonly Pair[],
): Promise<Omit<IterationDetail['changes'], 'data'> & { data: ItemChange[] }> {
  const known = pairs.flatMap(({ itemId, before, after }) =>
    before.value === null || after.value === null ? [] : [{ itemId, before: before.value, after: after.value }],
  )
  const changed = known.filter(({ before, after }) => Math.abs(after - before) > ROUNDING)
  const shown = changed.toSorted((a, b) => a.after - a.before - (b.after - b.before)).slice(0, CHANGES_MAX)
  const items = await findCallItems(
    q,
    scope,
    shown.map(({ itemId }) => itemId),
  )
  const better = changed.filter(({ before, after }) => after > before).length
  return {
    better,
    worse: changed.length - better,
    same: known.length - changed.length,
    data: shown.map((one) => ({ ...one, question: questionOf(items.get(one.itemId)?.input ?? null) })),
  }
}

/** Null if the item has no input or was deleted. */
export function questionOf(input: string | null): string | null {
  if (input === null) return null
  const said = questionIn(input)
  const text = typeof said === 'string' ? input : said.text
  return text.length > QUESTION_LENGTH_MAX ? `${text.slice(0, QUESTION_LENGTH_MAX)}…` : text
}
