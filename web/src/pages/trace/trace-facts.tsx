import { useQuery } from '@tanstack/react-query'
import { tracePreviewsQuery } from '../../api/agreement-query.ts'
import type { Span, Trace } from '../../api/generated/api.ts'
import { annotationsOfTraceQuery } from '../../api/trace-annotation-query.ts'
import { type TraceKey, tokensQuery, traceLinksQuery } from '../../api/traces-query.ts'
import { countOf, formatCost, formatCount } from '../../ui/format-number.ts'
import { IdLabel } from '../../ui/id-label.tsx'
import { JsonView } from '../../ui/json-view/json-view.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { FactSection } from './fact-section.tsx'
import type { OutlineModel } from './outline-model.ts'
import { TokenBar } from './token-bar.tsx'
import { TracePartOf } from './trace-part-of.tsx'
import { TracePrompts } from './trace-prompts.tsx'
import { TraceRatings } from './trace-ratings.tsx'
import { TraceScores } from './trace-scores.tsx'

interface TraceFactsProps {
  traceKey: TraceKey
  trace: Trace
  outline: OutlineModel
  /** The selected span. */
  span: Span | undefined
  onShowMapping: () => void
}

export function TraceFacts({ traceKey, trace, outline, span, onShowMapping }: TraceFactsProps) {
  const { data: links, error, isPending, isFetching, refetch } = useQuery(traceLinksQuery(traceKey))
  const ratings = useQuery(annotationsOfTraceQuery(traceKey))
  const row = useQuery(tracePreviewsQuery(traceKey.applicationId, [trace.id])).data?.get(trace.id)
  const divided = useQuery({ ...tokensQuery(traceKey), enabled: trace.totalTokens !== null })
  // Nothing is shown before what is above it: it would be pushed down.
  const isLoading = isPending || ratings.isPending || divided.isLoading
  return (
    <div className="flex flex-col divide-y divide-line text-data">
      <FactSection title="Cost" value={trace.totalCostUsd === null ? 'unknown' : formatCost(trace.totalCostUsd)}>
        <p className="text-soft">{costText(outline)}</p>
        {row?.costBasis && <p className="text-soft">Cost {basisText(row.costBasis)}</p>}
        {span && span.costUsd !== null && span.costBasis && (
          <p className="text-soft">
            This span: {formatCost(span.costUsd)}, {basisText(span.costBasis)}
          </p>
        )}
      </FactSection>
      <FactSection title="Tokens" value={trace.totalTokens === null ? 'unknown' : formatCount(trace.totalTokens)}>
        <QueryError query={divided} />
        {trace.totalTokens !== null && divided.data && <TokenBar tokens={divided.data} />}
        {span && span.totalTokens !== null && (
          <p className="text-soft">
            This span: {tokens(span.inputTokens)} of input, {tokens(span.outputTokens)} of output
          </p>
        )}
      </FactSection>
      {isLoading && <Skeleton rows={2} />}
      {!isLoading && links && <TraceScores links={links} />}
      {!isLoading && <TraceRatings query={ratings} />}
      {!isLoading && <TracePartOf applicationId={traceKey.applicationId} trace={trace} links={links} />}
      {error && (
        <div className="py-3">
          <QueryError query={{ error, isFetching, refetch }} />
        </div>
      )}
      <div hidden={isLoading}>
        <FactSection title="Facts">
          <dl className="grid grid-cols-[96px_minmax(0,1fr)] gap-y-1">
            <Fact label="Model" value={span?.model} />
            <Fact label="Provider" value={span?.provider} />
            {links && <TracePrompts applicationId={traceKey.applicationId} trace={trace} prompts={links.prompts} />}
            <Fact label="Source" value={links?.source} />
            <Fact label="Environment" value={row?.environment} />
            <Fact label="Service" value={row?.service} />
            <Fact label="Session" value={trace.sessionId} />
            <Fact label="User" value={trace.userId} />
            <Fact label="Tags" value={trace.tags.join(', ')} />
            <dt className="text-faint">Trace id</dt>
            <dd>
              <IdLabel id={trace.traceId} label="Copy trace id" />
            </dd>
          </dl>
        </FactSection>
      </div>
      {Object.keys(trace.metadata).length > 0 && (
        <details className="py-3">
          <summary className="font-semibold">Metadata</summary>
          <JsonView label="Metadata" value={trace.metadata} />
        </details>
      )}
      <div className="py-3">
        <button type="button" onClick={onShowMapping} className="touch-link rounded-sm underline underline-offset-4">
          How the attributes were understood
        </button>
      </div>
    </div>
  )
}

function Fact({ label, value }: { label: string; value: string | null | undefined }) {
  if (!value) return null
  return (
    <>
      <dt className="text-faint">{label}</dt>
      <dd className="break-words">{value}</dd>
    </>
  )
}

/** Where a cost comes from, in words. */
function basisText(basis: string): string {
  if (basis === 'reported') return 'reported by the sender'
  if (basis === 'mixed') return 'from several sources'
  return basis.startsWith('application price') ? 'by a price of this application' : `by list prices (${basis})`
}

/** An unknown price must not look like a low cost. */
function costText({ spans }: OutlineModel): string {
  const calls = spans.filter(({ kind, totalTokens }) => kind === 'llm' || totalTokens !== null)
  const priced = calls.filter(({ costUsd }) => costUsd !== null)
  if (calls.length === 0) return 'No model was called.'
  if (priced.length === calls.length)
    return calls.length === 1 ? 'The call has a cost.' : `All ${countOf(calls.length, 'call')} have a cost.`
  return `${formatCount(calls.length - priced.length)} of ${countOf(calls.length, 'call')} without a known price.`
}

function tokens(count: number | null): string {
  return count === null ? 'unknown' : formatCount(count)
}
