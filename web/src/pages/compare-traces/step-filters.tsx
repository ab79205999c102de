import { formatCount } from '../../ui/format-number.ts'
import { Chip } from '../compare/filter-chips.tsx'
import { filterOf, type Step, type StepFilter, stepFilters } from './align-steps.ts'

const words = { both: 'in both', left: 'only in A', right: 'only in B' } as const

interface StepFiltersProps {
  steps: readonly Step[]
  filter: StepFilter | undefined
  onChange: (filter: StepFilter | undefined) => void
}

/** How many steps are in both traces and in one of them, with counts that add up to all of them. */
export function StepFilters({ steps, filter, onChange }: StepFiltersProps) {
  const counts = { both: 0, left: 0, right: 0 }
  for (const step of steps) counts[filterOf(step)] += 1
  const added = stepFilters.filter((name) => counts[name] > 0).map((name) => formatCount(counts[name]))
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
      <fieldset className="flex min-w-0 flex-wrap gap-2">
        <legend className="sr-only">Filter the steps</legend>
        <Chip word="all" count={steps.length} isOn={filter === undefined} onClick={() => onChange(undefined)} />
        {stepFilters.map((name) => (
          <Chip
            key={name}
            word={words[name]}
            count={counts[name]}
            isOn={filter === name}
            onClick={() => onChange(filter === name ? undefined : name)}
          />
        ))}
      </fieldset>
      {added.length > 1 && (
        <p className="ml-auto text-meta text-soft tabular-nums max-sm:ml-0">
          {added.join(' + ')} = {formatCount(steps.length)}, none left out
        </p>
      )}
    </div>
  )
}
