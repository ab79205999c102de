import { X } from 'lucide-react'
import { useId } from 'react'
import type { CaseCounts } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Select } from '../../ui/select-field.tsx'
import { settingsInWords } from '../../ui/setting-words.ts'
import type { CaseState, EvaluationSearch } from './evaluation-search.ts'
import { NO_FILTER } from './use-evaluation-search.ts'

interface CaseFiltersProps {
  search: EvaluationSearch
  metrics: string[]
  counts: CaseCounts | null
  onChange: (changes: Partial<EvaluationSearch>) => void
}

/** Which cases are listed: by metric, by outcome, and by the reason of a failure. */
export function CaseFilters({ search, metrics, counts, onChange }: CaseFiltersProps) {
  const metricId = useId()
  const chips = counts ? listChips(counts, search.state) : []
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <span className="flex min-w-0 items-center gap-2 text-data text-soft">
        <label htmlFor={metricId}>Metric</label>
        <Select
          id={metricId}
          value={search.metric ?? ''}
          onChange={(event) => onChange({ ...NO_FILTER, state: search.state, metric: event.target.value || undefined })}
          className="max-w-56"
        >
          <option value="">All metrics</option>
          {metrics.map((name) => (
            <option key={name} value={name}>
              {metricTitle(name)}
            </option>
          ))}
        </Select>
      </span>
      <fieldset className="flex min-w-0 flex-wrap items-center gap-1.5">
        <legend className="sr-only">Outcome</legend>
        {chips.map(({ state, label, count }) => (
          <Chip
            key={label}
            label={label}
            count={count}
            isPressed={search.state === state}
            onClick={() => onChange({ state, error: undefined, score: undefined })}
          />
        ))}
      </fieldset>
      {search.error !== undefined && (
        <Button size="small" onClick={() => onChange({ error: undefined })} className="max-w-full min-w-0 shrink">
          <span className="sr-only">Remove the filter </span>
          <span className="truncate">{settingsInWords(search.error)}</span>
          <X aria-hidden className="size-3.5 shrink-0" />
        </Button>
      )}
    </div>
  )
}

interface ChipProps {
  label: string
  count: number
  isPressed: boolean
  onClick: () => void
}

function Chip({ label, count, isPressed, onClick }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={isPressed}
      onClick={onClick}
      className="inline-flex min-h-7 items-center gap-1.5 rounded-full border border-edge/60 px-3 text-data text-soft transition-colors hover:bg-hover hover:text-ink aria-pressed:border-gold-ink aria-pressed:bg-gold-wash aria-pressed:font-medium aria-pressed:text-ink touch:min-h-11"
    >
      {label}
      <span className="text-meta tabular-nums">{formatCount(count)}</span>
    </button>
  )
}

/** Those that lead somewhere, and the chosen one. */
function listChips(counts: CaseCounts, chosen: CaseState | undefined) {
  const { total, notPassed, passed, failed, skipped, pending } = counts
  const all: { state: CaseState | undefined; label: string; count: number }[] = [
    { state: undefined, label: 'All', count: total },
    { state: 'not_passed', label: 'Did not pass', count: notPassed },
    { state: 'passed', label: 'Passed', count: passed },
    { state: 'failed', label: 'Failed to score', count: failed },
    { state: 'skipped', label: 'Skipped', count: skipped },
    { state: 'waiting', label: 'Waiting', count: pending },
  ]
  return all.filter(({ state, count }) => state === undefined || count > 0 || state === chosen)
}
