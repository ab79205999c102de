import type { TrialDetail } from '../../api/generated/api.ts'
import { countEnded } from '../../api/trial-progress.ts'
import { countOf, formatCount, formatScore } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { settingsInWords } from '../../ui/setting-words.ts'
import { formatTime } from '../runs/run-title.ts'

export type Variant = TrialDetail['variants'][number]

/** A trial without a name is known by its time. */
export function trialTitle({ name, createdAt }: { name: string | null; createdAt: string }): string {
  return name?.trim() ? name : `Trial, ${formatTime(createdAt)}`
}

export function isOpen({ status }: Pick<TrialDetail, 'status'>): boolean {
  return status === 'pending' || status === 'running'
}

export function waitingCalls(counts: { total: number; done: number; failed: number; skipped: number }): number {
  return Math.max(0, counts.total - countEnded(counts))
}

export function baselineOf({ variants, plan }: TrialDetail): Variant | undefined {
  return variants.find(({ name }) => name === plan.baseline)
}

export function candidatesOf(trial: TrialDetail): Variant[] {
  return trial.variants.filter(({ name }) => name !== trial.plan.baseline)
}

/** A variant keeps its mark wherever it is shown: the baseline has the first one. By name. */
export function markPlaces(trial: TrialDetail): ReadonlyMap<string, number> {
  const marked = [...trial.variants.filter(({ name }) => name === trial.plan.baseline), ...candidatesOf(trial)]
  return new Map(marked.map(({ name }, place) => [name, place]))
}

/** The runs have the name of the trial before that of the variant, which says nothing on its own page. */
export function withoutTrialName(summary: string, { name }: Pick<TrialDetail, 'name'>): string {
  return name === null ? summary : summary.replaceAll(`${name}: `, '')
}

interface Headline {
  title: string
  text?: string
}

/** What is known, and never more than is decided: "better" and "worse" are verdicts of the comparison. */
export function headlineOf(trial: TrialDetail): Headline {
  const { status, progress, plan } = trial
  const { total } = progress
  const ended = countEnded(progress)
  if (status === 'pending' && trial.waitsBehind > 0)
    return {
      title: `Waits behind ${countOf(trial.waitsBehind, 'trial')} of this application.`,
      text: `Those were started before. ${countOf(total, 'call')} are planned when its turn comes.`,
    }
  if (status === 'pending')
    return {
      title: 'The calls are being planned.',
      text: `All ${formatCount(total)} are written down before the first one begins.`,
    }
  if (status === 'running' && ended < total && trial.looks?.taken.length) return lookHeadline(trial)
  if (status === 'running' && ended < total)
    return {
      title: `${formatCount(ended)} of ${formatCount(total)} calls have ended. Nothing is decided yet.`,
      text:
        plan.evaluation === null
          ? 'This trial has no evaluators: it collects the answers, and you can evaluate the runs afterwards.'
          : 'The answers are evaluated and compared when all calls have ended.',
    }
  if (status === 'running')
    return {
      title: 'All calls have ended. Nothing is decided yet.',
      text: 'The answers are being evaluated, and then compared with the baseline.',
    }
  if (status === 'failed') return failedHeadline(trial)
  return comparedHeadline(trial)
}

/** Between two looks: what they have decided. */
function lookHeadline({ looks, variants, plan }: TrialDetail): Headline {
  const look = looks?.taken.length ?? 0
  const last = looks?.taken.at(-1)
  const decided = variants.filter(({ comparison }) =>
    ['improved', 'regressed'].includes(comparison?.verdict ?? 'noClearDifference'),
  )
  const verdicts = decided.map((one) => pairTitle(one.comparison?.verdict ?? '', one.name, plan.baseline)).join(' ')
  const items = `${formatCount(last?.items ?? 0)} of ${countOf(looks?.plannedItems.at(-1) ?? 0, 'item')}`
  const where = `At look ${look} of ${looks?.plannedItems.length}, after ${items}.`
  const leader = last?.leader ?? undefined
  if (!leader || decided.some(({ name }) => name === leader.name))
    return { title: verdicts || 'Nothing is decided yet.', text: where }
  // What is decided of others comes after it: who is ahead is the question, and no verdict.
  const found = last?.variants.find(({ name }) => name === leader.name)
  const open = found && `Not decided: ${evidenceText(found, looks?.rule)}.`
  return { title: leadText(leader, looks?.metric), text: [where, open, verdicts].filter(Boolean).join(' ') }
}

type Leader = NonNullable<NonNullable<TrialDetail['looks']>['taken'][number]['leader']>

/** `v12 leads by 0.07 on grounded. On new items expect 0.06.` */
function leadText({ name, difference, expectedOnNew }: Leader, metric: string | undefined): string {
  const lead = `${name} leads by ${formatScore(Math.abs(difference))}${metric ? ` on ${metricTitle(metric)}` : ''}.`
  if (expectedOnNew === null) return lead
  // Its luck on these items may be all of the lead.
  const isAhead = Math.sign(expectedOnNew.difference) === Math.sign(difference)
  return `${lead} On new items expect ${isAhead ? formatScore(Math.abs(expectedOnNew.difference)) : 'no lead'}.`
}

function evidenceText(
  { evidence, threshold }: { evidence: number; threshold: number },
  rule: NonNullable<TrialDetail['looks']>['rule'] | undefined,
): string {
  return rule === 'planned'
    ? `p ${evidence.toPrecision(2)}, decided below ${threshold.toPrecision(2)}`
    : `evidence ${evidence.toPrecision(2)}, decided from ${threshold.toPrecision(2)}`
}

function failedHeadline({ endedBy, error, progress }: TrialDetail): Headline {
  if (endedBy === 'canceled')
    return {
      title: `Stopped after ${formatCount(progress.done + progress.failed)} of ${countOf(progress.total, 'call')}.`,
      text: 'What has ended stays in the runs. “Retry” goes on with the other calls.',
    }
  return { title: 'The trial has no result.', text: settingsInWords(error ?? 'The server did not say why.') }
}

function comparedHeadline(trial: TrialDetail): Headline {
  const { plan, progress, ranking } = trial
  const compared = trial.variants.filter(({ comparison }) => comparison !== null)
  const [first] = compared
  if (!first?.comparison) return uncomparedHeadline(trial)
  if (compared.length === 1)
    return {
      title: `${pairTitle(first.comparison.verdict, first.name, plan.baseline)}`,
      text: withoutTrialName(first.comparison.summary, trial),
    }
  const better = compared.filter(({ comparison }) => comparison?.verdict === 'improved')
  const [winner] = better
  const title =
    better.length === 0
      ? `No variant is shown to be better than ${plan.baseline}.`
      : better.length === 1 && winner
        ? `${winner.name} is better than ${plan.baseline}.`
        : `${formatCount(better.length)} of ${countOf(compared.length, 'variant')} are better than ${plan.baseline}.`
  const text = ranking?.summary ?? `${countOf(progress.done, 'answer')} were compared.`
  return { title, text }
}

function pairTitle(verdict: string, candidate: string, baseline: string): string {
  switch (verdict) {
    case 'improved':
      return `${candidate} is better than ${baseline}.`
    case 'regressed':
      return `${candidate} is worse than ${baseline}.`
    case 'equivalent':
      return `${candidate} is equivalent to ${baseline}.`
    case 'tooFewCases':
      return 'Too few cases to say which is better.'
    default:
      return `No clear difference between ${candidate} and ${baseline}.`
  }
}

function uncomparedHeadline({ plan, progress, variants }: TrialDetail): Headline {
  const title = `${countOf(progress.done, 'answer')}, not compared.`
  if (plan.evaluation === null)
    return { title, text: 'The trial has no evaluators. Evaluate the runs to learn which variant is better.' }
  if (variants.length === 1) return { title, text: 'There is one variant. Its evaluation has the results.' }
  return {
    title,
    text: 'The evaluations of the runs have the results. Ratings of people are compared by each reader on the page Compare.',
  }
}

/** Why the trial ended before its plan; undefined if it did not. */
export function earlyEnd({ endedBy, error, progress }: TrialDetail): string | undefined {
  if (endedBy !== 'budget' && endedBy !== 'time') return undefined
  const reason = error ?? (endedBy === 'budget' ? 'The cost limit is reached' : 'The time limit is reached')
  return `${settingsInWords(reason)}. ${countOf(progress.skipped, 'call')} skipped, so the verdicts rest on fewer answers.`
}

/** What the looks have saved; undefined if the trial went on to its end. */
export function savedCalls({ status, endedBy, progress, looks }: TrialDetail): string | undefined {
  if (status !== 'completed' || (endedBy !== 'decided' && endedBy !== 'futile')) return undefined
  const after = `look ${looks?.taken.length ?? 0} of ${looks?.plannedItems.length ?? 0}`
  const why = endedBy === 'decided' ? 'all is decided' : 'more items would hardly decide it'
  return `Ended after ${after}, because ${why}: ${countOf(progress.skipped, 'call')} were not needed.`
}

export function targetText({ target }: Variant): string {
  if (target.type === 'worker') return `your code, queue ${target.queue ?? ''}`
  if (target.type === 'recorded') return 'recorded answers'
  if (target.type === 'http') return `your endpoint ${target.endpoint ?? ''}`
  const parameters = Object.entries(target.parameters ?? {}).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  const tools = target.tools === 'replay' ? ['recorded answers of tools'] : []
  return [`version ${target.version ?? ''}`, target.model ?? target.provider ?? '', ...parameters, ...tools]
    .filter(Boolean)
    .join(' · ')
}
