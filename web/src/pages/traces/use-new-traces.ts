import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import type { TraceRow } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { newestTracesQuery, TRACES_PER_PAGE, type TraceFilter } from '../../api/trace-list-query.ts'

interface NewTracesOptions {
  applicationId: string
  filter: TraceFilter
  /** Undefined until it is loaded. */
  list: { rows: TraceRow[]; newestId: string } | undefined
  isLive: boolean
  onShow: () => void
}

/** Long enough to read a row before the next ones arrive. */
const LIVE_PAUSE_MS = 2_000

/**
 * How many traces have arrived since the list was loaded; at most one page of them is counted. They wait until the user asks for them.
 * If the list is live, they are shown at once, unless the mouse is over the rows, which must not move, or several pages are loaded.
 */
export function useNewTraces({ applicationId, filter, list, isLive, onShow }: NewTracesOptions) {
  const [isHovered, setIsHovered] = useState(false)
  const query = newestTracesQuery(applicationId, filter)
  // Not before there is a list to compare with.
  const { data: newest = [] } = useQuery({ ...query, enabled: list !== undefined })
  useLiveQuery(applicationId, ['traces'], query.queryKey, { pauseMs: isLive ? LIVE_PAUSE_MS : 0 })
  const shown = new Set(list?.rows.map(({ id }) => id))
  const count = list ? newest.filter(({ id }) => id > list.newestId && !shown.has(id)).length : 0
  const isShownAtOnce = isLive && !isHovered && count > 0 && shown.size <= TRACES_PER_PAGE
  const newestId = newest[0]?.id
  const show = useEffectEvent(onShow)
  useEffect(() => {
    // Once for each arrival: what is shown may be sorted by something else, and end before the newest.
    if (isShownAtOnce && newestId) show()
  }, [isShownAtOnce, newestId])
  return {
    count: isShownAtOnce ? 0 : count,
    hoverProps: {
      onPointerEnter: ({ pointerType }: { pointerType: string }) => setIsHovered(pointerType === 'mouse'),
      onPointerLeave: () => setIsHovered(false),
    },
  }
}
