import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Maximize2 } from 'lucide-react'
import { useMemo } from 'react'
import type { TraceRow } from '../../api/generated/api.ts'
import { annotationsOfTraceQuery } from '../../api/trace-annotation-query.ts'
import { outlineQuery, traceQuery } from '../../api/traces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { formatScore } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { PeekPanel } from '../../ui/peek-panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { buildOutline } from '../trace/outline-model.ts'
import { TraceRating } from '../trace/trace-rating.tsx'
import { TraceRatings } from '../trace/trace-ratings.tsx'
import { TraceSummary } from '../trace/trace-summary.tsx'

interface TracePeekProps {
  applicationId: string
  traceId: string
  /** The list around it, for the address of its page. */
  list: string
  /** Undefined if the trace is not in the list. */
  row: TraceRow | undefined
  /** Whether the row, which has the scores, may still arrive. */
  isListLoading: boolean
  position: string | undefined
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  onSelectSpan: (spanId: string) => void
  onClose: () => void
}

/** A trace next to the list: what was asked, answered, failed, scored and rated. */
export function TracePeek({
  applicationId,
  traceId,
  list,
  row,
  isListLoading,
  position,
  onSelectSpan,
  ...on
}: TracePeekProps) {
  const key = { applicationId, traceId }
  const trace = useQuery(traceQuery(key))
  const columns = useQuery(outlineQuery(key))
  const ratings = useQuery(annotationsOfTraceQuery(key))
  // The list around it renders again with every poll.
  const outline = useMemo(() => columns.data && buildOutline(columns.data), [columns.data])
  const isContentShown = trace.data !== undefined && outline !== undefined
  const areScoresKnown = isContentShown && !isListLoading
  const failed = trace.error ? trace : columns.error ? columns : undefined
  return (
    <PeekPanel
      label="Trace"
      {...(position && { position })}
      {...on}
      footer={<TraceRating key={traceId} traceKey={key} areCommentsShown={false} place="panel" />}
      openLink={
        <Link to={pagePaths.trace(applicationId, traceId)} search={{ list }} className={buttonClass('quiet', 'small')}>
          <Maximize2 aria-hidden className="size-3.5" />
          Open
        </Link>
      }
    >
      {failed && <QueryError query={failed} />}
      {!failed && !isContentShown && <Skeleton rows={4} />}
      {trace.data && outline && (
        <TraceSummary
          trace={trace.data}
          outline={outline}
          traceKey={key}
          onSelect={({ spanId }) => onSelectSpan(spanId)}
        />
      )}
      {/* Not before the content: they would be pushed down. */}
      {areScoresKnown && row?.scores && row.scores.length > 0 && (
        <dl className="mt-4 border-t border-line text-data">
          {row.scores.map(({ evaluator, evaluationId, score, label, passed }) => (
            <div key={`${evaluationId}-${evaluator}`} className="flex gap-3 border-b border-line py-1.5">
              <dt className="font-semibold">{metricTitle(evaluator)}</dt>
              <dd className="tabular-nums">{score === null ? (label ?? 'no score') : formatScore(score)}</dd>
              {passed !== null && <dd className="ml-auto text-soft">{passed ? 'pass' : 'fail'}</dd>}
            </div>
          ))}
        </dl>
      )}
      {areScoresKnown && (
        <div className="mt-2 text-data">
          <TraceRatings query={ratings} />
        </div>
      )}
    </PeekPanel>
  )
}
