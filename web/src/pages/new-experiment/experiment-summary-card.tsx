import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ExperimentEstimate } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { Button } from '../../ui/button.tsx'
import { countOf, formatCost, formatCount, formatScore } from '../../ui/format-number.ts'
import type { FieldError } from '../../ui/schema-form/json-schema.ts'
import { NumberField } from '../../ui/schema-form/number-field.tsx'
import { isUnfilled } from '../new-evaluation/config-error.ts'
import { evaluatorsOf } from '../new-evaluation/evaluation-draft.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'
import type { ExperimentDraft } from './experiment-draft.ts'

export interface StartState {
  run: () => void
  isBusy: boolean
  error: unknown
  disabledReason: string | undefined
}

interface ExperimentSummaryCardProps {
  applicationId: string
  componentId: string
  draft: ExperimentDraft
  estimate: UseQueryResult<ExperimentEstimate | undefined>
  /** The estimate, if it belongs to a form without a mistake. */
  known: ExperimentEstimate | undefined
  /** The form has changed since the estimate was requested. */
  isOutdated: boolean
  problem: FieldError | undefined
  start: StartState
  /** Tries one proposal before the start. */
  tryOne: ReactNode
  onChange: (changes: Partial<ExperimentDraft>) => void
}

/** What the experiment costs, what it can show, what is worth doing before, and the button that starts it. */
export function ExperimentSummaryCard(props: ExperimentSummaryCardProps) {
  const { draft, estimate, known, isOutdated, problem, start, onChange } = props
  const isLoading = estimate.isFetching || isOutdated
  const hasEvaluators = evaluatorsOf(draft.config).length > 0
  const dimmed = isLoading && known ? 'opacity-50' : ''
  return (
    <aside
      id="experiment-summary"
      aria-label="What it costs and shows"
      aria-busy={isLoading || undefined}
      className="rounded-card border border-line bg-surface text-data text-soft shadow-lift lg:sticky lg:top-16"
    >
      <Part title="What it costs" aside={isLoading && known && 'recalculating'}>
        <div aria-live="polite" className={dimmed}>
          {known && <CostWords estimate={known} />}
          {!known && !estimate.error && <p>{hasEvaluators ? 'Estimating…' : 'Choose evaluators to see it.'}</p>}
          {problem && <p className={isUnfilled(problem) ? 'text-ink' : 'text-danger'}>{start.disabledReason}</p>}
        </div>
        {estimate.error && !problem && <QueryError query={estimate} />}
        <div className="mt-3 grid grid-cols-2 items-start gap-3">
          <NumberField
            label="Stop at, $"
            placeholder="no limit"
            value={draft.maxCostUsd}
            onChange={(maxCostUsd) => onChange({ maxCostUsd })}
          />
          <NumberField
            label="or after minutes"
            placeholder="120"
            value={draft.maxMinutes}
            onChange={(maxMinutes) => onChange({ maxMinutes })}
          />
        </div>
        {known?.testCostUsd != null && known.testCostUsd > 0 && (
          <p className={`mt-2 text-meta ${dimmed}`}>
            About {formatCost(known.testCostUsd)} of it is set aside for the test.
          </p>
        )}
      </Part>
      <Part title="What it can show">
        <div className={dimmed}>{known ? <PowerWords estimate={known} /> : <p>Known with the estimate.</p>}</div>
      </Part>
      {known && known.warnings.length > 0 && (
        <Part title="Before you start">
          {known.warnings.map((warning) => (
            <p key={warning} className="mt-1 text-pretty first:mt-0 wrap-anywhere">
              {warning}.
            </p>
          ))}
          <Link
            to={pagePaths.work(props.applicationId)}
            className="touch-link mt-1 inline-block underline decoration-edge underline-offset-3 hover:text-ink"
          >
            Rate answers
          </Link>{' '}
          You can start now and do it meanwhile.
        </Part>
      )}
      <div className="border-t border-line p-5">
        <ErrorReport error={start.error} />
        <Button
          look="primary"
          className="min-h-10 w-full text-body"
          isBusy={start.isBusy}
          disabledReason={start.disabledReason}
          onClick={start.run}
        >
          Start experiment <ShortcutKeys id="startExperiment" />
        </Button>
        {props.tryOne}
        <p className="mt-2 text-center text-meta">You can close the page while it runs.</p>
      </div>
    </aside>
  )
}

function CostWords({ estimate }: { estimate: ExperimentEstimate }) {
  const { proposals, calls, expectedCostUsd, unpricedModels } = estimate
  return (
    <>
      <p className="font-display text-title font-semibold text-ink tabular-nums">
        {expectedCostUsd === null ? 'unknown' : `up to about ${formatCost(expectedCostUsd)}`}
      </p>
      <p className="mt-1">
        Up to about <b className="font-semibold text-ink">{countOf(proposals, 'proposal')}</b>, {countOf(calls, 'call')}{' '}
        of models.
      </p>
      {unpricedModels.length > 0 && (
        <p className="mt-1 text-warn">
          No price is known for {unpricedModels.join(', ')}, so a cost limit cannot hold.
        </p>
      )}
    </>
  )
}

/** The smallest change that the sealed items can show, on a scale from 0 to 1. */
function PowerWords({ estimate: { detectableDifference: seen, items } }: { estimate: ExperimentEstimate }) {
  if (seen === null)
    return (
      <p>
        {countOf(items.test, 'test item')} cannot show any change of a rate. <b className="text-ink">Add items.</b>
      </p>
    )
  return (
    <>
      <p>
        On {formatCount(items.test)} test items a rate must change by about{' '}
        <b className="font-semibold text-ink">{formatScore(seen)}</b>, such as from 0.50 to{' '}
        {formatScore(Math.min(1, 0.5 + seen))}, to be found in 80 of 100 experiments.
      </p>
      <svg aria-hidden height={28} className="mt-2 block w-full overflow-visible">
        <line x1="0" x2="100%" y1="8" y2="8" strokeWidth={2} className="stroke-line" />
        <line
          x1="50%"
          x2={`${100 * Math.min(1, 0.5 + seen)}%`}
          y1="8"
          y2="8"
          strokeWidth={4}
          className="stroke-series-2 opacity-50"
        />
        <svg aria-hidden x="50%" y="8" className="overflow-visible">
          <circle r={4.5} className="fill-series-1 stroke-surface" strokeWidth={1.5} />
        </svg>
        <svg aria-hidden x={`${100 * Math.min(1, 0.5 + seen)}%`} y="8" className="overflow-visible">
          <path d="M0-5.5L5.5 0L0 5.5L-5.5 0Z" className="fill-series-2 stroke-surface" strokeWidth={1.5} />
        </svg>
        {[0, 0.25, 0.5, 0.75, 1].map((tick) => (
          <text
            key={tick}
            x={`${100 * tick}%`}
            y={27}
            textAnchor={tick === 0 ? 'start' : tick === 1 ? 'end' : 'middle'}
            className="fill-faint text-[11px]"
          >
            {tick}
          </text>
        ))}
      </svg>
    </>
  )
}

function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="border-line p-5 not-first:border-t">
      <div className="mb-1 flex items-center justify-between gap-2">
        <h3 className="text-data font-semibold text-ink">{title}</h3>
        {aside && <span className="text-meta text-faint">{aside}</span>}
      </div>
      {children}
    </section>
  )
}
