import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { evaluationQuery } from '../../api/components-query.ts'
import type { EvaluatedMetrics, EvaluationDetail, OverviewRun } from '../../api/generated/api.ts'
import { estimateQuery, type NewEvaluation, useStartEvaluation } from '../../api/overview-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { evaluationTitle, runTitle } from '../runs/run-title.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { QueryError } from '../shell/query-error.tsx'

interface EvaluateRunDialogProps {
  applicationId: string
  componentId: string
  run: OverviewRun
  /** The newest completed evaluation: its evaluators are used again, and its run is the baseline. */
  previous: EvaluatedMetrics | null
  onClose: () => void
}

/** Shows what the evaluation will do and cost before it starts. */
export function EvaluateRunDialog({ applicationId, componentId, run, previous, onClose }: EvaluateRunDialogProps) {
  const navigate = useNavigate()
  const start = useStartEvaluation(applicationId, componentId)
  const detail = useQuery({
    ...evaluationQuery({ applicationId, componentId, evaluationId: previous?.id ?? '' }),
    enabled: previous !== null,
  })
  const isReady = previous === null || detail.data !== undefined
  const body = newEvaluation(run, detail.data)
  const estimate = useQuery({ ...estimateQuery(applicationId, componentId, body), enabled: isReady })
  const baseline = previous?.run?.id === body.config?.['baselineRunId'] ? previous?.run : undefined
  const begin = () =>
    start.mutate(body, {
      onSuccess: () => navigate({ to: pagePaths.componentPart(applicationId, componentId, 'evaluations') }),
    })
  return (
    <Dialog title={`Evaluate ${runTitle(run)}`} isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p className="text-soft">
          {previous
            ? `With the evaluators of ${evaluationTitle(previous)}.`
            : 'With the default evaluators, which need no model.'}{' '}
          {baseline && `Compared with ${runTitle(baseline)}.`}
        </p>
        <div className="rounded-control bg-sunken px-4 py-3 text-data" aria-live="polite">
          {estimate.data ? (
            estimate.data.summary
          ) : (
            <span className="inline-flex items-center gap-2 text-soft">
              {estimate.error || detail.error ? 'The work could not be estimated.' : <Spinner />}
              {!estimate.error && !detail.error && 'Estimating…'}
            </span>
          )}
        </div>
        <QueryError query={detail.error ? detail : estimate} />
        <ErrorReport error={start.error} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            isBusy={start.isPending}
            disabledReason={estimate.data ? undefined : 'Wait until the work is estimated.'}
            onClick={begin}
          >
            Start
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}

/** A baseline and a gate are only possible with another run of the same dataset. */
function newEvaluation(run: OverviewRun, previous: EvaluationDetail | undefined): NewEvaluation {
  const body = { datasetId: run.datasetId, runId: run.id }
  if (!previous) return body
  const { baselineRunId, gate, ...config } = previous.config
  const isComparable = previous.datasetId === run.datasetId && previous.runId !== null && previous.runId !== run.id
  if (isComparable) return { ...body, config: { ...config, ...(gate ? { gate } : {}), baselineRunId: previous.runId } }
  const isSameRun = previous.runId === run.id && baselineRunId !== undefined
  return { ...body, config: isSameRun ? previous.config : config }
}
