import type {
  ExperimentCourse,
  ExperimentDetail,
  ExperimentResults,
  ExperimentSummaries,
} from '../../api/generated/api.ts'
import { countOf, formatDifference, formatScore } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { settingsInWords } from '../../ui/setting-words.ts'
import { formatTime } from '../runs/run-title.ts'

export type ExperimentRow = ExperimentSummaries['data'][number]
export type CoursePoint = ExperimentCourse['data'][number]
export type ExperimentVerdict = NonNullable<ExperimentResults['verdict']>

/** An experiment without a name is known by its time. */
export function experimentTitle({ name, createdAt }: { name: string | null; createdAt: string }): string {
  return name?.trim() ? name : `Experiment, ${formatTime(createdAt)}`
}

const optimizers: Record<string, string> = {
  gepa: 'reflective',
  bootstrapFewShot: 'few-shot',
  gepaThenFewShot: 'reflective, then few-shot',
  miproV2: 'instructions and examples',
}

export function optimizerWord(optimizer: string): string {
  return optimizers[optimizer] ?? optimizer
}

/** What of the plan the pages show. It is stored as it was sent, so it is read with care. */
export interface PlanFacts {
  optimizer: string
  metric: string
  models: { target: string | undefined; reflection: string | undefined }
  hasCost: boolean
  patience: number | undefined
  maxMinutes: number | undefined
  finalists: number
  repetitions: number
}

export function planFacts({ plan }: Pick<ExperimentDetail, 'plan'>): PlanFacts {
  const objectives = listIn(plan['objectives'])
  const improved = objectives.filter((one) => one['role'] === 'improve').map((one) => String(one['metric']))
  const text = (key: string, field: string) => {
    const value = recordIn(plan[key])[field]
    return typeof value === 'string' ? value : undefined
  }
  const count = (value: unknown) => (typeof value === 'number' ? value : undefined)
  const budget = recordIn(plan['budget'])
  return {
    optimizer: optimizerWord(String(plan['optimizer'] ?? '')),
    metric: improved.length === 1 ? metricTitle(improved[0] ?? '') : 'the score',
    models: { target: text('target', 'model'), reflection: text('reflection', 'model') },
    hasCost: objectives.some((one) => one['metric'] === 'costUsd'),
    patience: count(budget['patience']),
    maxMinutes: count(budget['maxMinutes']),
    finalists: count(plan['finalists']) ?? 1,
    repetitions: count(plan['repetitions']) ?? 1,
  }
}

/** What the answers to the test items will probably cost; 0 if it is not known. */
export function testCostOf({ plan, items }: Pick<ExperimentDetail, 'plan' | 'items'>): number {
  const { answerUsd } = recordIn(plan['expected'])
  const { finalists, repetitions } = planFacts({ plan })
  return typeof answerUsd === 'number' ? answerUsd * items.test * (1 + finalists) * repetitions : 0
}

function recordIn(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function listIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(recordIn) : []
}

export function isOpen({ status }: Pick<ExperimentDetail, 'status'>): boolean {
  return status === 'pending' || status === 'running'
}

export function isCanceled({ status, endedBy }: Pick<ExperimentDetail, 'status' | 'endedBy'>): boolean {
  return status === 'failed' && endedBy === 'canceled'
}

/** Someone has ended the search, and calls that run may still end. */
export function isStopping({
  status,
  phase,
  endedBy,
}: Pick<ExperimentDetail, 'status' | 'phase' | 'endedBy'>): boolean {
  return status === 'running' && phase === 'searching' && endedBy !== null
}

export interface Headline {
  title: string
  /** Between the parts of the title, with its color. */
  verdict?: { before: string; word: string; after: string; tone: 'good' | 'danger' }
  text: string
}

/** Never a word such as "better" before the test items have decided. */
export function headlineOf(experiment: ExperimentDetail, results: ExperimentResults | undefined): Headline {
  const { status, phase, items } = experiment
  if (status === 'pending')
    return {
      title: 'Not started yet.',
      text: `No model was called. The ${countOf(items.test, 'test item')} are sealed until the search has ended.`,
    }
  if (status === 'failed') return failedHeadline(experiment)
  if (status === 'completed') return results ? endedHeadline(experiment, results) : { title: 'Completed.', text: '' }
  if (phase === 'choosing' || phase === 'testing')
    return {
      title: 'The test split is being answered.',
      text: `The start and the ${planFacts(experiment).finalists === 1 ? 'finalist' : 'finalists'} answer ${countOf(items.test, 'test item')} that nothing has read before. The verdict follows from them alone.`,
    }
  return runningHeadline(experiment)
}

function runningHeadline(experiment: ExperimentDetail): Headline {
  const { validation, items } = experiment
  const stopping = isStopping(experiment)
    ? ' The search is stopping: calls that run may end, then the test is opened.'
    : ''
  if (!validation || validation.start === null)
    return {
      title: 'The start answers the validation items.',
      text: `Proposals follow when its ${countOf(items.validation, 'item')} are scored.${stopping}`,
    }
  const { best, start, startCi, expectedOnNew, candidates } = validation
  const sealed = 'The test split decides, once, at the end.'
  if (!best || best.number === 0)
    return {
      title: 'No proposal leads yet.',
      text: `The start has ${formatScore(start)}${inBrackets(startCi)} on ${countOf(validation.items, 'validation item')}. ${sealed}${stopping}`,
    }
  const expected = expectedOnNew ? ` ${formatScore(expectedOnNew.difference)} is expected on new items.` : ''
  return {
    title: `Proposal ${best.number} leads by ${formatScore(best.mean - start)}${expectedOnNew ? ';' : '.'}${expected}`,
    text: `${formatScore(best.mean)}${inBrackets(best.ci)} against ${formatScore(start)}${inBrackets(startCi)} on ${countOf(validation.items, 'validation item')}. This is no verdict yet: the best of ${candidates} looks better than it is. ${sealed}${stopping}`,
  }
}

function inBrackets(ci: readonly number[] | null | undefined): string {
  const [low, high] = ci ?? []
  return low === undefined || high === undefined ? '' : ` (${formatScore(low)} to ${formatScore(high)})`
}

function failedHeadline(experiment: ExperimentDetail): Headline {
  const { trialId, error, progress } = experiment
  const split =
    trialId === null ? 'The test split stays sealed.' : 'The test had begun, and a test split is opened once.'
  const kept = `${countOf(progress.proposals, 'proposal')} ${progress.proposals === 1 ? 'is' : 'are'} kept. ${split}`
  if (isCanceled(experiment)) return { title: 'Canceled.', text: kept }
  return { title: 'It could not go on.', text: `${sentence(settingsInWords(error ?? 'Unknown reason'))} ${kept}` }
}

function endedHeadline(experiment: ExperimentDetail, results: ExperimentResults): Headline {
  const { metric } = planFacts(experiment)
  const best = bestFinalist(results)
  const name = best ? `Proposal ${best.iteration}` : 'The finalist'
  const change = best?.comparison?.difference
  const by = typeof change === 'number' ? ` by ${formatScore(Math.abs(change))}.` : '.'
  const text = testText(experiment, results)
  switch (results.verdict) {
    case 'improved':
      return titled({ before: `${name} is`, word: 'better', after: `on ${metric}${by}`, tone: 'good' }, text)
    case 'regressed':
      return titled({ before: `${name} is`, word: 'worse', after: `on ${metric}${by}`, tone: 'danger' }, text)
    case 'equivalent':
      return { title: `${name} and the start are equivalent on ${metric}.`, text }
    case 'noClearDifference':
      return { title: `${name} shows no clear difference on ${metric}.`, text }
    case 'tooFewCases':
      return { title: 'Too few test items for a verdict.', text }
    case 'noFinalist':
      return {
        title: 'No proposal beat the start.',
        text: `None of ${countOf(results.proposals, 'proposal')} had a higher score on the validation items within its limits. The test split stays sealed.`,
      }
    default:
      return { title: 'The test ended without a verdict.', text: results.summary }
  }
}

function titled(verdict: NonNullable<Headline['verdict']>, text: string): Headline {
  return { title: `${verdict.before} ${verdict.word} ${verdict.after}`, verdict, text }
}

/** How large it is on the items that decide, and how large it looked before. */
function testText({ validation }: ExperimentDetail, results: ExperimentResults): string {
  const best = bestFinalist(results)
  const [low, high] = best?.comparison?.ci ?? []
  const parts = [
    low !== undefined && high !== undefined
      ? `95 % CI ${formatDifference(low)} to ${formatDifference(high)}, ${countOf(results.test?.items ?? 0, 'sealed test item')}, opened ${timesWord(results.openings)}.`
      : `${countOf(results.test?.items ?? 0, 'sealed test item')}, opened ${timesWord(results.openings)}.`,
  ]
  if (validation?.best && validation.start !== null) {
    const gain = formatDifference(validation.best.mean - validation.start)
    const expected = validation.expectedOnNew
      ? `, ${formatDifference(validation.expectedOnNew.difference)} was expected on new items`
      : ''
    parts.push(
      `On validation it looked ${gain} from the start; chosen from ${countOf(results.proposals, 'proposal')}${expected}.`,
    )
  }
  return parts.join(' ')
}

export function timesWord(times: number): string {
  return times === 1 ? 'once' : `${times} times`
}

export function bestFinalist({ test }: ExperimentResults) {
  return (test?.finalists ?? []).toSorted(
    (a, b) => (b.comparison?.difference ?? -Infinity) - (a.comparison?.difference ?? -Infinity),
  )[0]
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
