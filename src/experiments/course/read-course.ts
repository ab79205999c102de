/** The course of a search in one request: each proposal with its fate and its scores, and what to expect of the best one on new items. */
import { dollarsOf } from '../../spending/spending-limit.ts'
import type { Queries } from '../../storage/db.ts'
import type { ExperimentPlan } from '../experiment-plan.ts'
import { type ExperimentRow, findExperimentItems } from '../experiment-queries.ts'
import { tokensOf } from '../guards/check-proposal.ts'
import { findContents } from '../iteration-queries.ts'
import { expectOnNew, validationInterval } from '../runner/measure-validation.ts'
import { readSearch } from '../runner/read-search.ts'
import { frontOf } from '../search/front.ts'
import { isValidated, meanOf, type Search, validationMean } from '../search/search.ts'
import type { ExperimentCourse } from './course-schemas.ts'

/** Each is some milliseconds of work. */
const EXPECTED_MAX = 16
const TITLE_LENGTH_MAX = 120

export async function readCourse(q: Queries, experiment: ExperimentRow): Promise<ExperimentCourse> {
  const of = { workspaceId: experiment.workspaceId, experimentId: experiment.id }
  const plan: ExperimentPlan = JSON.parse(experiment.plan)
  const items = await findExperimentItems(q, of)
  const { search, calls, iterations } = await readSearch(q, of, { plan, items })
  const contents = await findContents(
    q,
    of,
    iterations.map(({ number }) => number),
  )
  const front = new Map(frontOf(search).map(({ number, best }) => [number, best]))
  const costs = Map.groupBy(
    calls.filter(({ kind, state }) => kind === 'validation' && state === 'done'),
    ({ iteration }) => iteration,
  )
  const data = iterations.map(({ number, parent, kind, state, step, fate, reason, version, createdAt, sample }) => {
    const { content = null, diagnosis = null } = contents.get(number) ?? {}
    const cost = meanOf((costs.get(number) ?? []).map(({ nanoUsd }) => nanoUsd))
    return {
      number,
      parent,
      kind,
      state,
      step,
      fate,
      reason,
      title: titleOf(diagnosis),
      version,
      mean: validationMean(search, number) ?? null,
      ci: validationInterval(search, number),
      answered: search.settings.validation.filter((item) => typeof search.valueFor(number, item) === 'number').length,
      sample: parent === null ? null : sampleOf(search, { number, parent, sample }),
      front: front.get(number) ?? null,
      costUsd: cost === undefined ? null : dollarsOf(cost),
      tokens: content === null ? null : tokensOf(content.messages, content.tools),
      createdAt,
    }
  })
  return { metric: metricOf(plan), items: items.validation.length, data, expected: await readExpected(search) }
}

/** Undefined if several evaluators are improved together. */
export function metricOf({ objectives }: Pick<ExperimentPlan, 'objectives'>): string | null {
  const improved = objectives.filter(({ role }) => role === 'improve')
  return improved.length === 1 ? (improved[0]?.metric ?? null) : null
}

function titleOf(diagnosis: string | null): string | null {
  const [first = ''] = (diagnosis ?? '').split(/(?<=[.!?])\s|\n/)
  const text = first.trim()
  if (text === '') return null
  return text.length > TITLE_LENGTH_MAX ? `${text.slice(0, TITLE_LENGTH_MAX)}…` : text
}

function sampleOf(
  { valueFor }: Search,
  { number, parent, sample }: { number: number; parent: number; sample: readonly string[] },
) {
  const both = sample.flatMap((item) => {
    const [before, after] = [valueFor(parent, item), valueFor(number, item)]
    return typeof before === 'number' && typeof after === 'number' ? [{ before, after }] : []
  })
  if (both.length === 0) return null
  const sum = (side: 'before' | 'after') => both.reduce((total, one) => total + one[side], 0)
  return { items: both.length, own: sum('after'), parent: sum('before') }
}

/** After each validated proposal; of many, after some of them and the last. */
async function readExpected(search: Search): Promise<ExperimentCourse['expected']> {
  const validated = search.candidates.filter((one) => one.number > 0 && isValidated(one)).map(({ number }) => number)
  const count = Math.min(EXPECTED_MAX, validated.length)
  const places = Array.from({ length: count }, (_, place) => Math.round(((place + 1) * validated.length) / count))
  const expected: ExperimentCourse['expected'] = []
  for (const place of places) {
    const found = await expectOnNew(search, validated.slice(0, place))
    const number = validated[place - 1]
    if (found && number !== undefined) expected.push({ number, ...found })
  }
  return expected
}
