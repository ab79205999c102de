import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { tracePreviewsQuery } from '../../api/agreement-query.ts'
import type { TraceRow } from '../../api/generated/api.ts'
import { QueryError } from '../shell/query-error.tsx'
import { alignSteps } from './align-steps.ts'
import { summaryText } from './amounts.ts'
import type { CompareTracesSearch } from './compare-traces-search.ts'
import { ComparedSteps } from './compared-steps.tsx'
import { amountFigure, type Figure, FigureStrip, nameFigure, statusFigure } from './figure-strip.tsx'
import { NoPair } from './no-pair.tsx'
import { PairedTexts } from './paired-texts.tsx'
import { type BothSides, TraceTitle } from './sides.tsx'
import { type ComparedTrace, useComparedTrace } from './use-compared-trace.ts'

interface TracePairViewProps {
  applicationId: string
  /** The ids of the traces. */
  ids: BothSides<string>
  search: CompareTracesSearch
  change: (changes: Partial<CompareTracesSearch>) => void
}

export function TracePairView({ applicationId, ids, search, change }: TracePairViewProps) {
  const left = useComparedTrace(applicationId, ids.left)
  const right = useComparedTrace(applicationId, ids.right)
  const steps = useMemo(() => alignSteps(left.outline, right.outline), [left.outline, right.outline])
  const rows = useQuery(tracePreviewsQuery(applicationId, [left.trace.id, right.trace.id].toSorted()))
  if (left.trace.id === right.trace.id) {
    return (
      <NoPair
        applicationId={applicationId}
        title="Both are the same trace"
        text="A trace does not differ from itself. Select two traces in the list, then Compare."
      />
    )
  }
  const inputs = { left: left.trace.input, right: right.trace.input }
  const outputs = { left: left.trace.output, right: right.trace.output }
  const hasTexts = [...Object.values(inputs), ...Object.values(outputs)].some((text) => text !== null)
  const isSameQuestion = inputs.left !== null && inputs.left === inputs.right
  const summary = summaryText(left.trace, right.trace)
  return (
    <>
      <header>
        {isSameQuestion && <p className="mb-1 text-meta text-soft">Question of both traces</p>}
        <h1 className="line-clamp-4 max-w-[60ch] font-display text-section font-semibold wrap-anywhere">
          {isSameQuestion ? inputs.left?.trim() : titleOf(inputs)}
        </h1>
        {summary && <p className="mt-1 text-reading text-pretty">{summary}</p>}
        <p className="mt-2 flex flex-wrap gap-x-8 gap-y-1 text-data">
          <TraceTitle side="left" trace={left} />
          <TraceTitle side="right" trace={right} />
        </p>
      </header>
      <section aria-labelledby="numbers" className={cardClass}>
        <h2 id="numbers" className="sr-only">
          In numbers
        </h2>
        <FigureStrip label="Both traces in numbers" figures={figuresOf({ left, right }, rows.data)} />
        <QueryError query={rows} />
      </section>
      {hasTexts && (
        <section aria-label="Question and answer" className={`${cardClass} flex flex-col gap-6`}>
          {!isSameQuestion && <PairedTexts title="Question" level={2} texts={inputs} />}
          <PairedTexts title="Answer" level={2} texts={outputs} />
        </section>
      )}
      <ComparedSteps traces={{ left, right }} steps={steps} search={search} change={change} />
    </>
  )
}

const cardClass = 'mt-5 min-w-0 rounded-card border border-line bg-surface p-5 shadow-lift max-sm:p-4'

function titleOf({ left, right }: BothSides<string | null>): string {
  return left === null && right === null ? 'Two traces without a question' : 'Two traces with different questions'
}

/** The models are known once the rows are there. */
function figuresOf({ left, right }: BothSides<ComparedTrace>, rows: Map<string, TraceRow> | undefined): Figure[] {
  const modelsOf = ({ trace }: ComparedTrace) => rows?.get(trace.id)?.models.join(', ') || null
  return [
    amountFigure('Time', 'time', left.trace.durationMs, right.trace.durationMs),
    amountFigure('Tokens', 'tokens', left.trace.totalTokens, right.trace.totalTokens),
    amountFigure('Cost', 'cost', left.trace.totalCostUsd, right.trace.totalCostUsd),
    amountFigure('Spans', 'spans', left.spanCount, right.spanCount),
    statusFigure(left.trace.status, right.trace.status),
    ...(rows ? [nameFigure('Model', modelsOf(left), modelsOf(right))] : []),
  ]
}
