import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Span } from '../../api/generated/api.ts'
import { spanQuery, type TraceKey } from '../../api/traces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { SpanDetail } from '../trace/span-detail.tsx'
import { KindMark } from '../trace/span-kinds.tsx'
import type { Step } from './align-steps.ts'
import { amountFigure, FigureStrip, nameFigure, statusFigure } from './figure-strip.tsx'
import { readableText } from './message-text.ts'
import { PairedMessages } from './paired-messages.tsx'
import { PairedTexts } from './paired-texts.tsx'
import { type BothSides, type Side, SideMark, sideLetters, sideLinkClass, sides } from './sides.tsx'
import { stepName } from './step-name.ts'

interface StepDetailProps {
  step: Step
  keys: BothSides<TraceKey>
}

/** The selected step: the figures and contents of its spans, which are read when it is selected. */
export function StepDetail({ step: { left, right }, keys }: StepDetailProps) {
  const single = left && right ? undefined : left ? 'left' : 'right'
  return (
    <article aria-label="Step" className="min-w-0 p-5 max-sm:p-4">
      {left && right && <PairDetail keys={keys} ids={{ left: left.spanId, right: right.spanId }} />}
      {single === 'left' && left && <SingleDetail side="left" traceKey={keys.left} spanId={left.spanId} />}
      {single === 'right' && right && <SingleDetail side="right" traceKey={keys.right} spanId={right.spanId} />}
    </article>
  )
}

function SingleDetail({ side, traceKey, spanId }: { side: Side; traceKey: TraceKey; spanId: string }) {
  const other = side === 'left' ? 'right' : 'left'
  return (
    <>
      <p className="mb-3 flex flex-wrap items-baseline gap-x-3 text-data">
        <span>
          Only in{' '}
          <b className="font-semibold">
            <SideMark side={side} />
          </b>
          : trace {sideLetters[other]} has no such step.
        </span>
        <OpenLink side={side} traceKey={traceKey} spanId={spanId} />
      </p>
      <SpanDetail trace={traceKey} spanId={spanId} look="rendered" />
    </>
  )
}

function PairDetail({ keys, ids }: { keys: BothSides<TraceKey>; ids: BothSides<string> }) {
  const left = useQuery(spanQuery(keys.left, ids.left))
  const right = useQuery(spanQuery(keys.right, ids.right))
  const failed = [left, right].filter(({ error }) => error !== null)
  if (failed[0]) {
    const refetch = () => Promise.all(failed.map((query) => query.refetch()))
    return <QueryError query={{ ...failed[0], refetch }} />
  }
  if (!left.data || !right.data) return <Skeleton rows={6} />
  const isOutdated = left.isPlaceholderData || right.isPlaceholderData
  return (
    <div aria-busy={isOutdated || undefined} className={isOutdated ? 'opacity-60' : ''}>
      <PairContent spans={{ left: left.data, right: right.data }} keys={keys} />
    </div>
  )
}

function PairContent({ spans: { left, right }, keys }: { spans: BothSides<Span>; keys: BothSides<TraceKey> }) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <KindMark kind={left.kind} />
        <h3 className="min-w-0 text-body font-semibold wrap-anywhere">{stepName({ left, right })}</h3>
        <span className="ml-auto flex gap-4 text-data">
          <OpenLink side="left" traceKey={keys.left} spanId={left.spanId} />
          <OpenLink side="right" traceKey={keys.right} spanId={right.spanId} />
        </span>
      </div>
      <div className="mt-4">
        <FigureStrip label="The step in numbers" figures={figuresOf(left, right)} />
      </div>
      <Failures left={left} right={right} />
      <div className="mt-5 flex flex-col gap-6 border-t border-line pt-4">
        {hasConversation(left) && hasConversation(right) ? (
          <PairedMessages
            key={`${left.spanId} ${right.spanId}`}
            messages={{ left: left.messages ?? [], right: right.messages ?? [] }}
          />
        ) : (
          <InputAndOutput left={left} right={right} />
        )}
      </div>
    </>
  )
}

function InputAndOutput({ left, right }: BothSides<Span>) {
  const input = { left: textOf(left.input), right: textOf(right.input) }
  const output = { left: textOf(left.output), right: textOf(right.output) }
  const isEmpty = [input, output].every((texts) => texts.left === null && texts.right === null)
  if (isEmpty) return <p className="text-data text-soft">No input and no output in both.</p>
  return (
    <>
      <PairedTexts title="Input" level={4} texts={input} />
      <PairedTexts title="Output" level={4} texts={output} />
    </>
  )
}

/** Why the step failed, in each trace. */
function Failures({ left, right }: BothSides<Span>) {
  const failed = sides.filter((side) => (side === 'left' ? left : right).status === 'error')
  if (failed.length === 0) return null
  return (
    <ul className="mt-4 flex flex-col gap-2">
      {failed.map((side) => (
        <li key={side} className="rounded-control bg-danger-wash px-3 py-2 text-data">
          <span className="mr-2 font-semibold text-danger">
            <SideMark side={side} /> failed
          </span>{' '}
          <span className="font-mono text-code wrap-anywhere whitespace-pre-wrap">
            {(side === 'left' ? left : right).statusMessage ?? 'without a message'}
          </span>
        </li>
      ))}
    </ul>
  )
}

function figuresOf(left: Span, right: Span) {
  const hasTokens = left.totalTokens !== null || right.totalTokens !== null
  const hasCost = left.costUsd !== null || right.costUsd !== null || hasTokens
  return [
    amountFigure('Time', 'time', left.durationMs, right.durationMs),
    ...(hasTokens ? [amountFigure('Tokens', 'tokens', left.totalTokens, right.totalTokens)] : []),
    ...(hasCost ? [amountFigure('Cost', 'cost', left.costUsd, right.costUsd)] : []),
    statusFigure(left.status, right.status),
    ...(left.model === null && right.model === null ? [] : [nameFigure('Model', left.model, right.model)]),
  ]
}

/** The messages of a tool are only its input and output in other words. */
function hasConversation({ kind, messages }: Span): boolean {
  return messages !== null && messages.length > (kind === 'llm' ? 0 : 2)
}

function textOf(text: string | null): string | null {
  return text && readableText(text)
}

function OpenLink({ side, traceKey, spanId }: { side: Side; traceKey: TraceKey; spanId: string }) {
  return (
    <Link
      to={pagePaths.trace(traceKey.applicationId, traceKey.traceId)}
      search={{ span: spanId }}
      className={sideLinkClass}
    >
      Open in trace {sideLetters[side]}
    </Link>
  )
}
