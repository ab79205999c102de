import { Search } from 'lucide-react'
import { useRef } from 'react'
import type { PromptSummaries, PromptSummary } from '../../api/generated/api.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { formatCount } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { TrendSelect } from '../trends/trend-select.tsx'
import { hasLabel } from './match-prompt.ts'
import type { PromptsSearch } from './prompts-search.ts'

interface PromptFiltersProps {
  prompts: PromptSummary[]
  first: PromptSummaries
  search: PromptsSearch
  onChange: (changes: Partial<PromptsSearch>, history?: 'push' | 'replace') => void
}

/** The search, a chip for each label, and the metric by which the prompts are measured. */
export function PromptFilters({ prompts, first, search, onChange }: PromptFiltersProps) {
  const field = useRef<HTMLInputElement>(null)
  useShortcut('findPrompt', () => field.current?.focus())
  const names = [...new Set(prompts.flatMap(({ labels }) => labels.map(({ name }) => name)))]
  const chips = [
    { label: undefined, word: 'all', count: prompts.length },
    ...names.sort(productionFirst).map((label) => ({ label, word: label, count: countWith(prompts, label) })),
    { label: 'none', word: 'no label', count: countWith(prompts, 'none') },
  ].filter(({ label, count }) => count > 0 || label === search.label)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <label className="flex min-h-[34px] min-w-56 flex-1 items-center gap-2 rounded-control border border-edge bg-surface px-3 touch:min-h-11 focus-within:outline-2 focus-within:outline-gold-ink max-sm:basis-full">
        <Search aria-hidden className="size-4 shrink-0 text-faint" />
        <span className="sr-only">Find a prompt, label or note</span>
        <input
          ref={field}
          type="search"
          value={search.q ?? ''}
          placeholder="Find a prompt, label or note"
          onChange={(event) => onChange({ q: event.target.value || undefined }, 'replace')}
          onKeyDown={(event) => event.key === 'Escape' && field.current?.blur()}
          className="min-w-0 flex-1 bg-transparent text-data outline-none touch:min-h-11"
        />
        <ShortcutKeys id="findPrompt" />
      </label>
      <fieldset aria-label="Show" className="flex min-w-0 flex-wrap gap-2">
        {chips.map(({ label, word, count }) => (
          <button
            key={word}
            type="button"
            aria-pressed={search.label === label}
            onClick={() => onChange({ label })}
            className="inline-flex min-h-8 items-center gap-1.5 rounded-full border border-edge/60 bg-surface px-3 text-data text-soft hover:border-edge hover:text-ink aria-pressed:border-action aria-pressed:bg-action aria-pressed:text-on-action touch:min-h-11"
          >
            <bdi>{word}</bdi> <b className="font-semibold tabular-nums">{formatCount(count)}</b>
          </button>
        ))}
      </fieldset>
      <TrendSelect
        label="Metric"
        value={first.metric}
        options={[...new Set([first.metric, ...first.metrics])].map((value) => ({ value, label: metricTitle(value) }))}
        onChange={(metric) => onChange({ metric })}
      />
    </div>
  )
}

function countWith(prompts: PromptSummary[], label: string): number {
  return prompts.filter((prompt) => hasLabel(prompt, label)).length
}

function productionFirst(a: string, b: string): number {
  return Number(b === 'production') - Number(a === 'production') || a.localeCompare(b)
}
