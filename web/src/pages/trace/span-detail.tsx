import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Span } from '../../api/generated/api.ts'
import { spanQuery, type TraceKey } from '../../api/traces-query.ts'
import { countOf, formatCount, formatDuration } from '../../ui/format-number.ts'
import { JsonView } from '../../ui/json-view/json-view.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { MessageList } from './message-list.tsx'
import { KindMark } from './span-kinds.tsx'
import { TextBlock } from './text-block.tsx'
import type { ContentLook } from './use-content-look.ts'

interface SpanDetailProps {
  trace: TraceKey
  spanId: string
  look: ContentLook
  /** The choice of the look, at the right of the name. */
  switcher?: ReactNode
}

/** The content of one span: its messages, or its input and output, and everything else that was sent. */
export function SpanDetail({ trace, spanId, look, switcher }: SpanDetailProps) {
  const query = useQuery(spanQuery(trace, spanId))
  const { data: span, error, isPlaceholderData } = query
  if (error) return <QueryError query={query} />
  if (!span) return <Skeleton rows={4} />
  return (
    <div className={isPlaceholderData ? 'opacity-60' : ''}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line pb-2 text-data">
        <KindMark kind={span.kind} />
        <div className="flex min-w-0 flex-1 basis-48 flex-wrap items-baseline gap-x-3">
          <h2 className="text-body font-semibold break-words">{span.name}</h2>
          <span className="text-faint">{factsOf(span)}</span>
        </div>
        {switcher && <span className="ml-auto">{switcher}</span>}
      </div>
      {span.status === 'error' && span.statusMessage && (
        <pre className="mt-3 overflow-x-auto rounded-control bg-danger-wash px-3 py-2 font-mono text-code whitespace-pre-wrap text-danger">
          {span.statusMessage}
        </pre>
      )}
      {look === 'json' ? <JsonView label="Span" value={span} /> : <Content span={span} look={look} />}
    </div>
  )
}

function Content({ span, look }: { span: Span; look: 'rendered' | 'raw' }) {
  const hasMessages = span.messages !== null && span.messages.length > 0
  return (
    <>
      {span.messages && hasMessages && <MessageList messages={span.messages} look={look} />}
      {!hasMessages && (
        <>
          <Section title="Input" text={span.input} look={look} />
          <Section title="Output" text={span.output} look={look} />
        </>
      )}
      <More title="Model parameters" value={span.modelParameters} />
      <More title="Metadata" value={span.metadata} />
      <More title="Events" value={span.events} />
    </>
  )
}

function Section({ title, text, look }: { title: string; text: string | null; look: 'rendered' | 'raw' }) {
  return (
    <section className="border-b border-line py-3">
      <h3 className="mb-1 text-data text-faint">{title}</h3>
      {text ? <TextBlock text={text} look={look} /> : <p className="text-data text-faint">none</p>}
    </section>
  )
}

function More({ title, value }: { title: string; value: object }) {
  const count = Object.keys(value).length
  if (count === 0) return null
  return (
    <details className="border-b border-line py-2">
      <summary className="text-data text-soft">
        {title}, {formatCount(count)}
      </summary>
      <JsonView label={title} value={value} />
    </details>
  )
}

function factsOf(span: Span): string {
  const facts = [
    span.model,
    span.durationMs === null ? 'no end' : formatDuration(span.durationMs),
    span.totalTokens === null ? null : countOf(span.totalTokens, 'token'),
  ]
  return facts.filter(Boolean).join(' · ')
}
