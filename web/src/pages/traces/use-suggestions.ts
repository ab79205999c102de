import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type FacetField, facetsQuery } from '../../api/facets-query.ts'
import { findQueryField } from './query-field-list.ts'
import { type CaretContext, otherTerms } from './query-parts.ts'
import { type Suggestion, suggest } from './query-suggestions.ts'
import { useDebounced } from './use-debounced.ts'

/** Long enough that fast typing sends one request, short enough that a pause shows values. */
const PAUSE_MS = 120

interface SuggestionInput {
  applicationId: string
  query: string
  context: CaretContext | undefined
  recent: string[]
  isOpen: boolean
}

/** What can be written at the caret. Values are requested after a pause; an outdated request is cancelled. */
export function useSuggestions({ applicationId, query, context, recent, isOpen }: SuggestionInput) {
  const field = fieldWithValues(context)
  const prefix = context?.typed ?? ''
  const others = useMemo(() => otherTerms(query, context?.part), [query, context])
  const wanted = useDebounced(field ? JSON.stringify([field, others]) : '', PAUSE_MS)
  const settledPrefix = useDebounced(prefix, PAUSE_MS)
  const isSettled = field !== undefined && wanted === JSON.stringify([field, others])
  // Not used while disabled.
  const request = { field: field ?? ('status' as const), q: others }
  const all = useQuery({ ...facetsQuery(applicationId, { ...request, prefix: '' }), enabled: isOpen && isSettled })
  // Most fields have so few values that the first response has all of them, and typing needs no request.
  const isNarrowed = all.data?.isComplete === false && settledPrefix !== ''
  const some = useQuery({
    ...facetsQuery(applicationId, { ...request, prefix: settledPrefix }),
    enabled: isOpen && isSettled && isNarrowed,
  })
  const values = field === undefined ? undefined : isNarrowed ? (some.data ?? all.data) : all.data
  const suggestions: Suggestion[] = useMemo(
    () => (isOpen ? suggest(context, { query, recent, values }) : []),
    [isOpen, context, query, recent, values],
  )
  return { suggestions, isLoading: field !== undefined && !values && !all.isError }
}

/** `score` and `metadata` have names of keys as values; what follows their colon is not suggested. */
function fieldWithValues(context: CaretContext | undefined): FacetField | undefined {
  if (!context || context.type === 'name') return undefined
  const field = findQueryField(context.field)
  return Boolean(field?.isKeyed) === (context.type === 'key') ? field?.facet : undefined
}
