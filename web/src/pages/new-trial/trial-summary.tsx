import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { EvaluatorType, TrialEstimate } from '../../api/generated/api.ts'
import type { NewTrial } from '../../api/trials-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { countOf, formatCost, formatCount, formatScore } from '../../ui/format-number.ts'
import type { FieldError } from '../../ui/schema-form/json-schema.ts'
import { withProperty } from '../../ui/schema-form/json-value.ts'
import { isUnfilled, keyError } from '../new-evaluation/config-error.ts'
import { gateOf } from '../new-evaluation/evaluation-draft.ts'
import { listGateMetrics } from '../new-evaluation/gate-metrics.ts'
import { GatePart } from '../new-evaluation/gate-part.tsx'
import { COLUMNS_MAX } from '../playground/playground-record.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { DetectablePlot } from './detectable-plot.tsx'
import { RepetitionTable } from './repetition-table.tsx'
import { requestCommand } from './request-command.ts'
import type { TrialDraft } from './trial-draft.ts'
import { trialFieldError } from './trial-error.ts'
import { variantsOf } from './variant-list.ts'

interface TrialSummaryProps {
  applicationId: string
  componentId: string
  /** What the form sends; undefined without a variant. */
  request: NewTrial | undefined
  draft: TrialDraft
  types: EvaluatorType[]
  estimate: UseQueryResult<TrialEstimate | undefined>
  /** The estimate, if it belongs to a form without a mistake. */
  known: TrialEstimate | undefined
  /** The form has changed since the estimate was requested. */
  isOutdated: boolean
  problem: FieldError | undefined
  start: { run: () => void; isBusy: boolean; error: unknown; disabledReason: string | undefined }
  onChange: (changes: Partial<TrialDraft>) => void
}

/** What the trial costs, what it can show, and the button that starts it. */
export function TrialSummary(props: TrialSummaryProps) {
  const { applicationId, componentId, request } = props
  const { draft, types, estimate, known, isOutdated, problem, start, onChange } = props
  const isLoading = estimate.isFetching || isOutdated
  const variants = variantsOf(draft)
  const metrics = listGateMetrics(draft.config, types)
  const tryOn = tryOnItems({ applicationId, componentId }, draft)
  return (
    <aside
      aria-label="What it costs and shows"
      aria-busy={isLoading || undefined}
      className="rounded-card border border-line bg-surface text-data text-soft shadow-lift lg:sticky lg:top-16"
    >
      <Part title="What it costs" aside={isLoading && known && 'recalculating'}>
        <div aria-live="polite" className={isLoading && known ? 'opacity-50' : ''}>
          {known && <CostWords estimate={known} maxCostUsd={draft.maxCostUsd} />}
          {!known && !estimate.error && <p>{variants.length === 0 ? 'Choose variants to see it.' : 'Estimating…'}</p>}
          {problem && <p className={isUnfilled(problem) ? 'text-ink' : 'text-danger'}>{start.disabledReason}</p>}
        </div>
        {estimate.error && !problem && trialFieldError(estimate.error) && (
          <p className="text-danger">{start.disabledReason}</p>
        )}
        {estimate.error && !problem && !trialFieldError(estimate.error) && <QueryError query={estimate} />}
      </Part>
      <Part title="What it can show">
        {known ? (
          <>
            <RepetitionTable estimate={known} draft={draft} onChange={onChange} />
            <DetectablePlot
              points={known.byItems}
              items={known.calls / Math.max(1, variants.length * draft.repetitions)}
            />
          </>
        ) : (
          <p>Known with the estimate.</p>
        )}
      </Part>
      <div className="border-t border-line p-5">
        <GatePart
          gate={gateOf(draft.config)}
          metrics={metrics}
          disabledReason={
            variants.length < 2 ? 'A gate compares variants with a baseline: choose two or more.' : undefined
          }
          estimate={gateEstimate(known)}
          error={keyError(problem, 'gate')}
          onChange={(gate) => onChange({ config: withProperty(draft.config, 'gate', gate) })}
        />
      </div>
      <div className="border-t border-line p-5">
        <ErrorReport error={start.error} />
        <Button
          look="primary"
          className="mt-0 min-h-10 w-full text-body"
          isBusy={start.isBusy}
          disabledReason={start.disabledReason}
          onClick={start.run}
        >
          Start trial <ShortcutKeys id="startTrial" />
        </Button>
        {tryOn && (
          <Link to={tryOn.path} search={tryOn.search} className={`${buttonClass()} mt-2 min-h-10 w-full`}>
            Try on 3 items first
          </Link>
        )}
        {request && (
          <div className="mt-2 flex justify-center">
            <CopyButton text={requestCommand(componentId, request)} label="Copy as API request" look="quiet" />
          </div>
        )}
        {known?.minutes != null && (
          <p className="mt-2 text-center text-meta">
            about {minutesText(known.minutes)}
            {known.callsPerMinute !== null &&
              `, ${formatCount(Math.max(1, Math.round(known.callsPerMinute)))} calls a minute`}
            ; you can close the page
          </p>
        )}
      </div>
    </aside>
  )
}

/** The same versions with three of the items; the playground has room for six. */
function tryOnItems(component: { applicationId: string; componentId: string }, draft: TrialDraft) {
  const { promptId, versions, datasetId, seed } = draft
  if (promptId === undefined || versions.length === 0) return undefined
  return {
    path: pagePaths.promptPlayground(component.applicationId, component.componentId, promptId),
    search: {
      versions: versions.slice(0, COLUMNS_MAX).join(','),
      rows: 'items' as const,
      dataset: datasetId,
      items: 3,
      seed,
    },
  }
}

function CostWords({ estimate, maxCostUsd }: { estimate: TrialEstimate; maxCostUsd: number | undefined }) {
  const { calls, cost, judges, unpricedModels } = estimate
  const { minUsd, expectedUsd, maxUsd } = cost
  const isFree = maxUsd === 0 && judges?.calls === 0
  const judgesUsd = judges?.expectedUsd ?? null
  const totalUsd = expectedUsd === null || judgesUsd === null ? null : expectedUsd + judgesUsd
  return (
    <>
      <p className="font-display text-title font-semibold text-ink tabular-nums">
        {totalUsd === null ? 'unknown' : isFree ? 'nothing' : `about ${formatCost(totalUsd)}`}
      </p>
      <p className="mt-1">
        {countOf(calls, 'call')}
        {expectedUsd !== null &&
          maxUsd !== 0 &&
          `, ${formatCost(expectedUsd)}: between ${formatCost(minUsd)} and ${formatCost(maxUsd)}`}
        .{maxUsd === 0 && ' Calls of your own code are not part of it.'} {judgesText(judges)}
      </p>
      {unpricedModels.length > 0 && (
        <p className="mt-1 text-warn">
          No price is known for {unpricedModels.join(', ')}, so a cost limit cannot hold.
        </p>
      )}
      {expectedUsd !== null && maxCostUsd !== undefined && maxCostUsd < expectedUsd && (
        <p className="mt-1 font-medium text-warn">
          Stops after about {formatCount(Math.floor((calls * maxCostUsd) / expectedUsd))} of {formatCount(calls)} calls.
        </p>
      )}
    </>
  )
}

/** `Judges: 3,200 calls, $2.94.` A cost limit is one of the answers. */
function judgesText(judges: TrialEstimate['judges']): string {
  if (judges === null) return 'What the judges cost is not known: no model can be asked.'
  const { calls, expectedUsd, unpricedModels } = judges
  if (calls === 0) return ''
  const price = expectedUsd === null ? `unknown, no price for ${unpricedModels.join(', ')}` : formatCost(expectedUsd)
  return `Judges: ${countOf(calls, 'call')}, ${price}; the cost limit does not include them.`
}

type GateEstimate = Parameters<typeof GatePart>[0]['estimate']

function gateEstimate(known: TrialEstimate | undefined): GateEstimate {
  if (!known?.gate) return undefined
  const { items, itemsNeeded, margin } = known.gate
  const summary =
    itemsNeeded === null
      ? 'Enter a margin to see how many items it needs.'
      : `If nothing has changed, about ${countOf(itemsNeeded, 'item')} show that it is not worse by more than ${margin === null ? 'the margin' : formatScore(margin)}.`
  return { ...known.gate, items, basis: 'assumed', summary }
}

function minutesText(minutes: number): string {
  return minutes < 1 ? 'a minute' : countOf(Math.ceil(minutes), 'minute')
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
