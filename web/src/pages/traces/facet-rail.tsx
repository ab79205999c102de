import { useQuery } from '@tanstack/react-query'
import { ChevronRight, X } from 'lucide-react'
import { useId, useState } from 'react'
import { type FacetField, facetGroupsQuery, facetsQuery } from '../../api/facets-query.ts'
import type { FacetValues } from '../../api/generated/api.ts'
import { useRatingLook } from '../../api/rating-scheme-query.ts'
import type { TraceFilter } from '../../api/trace-list-query.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { createLocalSetting, type LocalSetting } from '../../ui/local-setting.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { chosenValues, type QueryTerm, toggleTerm, valueTerm, withoutField } from './query-terms.ts'
import { useDebounced } from './use-debounced.ts'

type RailField = Extract<
  FacetField,
  | 'status'
  | 'component'
  | 'model'
  | 'prompt'
  | 'source'
  | 'environment'
  | 'tag'
  | 'user'
  | 'session'
  | 'rating'
  | 'score'
>

/** Users and sessions have many values, and few of them are looked for. */
const railFields = [
  fieldOf('status', 'Status'),
  fieldOf('component', 'Component'),
  fieldOf('model', 'Model'),
  fieldOf('prompt', 'Prompt'),
  fieldOf('source', 'Source'),
  fieldOf('environment', 'Environment'),
  fieldOf('tag', 'Tag'),
  fieldOf('rating', 'Rating'),
  fieldOf('score', 'Score'),
  fieldOf('user', 'User', 'closed'),
  fieldOf('session', 'Session', 'closed'),
]

function fieldOf(field: RailField, title: string, fallback: 'open' | 'closed' = 'open') {
  const storageKey = `touchstone.trace-filters.${field}`
  return { field, title, setting: createLocalSetting({ storageKey, values: ['open', 'closed'], fallback }) }
}

/** Whether the filters are shown next to a wide list. */
export const railSetting = createLocalSetting<'open' | 'closed'>({
  storageKey: 'touchstone.trace-filters',
  values: ['open', 'closed'],
  fallback: 'open',
})

interface FacetRailProps {
  applicationId: string
  filter: TraceFilter
  onQuery: (query: string) => void
  /** On a narrow window, where the filters cover the list. */
  onClose?: () => void
}

/** Values of the traces that match, with their numbers. A click adds a term to the query, or removes it. */
export function FacetRail({ applicationId, filter, onQuery, onClose }: FacetRailProps) {
  const query = filter.q ?? ''
  const groups = useQuery(facetGroupsQuery(applicationId, filter))
  const lookOf = useRatingLook(applicationId)
  const byField = new Map(groups.data?.data.map((group) => [group.field, group]))
  return (
    <section aria-label="Filters" className="flex h-full min-h-0 flex-col border-r border-line">
      <div className="flex min-h-10 items-center justify-between border-b border-line pr-1 pl-4">
        <h2 className="text-data font-semibold">Filters</h2>
        {onClose && (
          <IconButton label="Close the filters" size="small-icon" onClick={onClose}>
            <X aria-hidden className="size-4" />
          </IconButton>
        )}
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto pb-4">
        <QueryError query={groups} />
        {/* Titles without their values would move when these arrive. */}
        {groups.isPending && (
          <div className="p-4">
            <Skeleton />
          </div>
        )}
        {!groups.isPending &&
          railFields.map(({ field, title, setting }) => (
            <FacetGroup
              key={field}
              applicationId={applicationId}
              field={field}
              title={title}
              setting={setting}
              filter={filter}
              found={byField.get(field)}
              nameOf={field === 'rating' ? (value) => lookOf(value).label : (value) => value}
              onToggle={(term) => onQuery(toggleTerm(query, term))}
            />
          ))}
      </div>
    </section>
  )
}

interface FacetGroupProps {
  applicationId: string
  field: RailField
  title: string
  /** Whether its values are shown. */
  setting: LocalSetting<'open' | 'closed'>
  filter: TraceFilter
  /** Undefined while they load. */
  found: { values: FacetValues['data']; isComplete: boolean } | undefined
  nameOf: (value: string) => string
  onToggle: (term: QueryTerm) => void
}

const SHOWN = 5
/** With fewer values, looking is faster than typing. */
const SEARCHED_FROM = 8
const PAUSE_MS = 150

function FacetGroup({ applicationId, field, title, setting, filter, found, nameOf, onToggle }: FacetGroupProps) {
  const query = filter.q ?? ''
  const id = useId()
  const isOpen = setting.use() === 'open'
  const [areAllShown, setAreAllShown] = useState(false)
  const [typed, setTyped] = useState('')
  const prefix = useDebounced(typed.trim(), PAUSE_MS)
  const chosen = field === 'score' ? [] : chosenValues(query, field)
  const others = { ...filter, q: withoutField(query, field) || undefined }
  // The other values of a chosen field, which the query excludes, are alternatives.
  const alternatives = useQuery({
    ...facetGroupsQuery(applicationId, others, field),
    enabled: isOpen && chosen.length > 0,
  })
  // Values that are too many to be listed are found by their beginning.
  const isSearched = prefix !== '' && found?.isComplete === false
  const searched = useQuery({
    ...facetsQuery(applicationId, { field, prefix, ...others }),
    enabled: isOpen && isSearched,
  })
  const listed = chosen.length > 0 ? (alternatives.data?.data[0]?.values ?? found?.values) : found?.values
  const values = (isSearched ? searched.data?.data : undefined) ?? listed ?? []
  const rows = rowsOf(field, values, chosen)
  const text = typed.trim().toLowerCase()
  const matching = rows.filter(({ value }) => nameOf(value).toLowerCase().includes(text))
  const shown = areAllShown || text !== '' ? matching : matching.slice(0, SHOWN)
  if (found && rows.length === 0) return null
  return (
    <div className="border-b border-line">
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setting.choose(isOpen ? 'closed' : 'open')}
          className="flex min-h-9 w-full items-center gap-1.5 px-3 text-left text-data font-medium hover:bg-hover touch:min-h-11"
        >
          <ChevronRight aria-hidden className={`size-3.5 text-faint ${isOpen ? 'rotate-90' : ''}`} />
          {title}
        </button>
      </h3>
      {isOpen && (
        <div id={id} className="pb-2">
          {(rows.length >= SEARCHED_FROM || found?.isComplete === false) && field !== 'score' && (
            <input
              type="search"
              aria-label={`Search ${title.toLowerCase()}`}
              placeholder="Search"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              className="mx-4 mb-1 block h-7 w-[calc(100%-2rem)] rounded-control border border-edge/60 bg-raised px-2 text-data placeholder:text-faint touch:h-11"
            />
          )}
          <ul>
            {shown.map(({ value, written, name, count, isExact }, index) => {
              const term = {
                field: written ? `score.${value}` : field,
                written: written ?? valueTerm(field, value).written,
              }
              const isOn = chosenValues(query, term.field).includes(term.written)
              return (
                <li key={`${value} ${written ?? ''}`}>
                  <label
                    htmlFor={`${id}-${index}`}
                    className="flex min-h-7 cursor-pointer items-center gap-2 px-4 text-data hover:bg-hover touch:min-h-11"
                  >
                    <Checkbox id={`${id}-${index}`} state={isOn ? 'on' : 'off'} onChange={() => onToggle(term)} />
                    <bdi className="min-w-0 flex-1 truncate" title={name ?? nameOf(value)}>
                      {name ?? nameOf(value)}
                    </bdi>
                    {count !== null && (
                      <span className="text-meta text-faint tabular-nums">
                        {formatCount(count)}
                        {!isExact && '+'}
                      </span>
                    )}
                  </label>
                </li>
              )
            })}
          </ul>
          {text !== '' && shown.length === 0 && <p className="px-4 text-data text-faint">No value with this text</p>}
          {text === '' && matching.length > SHOWN && (
            <button
              type="button"
              className="min-h-7 px-4 text-meta text-soft underline underline-offset-4 touch:min-h-11"
              onClick={() => setAreAllShown(!areAllShown)}
            >
              {areAllShown ? 'Show fewer' : `Show ${formatCount(matching.length - SHOWN)} more`}
            </button>
          )}
        </div>
      )}
    </div>
  )
}

interface FacetRow {
  value: string
  count: number | null
  isExact: boolean
  /** What follows the colon, if it is not the value itself. */
  written?: string
  name?: string
}

/** A chosen value stays in the list, so that it can be removed. Each evaluator has two rows: low and high scores. */
function rowsOf(field: RailField, values: FacetValues['data'], chosen: readonly string[]): FacetRow[] {
  if (field === 'score')
    return values.flatMap(({ value }) => [
      { value, count: null, isExact: true, written: '<0.5', name: `${value} below 0.5` },
      { value, count: null, isExact: true, written: '>=0.5', name: `${value} 0.5 or more` },
    ])
  const listed = new Set(values.map(({ value }) => valueTerm(field, value).written))
  const missing = chosen.filter((written) => !listed.has(written) && !/[*?<>[{]/.test(written))
  return [...missing.map((written) => ({ value: readValue(written), count: null, isExact: true })), ...values]
}

function readValue(written: string): string {
  return /^".*"$/.test(written) ? String(JSON.parse(written)) : written
}
