import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Span, Trace } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { formatCost, formatCount } from '../../ui/format-number.ts'
import { IdLabel } from '../../ui/id-label.tsx'
import { JsonView } from '../../ui/json-view/json-view.tsx'
import type { OutlineModel } from './outline-model.ts'

interface TraceFactsProps {
  applicationId: string
  trace: Trace
  outline: OutlineModel
  /** The selected span. */
  span: Span | undefined
  onShowMapping: () => void
}

export function TraceFacts({ applicationId, trace, outline, span, onShowMapping }: TraceFactsProps) {
  return (
    <div className="flex flex-col divide-y divide-line text-data">
      <Section title="Cost" value={trace.totalCostUsd === null ? 'unknown' : formatCost(trace.totalCostUsd)}>
        <p className="text-soft">{costText(outline)}</p>
        {span && span.costUsd !== null && span.costBasis && (
          <p className="text-soft">
            This span: {formatCost(span.costUsd)}, by {span.costBasis}
          </p>
        )}
      </Section>
      <Section title="Tokens" value={trace.totalTokens === null ? 'unknown' : formatCount(trace.totalTokens)}>
        {span && span.totalTokens !== null && (
          <dl className="grid grid-cols-2 text-soft">
            <dt>Input of this span</dt>
            <dd className="text-right tabular-nums">{tokens(span.inputTokens)}</dd>
            <dt>Output of this span</dt>
            <dd className="text-right tabular-nums">{tokens(span.outputTokens)}</dd>
          </dl>
        )}
      </Section>
      {trace.aiComponentId && (
        <Section title="Part of">
          <Link to={pagePaths.component(applicationId, trace.aiComponentId)} className="underline underline-offset-4">
            {trace.componentName}
          </Link>
        </Section>
      )}
      <Section title="Facts">
        <dl className="grid grid-cols-[96px_minmax(0,1fr)] gap-y-1">
          <Fact label="Model" value={span?.model} />
          <Fact label="Provider" value={span?.provider} />
          <Fact label="Session" value={trace.sessionId} />
          <Fact label="User" value={trace.userId} />
          <Fact label="Tags" value={trace.tags.join(', ')} />
          <dt className="text-faint">Trace id</dt>
          <dd>
            <IdLabel id={trace.traceId} label="Copy trace id" />
          </dd>
        </dl>
      </Section>
      {Object.keys(trace.metadata).length > 0 && (
        <details className="py-3">
          <summary className="font-semibold">Metadata</summary>
          <JsonView label="Metadata" value={trace.metadata} />
        </details>
      )}
      <div className="py-3">
        <button type="button" onClick={onShowMapping} className="rounded-sm underline underline-offset-4">
          How the attributes were understood
        </button>
      </div>
    </div>
  )
}

function Section({ title, value, children }: { title: string; value?: string; children?: ReactNode }) {
  return (
    <section className="py-3">
      <h2 className="mb-1 flex justify-between font-semibold">
        {title}
        {value !== undefined && <span className="tabular-nums">{value}</span>}
      </h2>
      {children}
    </section>
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

/** An unknown price must not look like a low cost. */
function costText({ spans }: OutlineModel): string {
  const calls = spans.filter(({ kind, totalTokens }) => kind === 'llm' || totalTokens !== null)
  const priced = calls.filter(({ costUsd }) => costUsd !== null)
  if (calls.length === 0) return 'No model was called.'
  if (priced.length === calls.length)
    return `${formatCount(calls.length)} of ${formatCount(calls.length)} calls have a cost.`
  return `${formatCount(calls.length - priced.length)} of ${formatCount(calls.length)} calls have no known price.`
}

function tokens(count: number | null): string {
  return count === null ? 'unknown' : formatCount(count)
}
