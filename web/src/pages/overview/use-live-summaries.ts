import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { apiKey } from '../../api/api-query.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { componentSummariesQuery, type Period } from '../../api/overview-query.ts'
import { useHeldWhileHovered } from '../../ui/use-held-while-hovered.ts'
import { listNeeds, type Reader } from './list-needs.ts'

/** In a busy application, traces arrive all the time, and the numbers of a period hardly change. */
export const TRACES_PAUSE_MS = 10_000

/** The components, read again when something changes. No row moves while the mouse is over the page. */
export function useLiveSummaries(reader: Reader, period: Period) {
  const { applicationId } = reader
  const options = componentSummariesQuery(applicationId, period)
  const summaries = useInfiniteQuery(options)
  const key = apiKey('/component-summaries', applicationId)
  useLiveQuery(applicationId, ['runs', 'evaluations', 'annotations'], key)
  useLiveQuery(applicationId, ['traces'], key, { pauseMs: TRACES_PAUSE_MS })
  // More pages are shown because the user has asked for them.
  const pageCount = useQueryClient().getQueryData(options.queryKey)?.pages.length ?? 0
  const newest = summaries.data ?? []
  const needs = listNeeds(newest, reader).map(({ key: need }) => need)
  const layout = [needs.join(), ...newest.map(({ id }) => id)]
  const { shown, ...held } = useHeldWhileHovered(summaries.data, layout, `${period} ${pageCount}`)
  return { ...held, summaries, rows: shown ?? [] }
}
