import { useState } from 'react'
import type { TraceKey } from '../../api/traces-query.ts'
import { Button } from '../../ui/button.tsx'
import { countOf } from '../../ui/format-number.ts'
import type { OutlineModel } from './outline-model.ts'
import { SpanDetail } from './span-detail.tsx'
import type { ContentLook } from './use-content-look.ts'

const PAGE = 10

interface TraceConversationProps {
  traceKey: TraceKey
  outline: OutlineModel
  look: ContentLook
}

/** All model calls of the trace with their messages, in the order in which they started. */
export function TraceConversation({ traceKey, outline, look }: TraceConversationProps) {
  const [count, setCount] = useState(PAGE)
  const calls = outline.spans.filter(({ kind }) => kind === 'llm')
  if (calls.length === 0) return <p className="text-soft">No model was called in this trace.</p>
  return (
    <div className="flex flex-col gap-8">
      {calls.slice(0, count).map(({ spanId }) => (
        <SpanDetail key={spanId} trace={traceKey} spanId={spanId} look={look} />
      ))}
      {calls.length > count && (
        <Button className="self-start" onClick={() => setCount(count + PAGE)}>
          Show more of {countOf(calls.length, 'model call')}
        </Button>
      )}
    </div>
  )
}
