import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { spanSearchQuery, type TraceKey } from '../../api/traces-query.ts'
import { controlClass } from '../../ui/field.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import type { OutlineModel, OutlineSpan } from './outline-model.ts'

interface SpanFinderProps {
  trace: TraceKey
  outline: OutlineModel
  selectedId: string | undefined
  onMatches: (spanIds: ReadonlySet<string>) => void
  onSelect: (span: OutlineSpan) => void
  onClose: () => void
}

/** Finds spans by their name at once, and by their content as soon as the server has searched it. */
export function SpanFinder({ trace, outline, selectedId, onMatches, onSelect, onClose }: SpanFinderProps) {
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim())
  const content = useQuery(spanSearchQuery(trace, wanted))
  const found = useMemo(() => {
    if (wanted === '') return []
    const inContent = new Set(content.data?.data.map(({ spanId }) => spanId))
    const name = wanted.toLowerCase()
    return outline.spans.filter((span) => span.name.toLowerCase().includes(name) || inContent.has(span.spanId))
  }, [wanted, content.data, outline])
  useEffect(() => onMatches(new Set(found.map(({ spanId }) => spanId))), [found, onMatches])

  const position = found.findIndex(({ spanId }) => spanId === selectedId)
  const go = (step: number) => {
    const span = found[(position + step + found.length) % found.length]
    if (span) onSelect(span)
  }
  return (
    <search className="flex items-center gap-1 border-b border-line px-3 py-1.5">
      <input
        type="search"
        aria-label="Find in the spans"
        placeholder="Find in names and content"
        // The user asked for the field by a button or a key.
        // biome-ignore lint/a11y/noAutofocus: see above
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1)
          else if (event.key === 'Escape') onClose()
          else return
          event.preventDefault()
        }}
        className={`${controlClass} min-w-0 flex-1 text-data`}
      />
      <span role="status" className="min-w-16 text-right text-meta text-faint tabular-nums">
        {wanted !== '' && countText(found.length, position, content)}
      </span>
      <IconButton label="Previous match" onClick={() => go(-1)}>
        <ChevronUp aria-hidden className="size-4" />
      </IconButton>
      <IconButton label="Next match" onClick={() => go(1)}>
        <ChevronDown aria-hidden className="size-4" />
      </IconButton>
      <IconButton label="Close the search" onClick={onClose}>
        <X aria-hidden className="size-4" />
      </IconButton>
    </search>
  )
}

function countText(count: number, position: number, content: { isPending: boolean; isError: boolean }): string {
  if (content.isError) return `${countOf(count, 'name')}; the content could not be searched`
  if (content.isPending) return 'searching…'
  return position < 0 ? formatCount(count) : `${formatCount(position + 1)} of ${formatCount(count)}`
}
