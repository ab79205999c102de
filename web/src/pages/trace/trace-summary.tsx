import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import type { Trace } from '../../api/generated/api.ts'
import { spanQuery, type TraceKey } from '../../api/traces-query.ts'
import { Button } from '../../ui/button.tsx'
import { countOf, formatCost, formatCount, formatDuration } from '../../ui/format-number.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import type { OutlineModel, OutlineSpan } from './outline-model.ts'
import { TextBlock } from './text-block.tsx'

interface TraceSummaryProps {
  trace: Trace
  outline: OutlineModel
  traceKey: TraceKey
  onSelect: (span: OutlineSpan) => void
}

/** What was asked and answered, and what failed. */
export function TraceSummary({ trace, outline, traceKey, onSelect }: TraceSummaryProps) {
  const failed = outline.spans.filter(({ isError }) => isError)
  return (
    <header>
      <h1 className="line-clamp-4 max-w-[48ch] font-display text-section font-semibold break-words">
        {trace.input?.trim() || trace.name || 'Trace without input'}
      </h1>
      <p className="mt-2 flex flex-wrap gap-x-5 text-data text-soft">
        <RelativeTime time={trace.startTime} />
        <strong className="font-semibold text-ink">
          {trace.durationMs === null ? 'no end' : formatDuration(trace.durationMs)}
        </strong>
        <span>{trace.totalTokens === null ? 'tokens unknown' : countOf(trace.totalTokens, 'token')}</span>
        <span>{trace.totalCostUsd === null ? 'cost unknown' : formatCost(trace.totalCostUsd)}</span>
        <span>
          {countOf(outline.spans.length, 'span')}
          {failed.length > 0 && ', '}
          {failed.length > 0 && (
            <strong className="font-semibold text-danger">{formatCount(failed.length)} failed</strong>
          )}
        </span>
      </p>
      <h2 className="mt-4 mb-1 text-data text-faint">Answer</h2>
      <div className="text-reading">
        {trace.output ? <TextBlock text={trace.output} look="rendered" /> : <p className="text-faint">none</p>}
      </div>
      {failed[0] && <Failure traceKey={traceKey} failed={failed} first={findCause(failed)} onSelect={onSelect} />}
    </header>
  )
}

interface FailureProps {
  traceKey: TraceKey
  failed: OutlineSpan[]
  first: OutlineSpan
  onSelect: (span: OutlineSpan) => void
}

function Failure({ traceKey, failed, first, onSelect }: FailureProps) {
  const { data: span } = useQuery(spanQuery(traceKey, first.spanId))
  const times = failed.filter(({ name }) => name === first.name).length
  const message = span?.spanId === first.spanId ? span.statusMessage : null
  return (
    <div className="mt-4 flex items-start gap-3 rounded-control border border-danger/40 bg-danger-wash px-4 py-3">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <div className="min-w-0 flex-1">
        <p className="text-data font-semibold text-danger">
          {first.name} failed {timesText(times)}
        </p>
        {message && <p className="line-clamp-3 font-mono text-code break-words">{message}</p>}
      </div>
      <Button look="quiet" size="small" onClick={() => onSelect(first)}>
        Go to span
      </Button>
    </div>
  )
}

/**
 * The first failure that no failure below it explains. Spans of libraries, such as an HTTP request, say less than the tool or the model
 * that they belong to.
 */
function findCause(failed: OutlineSpan[]): OutlineSpan {
  const known = failed.filter(({ kind }) => kind !== 'span')
  const candidates = known.length > 0 ? known : failed
  const parents = new Set(candidates.map(({ parent }) => parent))
  const cause = candidates.find((span) => !parents.has(span)) ?? candidates[0]
  if (!cause) throw new Error('A failure needs a span that failed')
  return cause
}

function timesText(times: number): string {
  if (times === 1) return ''
  return times === 2 ? 'twice' : `${formatCount(times)} times`
}
