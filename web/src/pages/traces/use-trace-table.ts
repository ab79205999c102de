import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { facetsQuery } from '../../api/facets-query.ts'
import { preferencesQuery, useChangePreferences } from '../../api/preferences-query.ts'
import { useRatingLook } from '../../api/rating-scheme-query.ts'
import { rowDensity } from '../../ui/row-density.ts'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import {
  buildTraceColumns,
  columnsWithPeek,
  columnsWithPeekNarrow,
  type Density,
  defaultColumns,
} from './trace-columns.tsx'

interface TraceTableOptions {
  applicationId: string
  /** The columns in the address, separated by commas. */
  cols: string | undefined
  isPeekOpen: boolean
  onColumnsChange: (cols: string) => void
}

/** Columns and row height: those of the address, or else what the user chose last, or else the default. */
export function useTraceTable({ applicationId, cols, isPeekOpen, onColumnsChange }: TraceTableOptions) {
  const preferences = useQuery(preferencesQuery)
  const remember = useChangePreferences()
  const evaluators = useQuery(facetsQuery(applicationId, { field: 'score', prefix: '', q: undefined }))
  const isMedium = useMediaQuery('(max-width: 1499px)')
  const isNarrow = useMediaQuery('(max-width: 1379px)')
  const chosenDensity = rowDensity.use()
  const density: Density = chosenDensity === 'automatic' ? 'normal' : chosenDensity
  const names = evaluators.data?.data.map(({ value }) => value).toSorted()
  const namesKey = JSON.stringify(names ?? [])
  const lookOf = useRatingLook(applicationId)
  const columns = useMemo(() => buildTraceColumns(density, JSON.parse(namesKey), lookOf), [density, namesKey, lookOf])
  const chosen = cols ?? readColumns(preferences.data?.['traceColumns'])?.join(',')
  const fitting = isNarrow ? columnsWithPeekNarrow : isMedium ? columnsWithPeek : defaultColumns
  const standard = isPeekOpen ? fitting : defaultColumns
  const columnIds = useMemo(
    () => (chosen?.split(',') ?? standard).filter((id) => columns.some((column) => column.id === id)),
    [chosen, standard, columns],
  )
  return {
    columns,
    columnIds,
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
