import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { facetsQuery } from '../../api/facets-query.ts'
import type { TraceRow } from '../../api/generated/api.ts'
import { preferencesQuery, useChangePreferences } from '../../api/preferences-query.ts'
import { useRatingLook } from '../../api/rating-scheme-query.ts'
import { TRACES_PER_PAGE } from '../../api/trace-list-query.ts'
import { rowDensity } from '../../ui/row-density.ts'
import { useWidth } from '../../ui/use-width.ts'
import { buildTraceColumns, type Density, fittingColumns } from './trace-columns.tsx'

interface TraceTableOptions {
  applicationId: string
  /** The columns in the address, separated by commas. */
  cols: string | undefined
  /** Those of the first page decide which columns have values. */
  rows: TraceRow[]
  onColumnsChange: (cols: string) => void
}

/** Columns and row height: those of the address, or else what the user chose last, or else those that have values and fit. */
export function useTraceTable({ applicationId, cols, rows, onColumnsChange }: TraceTableOptions) {
  const preferences = useQuery(preferencesQuery)
  const remember = useChangePreferences()
  const evaluators = useQuery(facetsQuery(applicationId, { field: 'score', prefix: '', q: undefined }))
  const [ref, width] = useWidth()
  const chosenDensity = rowDensity.use()
  const density: Density = chosenDensity === 'automatic' ? 'normal' : chosenDensity
  const names = evaluators.data?.data.map(({ value }) => value).toSorted()
  const namesKey = JSON.stringify(names ?? [])
  const lookOf = useRatingLook(applicationId)
  const columns = useMemo(() => buildTraceColumns(density, JSON.parse(namesKey), lookOf), [density, namesKey, lookOf])
  const chosen = cols ?? readColumns(preferences.data?.['traceColumns'])?.join(',')
  const firstPage = rows.slice(0, TRACES_PER_PAGE)
  const ids = chosen ?? fittingColumns(columns, firstPage, width).join(',')
  const columnIds = useMemo(
    () => ids.split(',').filter((id) => columns.some((column) => column.id === id)),
    [ids, columns],
  )
  return {
    columns,
    columnIds,
    /** Of the element around the table, whose width decides how many columns there are. */
    ref,
    lookOf,
    density,
    /** False until the columns are known, so that they do not jump. Rows do not wait for another attempt to read them. */
    isReady: cols !== undefined || !preferences.isPending || preferences.failureCount > 0,
    chooseColumns: (ids: string[]) => {
      onColumnsChange(ids.join(','))
      remember.mutate({ traceColumns: ids })
    },
    chooseDensity: rowDensity.choose,
  }
}

/** The server stores any value. */
function readColumns(stored: unknown): string[] | undefined {
  return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : undefined
}
