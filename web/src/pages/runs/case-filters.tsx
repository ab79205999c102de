import type { RunCases } from '../../api/generated/api.ts'
import type { CaseFilter } from '../../api/runs-query.ts'
import { formatCount } from '../../ui/format-number.ts'
import { useMe } from '../shell/use-application.ts'
import { QueryBar } from '../traces/query-bar.tsx'
import { readRecentQueries } from '../traces/recent-queries.ts'
import { caseFilters, type RunSearch } from './run-search.ts'

interface CaseFiltersProps {
  applicationId: string
  search: RunSearch
  /** Undefined until the first page has arrived. */
  cases: RunCases | undefined
  /** What the server said about the query. */
  error: string | undefined
  onChange: (changes: Partial<RunSearch>) => void
}

const words: Record<CaseFilter, string> = {
  failed: 'Failed',
  rated: 'Rated',
  unrated: 'Not rated',
  passed: 'Passed',
  not_passed: 'Not passed',
  not_measured: 'Not measured',
  not_arrived: 'Not arrived',
  without_item: 'Without item',
}

/** Search, the metric that decides about "passed", and filters with the number of their cases. */
export function CaseFilters({ applicationId, search, cases, error, onChange }: CaseFiltersProps) {
  const { userId } = useMe()
  const metrics = cases?.evaluation?.metrics ?? []
  const counts = cases?.counts
  const shown = caseFilters.filter((filter) => (counts?.[filter] ?? 0) > 0 || filter === search.filter)
  return (
    <div className="mb-3 flex flex-col gap-2.5">
      <QueryBar
        applicationId={applicationId}
        query={search.q ?? ''}
        error={error}
        recent={readRecentQueries({ applicationId, userId })}
        onSubmit={(q) => onChange({ q: q || undefined })}
      />
      <div className="flex min-h-8 flex-wrap items-center gap-1.5">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as its content in all browsers */}
        <div role="group" aria-label="Filter" className="contents">
          <Chip
            text="All"
            count={counts?.all}
            isOn={search.filter === undefined}
            onClick={() => onChange({ filter: undefined })}
          />
          {shown.map((filter) => (
            <Chip
              key={filter}
              text={words[filter]}
              count={counts?.[filter]}
              isOn={filter === search.filter}
              onClick={() => onChange({ filter: filter === search.filter ? undefined : filter })}
            />
          ))}
        </div>
        {metrics.length > 1 && (
          <label className="ml-auto flex items-center gap-2 text-meta text-faint">
            Passed by
            <select
              value={cases?.metric ?? ''}
              onChange={(event) => onChange({ metric: event.target.value })}
              className="min-h-8 max-w-48 cursor-pointer rounded-control border border-edge/60 bg-raised px-2 text-data text-ink shadow-lift hover:border-edge touch:min-h-11"
            >
              {metrics.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
    </div>
  )
}

interface ChipProps {
  text: string
  count: number | undefined
  isOn: boolean
  onClick: () => void
}

function Chip({ text, count, isOn, onClick }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className="inline-flex min-h-7 items-center gap-1.5 rounded-full border border-edge/60 bg-raised px-3 text-data text-soft hover:text-ink aria-pressed:border-ink aria-pressed:bg-selected aria-pressed:font-medium aria-pressed:text-ink touch:min-h-11"
    >
      {text}
      {count !== undefined && <span className="text-meta text-faint tabular-nums">{formatCount(count)}</span>}
    </button>
  )
}
