import type { RowFilter } from '../../api/comparison-query.ts'
import type { Comparison } from '../../api/generated/api.ts'
import { formatCount } from '../../ui/format-number.ts'
import { rowFilters } from './compare-search.ts'
import { filterLooks } from './row-model.ts'

interface FilterChipsProps {
  counts: NonNullable<Comparison['counts']>
  total: number
  filter: RowFilter | undefined
  names: { baseline: string; candidate: string }
  onChange: (filter: RowFilter | undefined) => void
}

/** What became of the items, with counts that add up to all of them. */
export function FilterChips({ counts, total, filter, names, onChange }: FilterChipsProps) {
  const shown = rowFilters.filter((name) => counts[name] > 0 || name === filter)
  const added = rowFilters.filter((name) => counts[name] > 0).map((name) => formatCount(counts[name]))
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
      <fieldset className="flex min-w-0 flex-wrap gap-2">
        <legend className="sr-only">Filter the items</legend>
        <Chip word="all" count={total} isOn={filter === undefined} onClick={() => onChange(undefined)} />
        {shown.map((name) => (
          <Chip
            key={name}
            mark={filterLooks[name].mark}
            word={wordOf(name, names)}
            count={counts[name]}
            isOn={filter === name}
            onClick={() => onChange(filter === name ? undefined : name)}
          />
        ))}
      </fieldset>
      <p className="ml-auto text-meta text-soft tabular-nums max-sm:ml-0">
        {added.length > 1
          ? `${added.join(' + ')} = ${formatCount(total)}, none left out`
          : `${formatCount(total)} in all`}
      </p>
    </div>
  )
}

function wordOf(filter: RowFilter, { baseline, candidate }: FilterChipsProps['names']): string {
  if (filter === 'only_baseline') return `only in ${baseline}`
  return filter === 'only_candidate' ? `only in ${candidate}` : filterLooks[filter].word
}

interface ChipProps {
  mark?: string
  word: string
  count: number
  isOn: boolean
  onClick: () => void
}

export function Chip({ mark, word, count, isOn, onClick }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className={`flex min-h-8 max-w-full items-center gap-1.5 rounded-full border px-3 text-data touch:min-h-11 ${isOn ? 'border-action bg-action text-on-action' : 'border-edge/60 bg-raised hover:border-edge hover:bg-hover'}`}
    >
      {mark && <span aria-hidden>{mark}</span>}
      <span className="min-w-0 truncate">{word}</span>
      <b className="font-semibold tabular-nums">{formatCount(count)}</b>
    </button>
  )
}
