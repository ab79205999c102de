import { Play, Square } from 'lucide-react'
import { useRef, useState } from 'react'
import type { EvaluationPreview, PreviewCase, PreviewScore } from '../../api/generated/api.ts'
import { type NewEvaluation, usePreview } from '../../api/new-evaluation-query.ts'
import { Button } from '../../ui/button.tsx'
import { countOf, formatCost, formatDuration, formatScore } from '../../ui/format-number.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { ErrorReport } from '../shell/error-report.tsx'
import { type EvaluatorEntry, withEvaluators } from './evaluation-draft.ts'

const CASES = 3

interface TryEvaluatorProps {
  applicationId: string
  componentId: string
  /** Undefined until there is something to evaluate. */
  request: NewEvaluation | undefined
  entry: EvaluatorEntry
}

/** Runs one evaluator on the first cases, before it runs on all of them. */
export function TryEvaluator({ applicationId, componentId, request, entry }: TryEvaluatorProps) {
  const preview = usePreview(applicationId, componentId)
  const stop = useRef<AbortController>(undefined)
  const [tried, setTried] = useState<{ entry: string; result: EvaluationPreview }>()
  const own = JSON.stringify(entry)
  const isOfEarlier = tried !== undefined && tried.entry !== own
  const begin = () => {
    if (!request) return
    stop.current = new AbortController()
    const { datasetId, runId, config = {} } = request
    const { gate: _, ...others } = withEvaluators(config, [entry])
    const body = { datasetId, ...(runId !== undefined && { runId }), config: others, sample: CASES }
    preview.mutate({ body, signal: stop.current.signal }, { onSuccess: (result) => setTried({ entry: own, result }) })
  }
  const end = () => {
    stop.current?.abort()
    preview.reset()
  }
  return (
    <div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h3 className="text-body font-semibold">
          {tried ? `Tried on ${countOf(tried.result.cases.length, 'case')}` : 'Does it work?'}
        </h3>
        <p className="min-w-0 grow text-data text-faint" aria-live="polite">
          {preview.isPending
            ? 'Trying…'
            : tried
              ? `${summarize(tried.result)} · nothing stored${isOfEarlier ? ' · before your last change' : ''}`
              : `See what it says about ${CASES} cases. Nothing is stored.`}
        </p>
        {preview.isPending ? (
          <Button onClick={end}>
            <Spinner />
            <Square aria-hidden className="size-3.5" />
            Stop
          </Button>
        ) : (
          <Button onClick={begin} disabledReason={request ? undefined : 'Choose a dataset first.'}>
            <Play aria-hidden className="size-3.5" />
            {tried ? 'Try again' : `Try on ${CASES} cases`}
          </Button>
        )}
      </div>
      {preview.error && (
        <div className="mt-3">
          <ErrorReport error={preview.error} />
        </div>
      )}
      {tried && tried.result.cases.length === 0 && (
        <p className="mt-2 text-data text-soft">There is no case to try it on.</p>
      )}
      {tried && tried.result.cases.length > 0 && (
        <ul className={`mt-2 divide-y divide-line ${isOfEarlier ? 'opacity-70' : ''}`}>
          {tried.result.cases.map((one, index) => (
            <TriedCase key={one.traceDbId ?? one.itemId ?? index} tried={one} />
          ))}
        </ul>
      )}
    </div>
  )
}

function TriedCase({ tried: { input, output, expected, scores } }: { tried: PreviewCase }) {
  const [score] = scores
  if (!score) return null
  const { reason, error, durationMs } = score
  return (
    <li className="py-2.5 text-data">
      <details>
        <summary className="grid list-none grid-cols-[84px_minmax(0,1fr)] gap-x-3 gap-y-0.5 rounded-sm sm:grid-cols-[84px_minmax(0,1fr)_minmax(0,1.2fr)_56px]">
          <ScoreWord score={score} />
          <span className="line-clamp-2 break-words text-ink">{input ?? 'no input'}</span>
          <span className={`break-words max-sm:col-start-2 ${error === null ? 'text-soft' : 'text-danger'}`}>
            {error ?? reason ?? ''}
          </span>
          <span className="text-right text-meta text-faint tabular-nums max-sm:hidden">
            {formatDuration(durationMs)}
          </span>
        </summary>
        <dl className="mt-2 grid grid-cols-[84px_minmax(0,1fr)] gap-x-3 gap-y-1 text-soft">
          <dt className="text-faint">Answer</dt>
          <dd className="break-words">{output ?? 'none'}</dd>
          <dt className="text-faint">Expected</dt>
          <dd className="break-words">{expected ?? 'nothing'}</dd>
          <dt className="text-faint">Cost</dt>
          <dd>{score.costUsd === null ? 'none or unknown' : formatCost(score.costUsd)}</dd>
        </dl>
      </details>
    </li>
  )
}

/** Words first, color second. */
function ScoreWord({ score: { state, passed, label, score } }: { score: PreviewScore }) {
  if (state !== 'scored') return <span className="font-semibold text-warn">{state}</span>
  const value = label ?? (score === null ? '' : formatScore(score))
  if (passed === null) return <span className="font-semibold tabular-nums">{value}</span>
  return (
    <span className={`font-semibold ${passed ? 'text-good' : 'text-danger'}`}>{passed ? '✓ passes' : '✗ fails'}</span>
  )
}

function summarize({ cases, costUsd }: EvaluationPreview): string {
  const scores = cases.flatMap((one) => one.scores)
  const passes = scores.filter(({ passed }) => passed === true).length
  const fails = scores.filter(({ passed }) => passed === false).length
  const missing = scores.filter(({ state }) => state !== 'scored').length
  const verdicts = [
    ...(passes + fails > 0
      ? [`${passes} ${passes === 1 ? 'passes' : 'pass'}`, `${fails} ${fails === 1 ? 'does' : 'do'} not`]
      : []),
    ...(missing > 0 ? [`${missing} without a score`] : []),
  ]
  return [
    ...(verdicts.length > 0 ? [verdicts.join(', ')] : []),
    costUsd === null ? 'cost unknown' : formatCost(costUsd),
  ].join(' · ')
}
