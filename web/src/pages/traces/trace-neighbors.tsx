import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { traceRowsQuery } from '../../api/trace-list-query.ts'
import type { TraceKey } from '../../api/traces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { formatCount } from '../../ui/format-number.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { readListParameter } from './listed-trace.ts'
import { useTimeRange } from './use-time-range.ts'

interface TraceNeighborsProps {
  traceKey: TraceKey
  /** As in the address. */
  list: string
}

/** Where the trace is in the list that it was opened from, and the ones before and after it. */
export function TraceNeighbors({ traceKey: { applicationId, traceId }, list }: TraceNeighborsProps) {
  const search = readListParameter(list)
  const { times } = useTimeRange(applicationId, search)
  const filter = { q: search.q || undefined, ...times }
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    traceRowsQuery(applicationId, filter, search.sort ?? '-time'),
  )
  const navigate = useNavigate()
  const rows = data?.rows ?? []
  const position = rows.findIndex(({ id }) => id === traceId)
  const openAt = (index: number) => {
    const id = rows[index]?.id
    if (position === -1 || id === undefined) return undefined
    return () => void navigate({ to: pagePaths.trace(applicationId, id), search: { list }, replace: true })
  }
  const previous = openAt(position - 1)
  const next = openAt(position + 1)
  useShortcut('previousListedTrace', previous)
  useShortcut('nextListedTrace', next)
  // Before the last loaded trace is shown, so that the next one is there.
  if (position >= rows.length - 2 && position !== -1 && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  if (position === -1) return null
  return (
    <span className="flex items-center gap-0.5 text-data text-soft">
      <span className="tabular-nums max-md:hidden">
        {formatCount(position + 1)} of {formatCount(data?.total ?? 0)}
        {data?.isTotalExact === false && ' or more'}
      </span>
      <IconButton
        label="Previous trace"
        size="small-icon"
        disabledReason={previous ? undefined : 'This is the first one.'}
        onClick={previous}
      >
        <ChevronUp aria-hidden className="size-4" />
      </IconButton>
      <IconButton
        label="Next trace"
        size="small-icon"
        disabledReason={next ? undefined : 'This is the last one.'}
        onClick={next}
      >
        <ChevronDown aria-hidden className="size-4" />
      </IconButton>
    </span>
  )
}
