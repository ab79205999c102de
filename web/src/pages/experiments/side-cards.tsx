import { Lock, LockOpen } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ExperimentDetail, ExperimentResults } from '../../api/generated/api.ts'
import { countOf, formatCost, formatCount } from '../../ui/format-number.ts'
import { settingsInWords } from '../../ui/setting-words.ts'
import { formatTime } from '../runs/run-title.ts'
import { planFacts, testCostOf, timesWord } from './experiment-words.ts'

interface SideCardProps {
  experiment: ExperimentDetail
  results: ExperimentResults | undefined
}

const card = 'rounded-card border border-line bg-surface p-5 shadow-lift max-sm:p-4'

/** Hatched as long as it is sealed. */
export function SplitCard({ experiment, results }: SideCardProps) {
  const { items, trialId } = experiment
  const isSealed = trialId === null
  const Icon = isSealed ? Lock : LockOpen
  const { finalists } = planFacts(experiment)
  const tested = countOf(finalists, 'finalist')
  return (
    <section
      aria-label="Test split"
      className={`flex gap-3.5 rounded-card border border-line p-5 max-sm:p-4 ${isSealed ? 'hatched-sealed' : 'bg-surface shadow-lift'}`}
    >
      <span
        className={`grid size-9 shrink-0 place-items-center rounded-full border ${isSealed ? 'border-dashed border-edge bg-surface text-ink' : 'border-gold bg-gold-wash text-gold-ink'}`}
      >
        <Icon aria-hidden className="size-4" />
      </span>
      <div className={`min-w-0 text-data ${isSealed ? 'rounded-control bg-surface/85 px-1.5 -mx-1.5' : ''}`}>
        <h2 className="font-semibold">
          {isSealed
            ? `${countOf(items.test, 'test item')} ${items.test === 1 ? 'is' : 'are'} sealed`
            : results && results.openings > 0
              ? `Test split opened ${timesWord(results.openings)}`
              : 'The test split is open'}
        </h2>
        <p className="mt-0.5 text-meta text-soft">
          {isSealed
            ? `No proposal and no score has seen one. ${experiment.status === 'completed' ? 'They were not needed.' : `They open once, for ${tested} and the start.`}`
            : `For ${tested} and the start. No request for a proposal contained a test item.`}
        </p>
      </div>
    </section>
  )
}

export function CostCard({ experiment, results }: SideCardProps) {
  const { cost, progress, status } = experiment
  const isOver = status === 'completed' && results !== undefined
  const spent = isOver ? results.cost.totalUsd : cost.spentUsd
  const parts = [
    {
      title: `${countOf(progress.answers.done, 'answer')} with scores`,
      usd: results?.cost.answersUsd ?? 0,
      fill: 'bg-series-1',
    },
    {
      title: countOf(progress.reflections.done, 'proposal'),
      usd: results?.cost.reflectionsUsd ?? 0,
      fill: 'bg-series-2',
    },
    { title: 'the test', usd: results?.cost.testUsd ?? 0, fill: 'bg-series-3' },
  ].filter(({ usd }, place) => place < 2 || usd > 0)
  const setAside = status === 'running' && experiment.trialId === null ? testCostOf(experiment) : 0
  const whole = Math.max(cost.maxUsd ?? 0, spent) || 1
  return (
    <section aria-labelledby="experiment-cost" className={card}>
      <h2 id="experiment-cost" className="text-body font-semibold">
        Cost
      </h2>
      <p className="mt-1 text-data text-soft tabular-nums">
        <b className="font-display text-title font-semibold text-ink">{formatCost(spent)}</b>{' '}
        {cost.maxUsd === null ? 'without a limit' : `of ${formatCost(cost.maxUsd)}`}
      </p>
      <div aria-hidden className="mt-2 flex h-1.5 gap-px overflow-hidden rounded-full bg-hover">
        {parts.map(({ title, usd, fill }) => (
          <span key={title} className={fill} style={{ width: `${(100 * usd) / whole}%` }} />
        ))}
      </div>
      <dl className="mt-3 flex flex-col gap-1 text-data tabular-nums">
        {parts.map(({ title, usd, fill }) => (
          <div key={title} className="flex items-center gap-2">
            <span aria-hidden className={`size-2 rounded-[2px] ${fill}`} />
            <dt className="text-soft">{title}</dt>
            <dd className="ml-auto">{formatCost(usd)}</dd>
          </div>
        ))}
        {setAside > 0 && (
          <div className="flex items-center gap-2">
            <dt className="text-soft">set aside for the test, about</dt>
            <dd className="ml-auto">{formatCost(setAside)}</dd>
          </div>
        )}
      </dl>
      <p className="mt-3 text-meta text-pretty text-soft">
        <WhyItStops experiment={experiment} />
      </p>
    </section>
  )
}

function WhyItStops({ experiment }: { experiment: ExperimentDetail }): ReactNode {
  const { status, endedBy, reason, endsAt, cost } = experiment
  const { patience } = planFacts(experiment)
  if (endedBy !== null || status === 'completed' || status === 'failed')
    return (
      <>
        <b className="font-semibold text-ink">Why it stopped:</b>{' '}
        {reason === null ? (experiment.error ?? 'canceled') : settingsInWords(reason)}.
      </>
    )
  const limits = [
    cost.maxUsd === null ? undefined : `at ${formatCost(cost.maxUsd)}`,
    endsAt === null ? undefined : `at ${formatTime(endsAt)}`,
    patience === undefined
      ? undefined
      : `after ${countOf(patience, 'proposal')} that ${patience === 1 ? 'is' : 'are'} not better`,
  ].filter((one) => one !== undefined)
  return (
    <>
      <b className="font-semibold text-ink">Stops</b> {limits.join(', or ')}
      {status === 'running' && endsAt !== null && `; ${timeLeft(endsAt)}`}.
    </>
  )
}

function timeLeft(endsAt: string): string {
  const minutes = Math.round((Date.parse(endsAt) - Date.now()) / MINUTE_MS)
  return minutes < 1 ? 'less than a minute is left' : `about ${minutes} min ${minutes === 1 ? 'is' : 'are'} left`
}

const MINUTE_MS = 60_000

/** What the guards have kept out, and what is known of the judges. */
export function GuardsCard({ experiment: { progress, warnings } }: { experiment: ExperimentDetail }) {
  const { copied, tooLong, frozen, unusable, repeated } = progress.rejected
  const rows = [
    ['copied a training item', copied],
    ['too long', tooLong],
    ['frozen part changed', frozen],
    ['no usable prompt', unusable],
    ['proposed before', repeated],
  ] as const
  const isAny = rows.some(([, count]) => count > 0)
  return (
    <section aria-labelledby="experiment-guards" className={card}>
      <h2 id="experiment-guards" className="text-body font-semibold">
        Guards
      </h2>
      <dl className="mt-2 flex flex-col gap-1 text-data">
        {rows.map(([title, count]) => (
          // Narrow, only what has happened.
          <div key={title} className={`flex justify-between gap-3 ${count === 0 && isAny ? 'max-sm:hidden' : ''}`}>
            <dt className="text-soft">{title}</dt>
            <dd className="tabular-nums">{count === 0 ? 'none' : `${formatCount(count)} rejected`}</dd>
          </div>
        ))}
      </dl>
      {warnings.map((warning) => (
        <p key={warning} className="mt-2 text-meta text-pretty text-warn wrap-anywhere">
          {warning}.
        </p>
      ))}
    </section>
  )
}
