import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { EvaluationEstimate, EvaluatorType } from '../../api/generated/api.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { Button } from '../../ui/button.tsx'
import type { FieldError } from '../../ui/schema-form/json-schema.ts'
import { numberOf } from '../../ui/schema-form/json-value.ts'
import { NumberField } from '../../ui/schema-form/number-field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { describeProblem, isUnfilled, keyError } from './config-error.ts'
import { CostPart, PowerPart } from './estimate-parts.tsx'
import { type EvaluationDraft, evaluatorsOf, gateOf, textOf } from './evaluation-draft.ts'
import { describeTypes } from './evaluator-words.ts'
import { listGateMetrics } from './gate-metrics.ts'
import { GatePart } from './gate-part.tsx'

interface EvaluationSummaryProps {
  applicationId: string
  draft: EvaluationDraft
  types: EvaluatorType[]
  estimate: UseQueryResult<EvaluationEstimate | undefined>
  /** The form has changed since the estimate was requested. */
  isOutdated: boolean
  problem: FieldError | undefined
  start: { run: () => void; isBusy: boolean; error: unknown; isPossible: boolean }
  onChange: (key: string, value: unknown) => void
}

/** What the evaluation costs, what it can show, when it passes, and the button that starts it. */
export function EvaluationSummary(props: EvaluationSummaryProps) {
  const { applicationId, draft, types, estimate, isOutdated, problem, start, onChange } = props
  const { config, runId } = draft
  const { data } = estimate
  const isLoading = estimate.isFetching || isOutdated
  const isInvalid = estimate.error !== null && problem !== undefined
  const known = isInvalid || !data ? undefined : data
  const titleOf = (type: string) => describeTypes(types).find((one) => one.type === type)?.title ?? type
  const missing = isInvalid ? `Not yet: ${describeProblem(problem, config, titleOf)}` : undefined
  return (
    <aside
      aria-label="What it costs and shows"
      className="rounded-card border border-line bg-surface text-data text-soft shadow-lift lg:sticky lg:top-16 lg:max-h-[calc(100dvh-11.5rem)] lg:overflow-y-auto"
    >
      <Part title="What it costs" aside={isLoading && <Spinner />}>
        <div aria-live="polite" aria-busy={isLoading || undefined} className={isLoading && known ? 'opacity-60' : ''}>
          {known && (
            <CostPart applicationId={applicationId} estimate={known} evaluatorCount={evaluatorsOf(config).length} />
          )}
          {missing && <p className={isInvalid && isUnfilled(problem) ? 'text-ink' : 'text-danger'}>{missing}</p>}
          {!known && !estimate.error && <p>Estimating…</p>}
        </div>
        {estimate.error && !isInvalid && <QueryError query={estimate} />}
        <div className="mt-3">
          <NumberField
            label="Stop at, in US dollars"
            isOptional
            placeholder="no limit"
            error={keyError(problem, 'maxCostUsd')}
            value={numberOf(config['maxCostUsd'])}
            onChange={(value) => onChange('maxCostUsd', value)}
          />
        </div>
      </Part>
      <Part title="What it can show">{known ? <PowerPart estimate={known} /> : <p>Known with the estimate.</p>}</Part>
      <div className="border-t border-line p-5">
        <GatePart
          gate={gateOf(config)}
          metrics={listGateMetrics(config, types)}
          disabledReason={
            runId === undefined || textOf(config['baselineRunId']) === undefined
              ? 'A gate compares two runs: choose a run, and one to compare it with.'
              : undefined
          }
          estimate={known?.gate}
          error={keyError(problem, 'gate')}
          onChange={(gate) => onChange('gate', gate)}
        />
      </div>
      <div className="border-t border-line bg-surface p-5 lg:sticky lg:bottom-0">
        <ErrorReport error={start.error} />
        <Button
          look="primary"
          className="mt-0 min-h-10 w-full text-body"
          isBusy={start.isBusy}
          disabledReason={start.isPossible ? undefined : (missing ?? 'It cannot be estimated.')}
          onClick={start.run}
        >
          Start evaluation <ShortcutKeys id="startEvaluation" />
        </Button>
      </div>
    </aside>
  )
}

function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="border-line p-5 not-first:border-t">
      <div className="mb-1 flex items-center justify-between gap-2">
        <h3 className="text-data font-semibold text-ink">{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  )
}
