import { Search } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { DatasetContents } from '../../api/generated/api.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/format-number.ts'
import type { DatasetSearch } from './dataset-search.ts'
import { splits } from './split-select.tsx'

interface ItemToolbarProps {
  search: DatasetSearch
  contents: DatasetContents | undefined
  onChange: (changes: Partial<DatasetSearch>, history?: 'push' | 'replace') => void
}

const TYPING_MS = 250

/** The search in questions and expected outputs, and one chip for each part of the dataset. */
export function ItemToolbar({ search, contents, onChange }: ItemToolbarProps) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(search.q ?? '')
  const [shown, setShown] = useState(search.q)
  // Another address was opened, such as by the back button.
  if (shown !== search.q) {
    setShown(search.q)
    if (text.trim() !== (search.q ?? '')) setText(search.q ?? '')
  }
  useShortcut('searchItems', () => field.current?.focus())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onChange({ q: next.trim() || undefined, item: undefined }, 'replace'), TYPING_MS)
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <label className="flex min-h-[34px] min-w-56 flex-1 basis-full items-center gap-2 rounded-control border border-edge bg-surface px-3 touch:min-h-11 focus-within:outline-2 focus-within:outline-gold-ink">
        <Search aria-hidden className="size-4 shrink-0 text-faint" />
        <span className="sr-only">Search questions and expected outputs</span>
        <input
          ref={field}
          type="search"
          value={text}
          placeholder="Search questions and expected outputs"
          onChange={(event) => type(event.target.value)}
          className="min-w-0 flex-1 bg-transparent text-data outline-none touch:min-h-11"
        />
        <ShortcutKeys id="searchItems" />
      </label>
      {contents && <Chips search={search} contents={contents} onChange={onChange} />}
    </div>
  )
}

function Chips({ search, contents, onChange }: ItemToolbarProps & { contents: DatasetContents }) {
  const none = { split: undefined, filter: undefined, item: undefined }
  const turns = [
    { filter: 'turned_to_fail', count: contents.turnedToFail, mark: '▼', word: 'turned to fail' },
    { filter: 'turned_to_pass', count: contents.turnedToPass, mark: '▲', word: 'turned to pass' },
    { filter: 'failing', count: contents.failing, mark: '✗', word: 'failing' },
  ] as const
  return (
    <fieldset aria-label="Show" className="flex min-w-0 flex-wrap gap-2">
      <Chip
        isOn={!search.split && !search.filter}
        count={contents.items}
        onClick={() => onChange({ ...none, q: search.q })}
      >
        all
      </Chip>
      {[...splits, 'none' as const].map((split) => {
        const count = contents.splits[split]
        if (count === 0 || (split === 'none' && count === contents.items)) return null
        const isOn = search.split === split
        return (
          <Chip
            key={split}
            isOn={isOn}
            count={count}
            onClick={() => onChange({ ...none, split: isOn ? undefined : split })}
          >
            {split === 'none' ? 'no split' : split}
          </Chip>
        )
      })}
      {turns.map(({ filter, count, mark, word }) => {
        const isOn = search.filter === filter
        if (count === 0 && !isOn) return null
        return (
          <Chip
            key={filter}
            isOn={isOn}
            count={count}
            onClick={() => onChange({ ...none, filter: isOn ? undefined : filter })}
          >
            <span aria-hidden>{mark}</span> {word}
          </Chip>
        )
      })}
    </fieldset>
  )
}

interface ChipProps {
  isOn: boolean
  count: number
  onClick: () => void
  children: ReactNode
}

function Chip({ isOn, count, onClick, children }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className={classNames(
        'inline-flex min-h-[34px] items-center gap-1.5 rounded-full border px-3 text-data whitespace-nowrap touch:min-h-11',
        isOn ? 'border-action bg-action text-on-action' : 'border-edge/60 bg-raised hover:border-edge',
      )}
    >
      {children} <b className="font-semibold tabular-nums">{formatCount(count)}</b>
    </button>
  )
}
