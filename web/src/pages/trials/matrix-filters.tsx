import type { MatrixCounts, MatrixFilter } from '../../api/trial-matrix-query.ts'
import { formatCount } from '../../ui/format-number.ts'
import { Chip } from '../compare/filter-chips.tsx'
import { matrixFilters } from './trial-search.ts'

interface MatrixFiltersProps {
  counts: MatrixCounts
  filter: MatrixFilter | undefined
  onChange: (filter: MatrixFilter | undefined) => void
}

/** Which items are listed. Worse, better, same and not compared add up to all of them. */
export function MatrixFilters({ counts, filter, onChange }: MatrixFiltersProps) {
  const shown = matrixFilters.filter((name) => (counts[name] ?? 0) > 0 || name === filter)
  const parts = [counts.worse, counts.better, counts.same, counts.unscored]
  const added = parts.flatMap((count) => (count ? [formatCount(count)] : []))
  return (
    <>
      <fieldset className="flex min-w-0 flex-wrap gap-2">
        <legend className="sr-only">Filter the items</legend>
        <Chip word="all" count={counts.all} isOn={filter === undefined} onClick={() => onChange(undefined)} />
        {shown.map((name) => (
          <Chip
            key={name}
            mark={words[name].mark}
            word={words[name].word}
            count={counts[name] ?? 0}
            isOn={filter === name}
            onClick={() => onChange(filter === name ? undefined : name)}
          />
        ))}
      </fieldset>
      {added.length > 1 && (
        <p className="text-meta text-soft tabular-nums">
          {added.join(' + ')} = {formatCount(counts.all)}
        </p>
      )}
    </>
  )
}

const words: Record<(typeof matrixFilters)[number], { mark: string; word: string }> = {
  worse: { mark: '▼', word: 'worse' },
  better: { mark: '▲', word: 'better' },
  same: { mark: '=', word: 'same' },
  unscored: { mark: '', word: 'not compared' },
  flips: { mark: '', word: 'repetitions differ' },
  failed: { mark: '!', word: 'no answer' },
  waiting: { mark: '', word: 'not ended' },
}
