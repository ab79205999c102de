import { Search } from 'lucide-react'
import { useRef } from 'react'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'

interface FindExperimentProps {
  value: string | undefined
  onChange: (value: string | undefined) => void
}

export function FindExperiment({ value, onChange }: FindExperimentProps) {
  const field = useRef<HTMLInputElement>(null)
  useShortcut('findExperiment', () => field.current?.focus())
  return (
    <label className="flex min-h-[34px] min-w-56 items-center gap-2 rounded-control border border-edge bg-surface px-3 focus-within:outline-2 focus-within:outline-gold-ink touch:min-h-11 max-sm:basis-full">
      <Search aria-hidden className="size-4 shrink-0 text-faint" />
      <span className="sr-only">Find an experiment, prompt or dataset</span>
      <input
        ref={field}
        type="search"
        value={value ?? ''}
        placeholder="Find an experiment"
        onChange={({ target }) => onChange(target.value || undefined)}
        onKeyDown={({ key }) => key === 'Escape' && field.current?.blur()}
        className="min-w-0 flex-1 bg-transparent text-data outline-none touch:min-h-11"
      />
      <ShortcutKeys id="findExperiment" />
    </label>
  )
}
