import { Search } from 'lucide-react'
import {
  type FormEvent,
  type KeyboardEvent,
  type SyntheticEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { countOf } from '../../ui/format-number.ts'
import { HighlightedQuery } from './highlighted-query.tsx'
import { QueryHelp } from './query-help.tsx'
import { contextAt } from './query-parts.ts'
import type { Suggestion } from './query-suggestions.ts'
import { optionId, SuggestionList } from './suggestion-list.tsx'
import { useSuggestions } from './use-suggestions.ts'

interface QueryBarProps {
  applicationId: string
  query: string
  /** What the server said about the query. */
  error: string | undefined
  /** Former queries, the newest first. */
  recent: string[]
  onSubmit: (query: string) => void
}

/**
 * The query of the list, as one text field with highlighted terms and suggestions. What is typed stays here until Enter, so that a key
 * press renders no rows. Errors appear below, and the caret moves to their position.
 */
export function QueryBar({ applicationId, query, error, recent, onSubmit }: QueryBarProps) {
  const [text, setText] = useState(query)
  const [shown, setShown] = useState(query)
  const [caret, setCaret] = useState(query.length)
  const [isOpen, setIsOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const field = useRef<HTMLInputElement>(null)
  const layer = useRef<HTMLDivElement>(null)
  const anchor = useRef<HTMLSpanElement>(null)
  const [left, setLeft] = useState(0)
  const id = useId()
  // Another address was opened, such as by the back button.
  if (shown !== query) {
    setShown(query)
    setText(query)
    setIsOpen(false)
  }
  useShortcut('focusQuery', () => field.current?.focus())
  const errorAt = error && text === query ? errorPosition(error) : undefined
  useEffect(() => {
    if (errorAt !== undefined) field.current?.setSelectionRange(errorAt, errorAt)
  }, [errorAt])

  const context = useMemo(() => contextAt(text, caret), [text, caret])
  const { suggestions, isLoading } = useSuggestions({ applicationId, query: text, context, recent, isOpen })
  const isListed = isOpen && suggestions.length > 0
  const highlighted = isListed ? suggestions[active] : undefined

  // A long query scrolls inside of the field, and what is behind it follows.
  const alignLayer = () => {
    if (layer.current && field.current) layer.current.scrollLeft = field.current.scrollLeft
  }
  useLayoutEffect(() => {
    alignLayer()
    const [box, marked] = [layer.current?.parentElement, anchor.current]
    if (!isOpen || !box || !marked) return
    const offset = box.offsetLeft + marked.offsetLeft - (layer.current?.scrollLeft ?? 0)
    setLeft(Math.max(0, Math.min(offset, (box.offsetParent?.clientWidth ?? 0) - LIST_WIDTH)))
  })

  const edit = (next: string, position: number) => {
    setText(next)
    setCaret(position)
    setActive(-1)
  }
  const submit = (next: string) => {
    setIsOpen(false)
    setActive(-1)
    onSubmit(next.trim())
  }
  /** Enter and a click run a query whose term is complete; Tab goes on writing. */
  const accept = ({ edit: { start, end, text: written }, next: follow }: Suggestion, how: 'run' | 'write' = 'run') => {
    // The space after a term is there once.
    const rest = text.slice(end).replace(/^ /, written.endsWith(' ') ? '' : ' ')
    const next = text.slice(0, start) + written + (text.slice(end) === '' ? '' : rest)
    edit(next, start + written.length)
    acceptedCaret.current = start + written.length
    setIsOpen(follow === 'complete')
    if (follow === 'submit' || (follow === 'done' && how === 'run')) submit(next)
  }
  // The browser moves the caret to the end when the value is set.
  const acceptedCaret = useRef<number>(undefined)
  useLayoutEffect(() => {
    const position = acceptedCaret.current
    if (position === undefined) return
    acceptedCaret.current = undefined
    field.current?.setSelectionRange(position, position)
  })

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!isOpen) setIsOpen(true)
      else if (suggestions.length > 0) setActive(step(active, event.key === 'ArrowDown' ? 1 : -1, suggestions.length))
    } else if (event.key === 'Escape' && isOpen) setIsOpen(false)
    else if (event.key === 'Enter' && highlighted) accept(highlighted)
    else if (event.key === 'Tab' && !event.shiftKey && isListed) {
      const first = suggestions.find(({ next }) => next !== 'submit')
      const completed = highlighted ?? (context?.typed ? first : undefined)
      // With nothing to complete, Tab goes on to the next control.
      if (!completed) return
      accept(completed, 'write')
    } else return
    event.preventDefault()
  }
  const onSelect = (event: SyntheticEvent<HTMLInputElement>) => {
    setCaret(event.currentTarget.selectionStart ?? 0)
    alignLayer()
  }
  return (
    <search className="relative block">
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          submit(text)
        }}
        className="flex min-h-10 items-center gap-2 rounded-control border border-edge bg-raised pr-1.5 pl-3 has-[input:focus]:outline-2 has-[input:focus]:outline-gold-ink touch:min-h-11"
      >
        <Search aria-hidden className="size-4 shrink-0 text-faint" />
        <div className="relative min-w-0 flex-1 font-mono text-code max-sm:text-reading">
          <div
            ref={layer}
            aria-hidden
            className="pointer-events-none absolute inset-x-0 inset-y-0 flex items-center overflow-hidden px-1 whitespace-pre"
          >
            {/* One box, so that letters are laid out as in the field. */}
            <span>
              <HighlightedQuery query={text} errorAt={errorAt} anchorAt={context?.start ?? caret} anchor={anchor} />
            </span>
          </div>
          <input
            ref={field}
            role="combobox"
            aria-label="Query"
            aria-expanded={isListed}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={highlighted ? optionId(`${id}-list`, active) : undefined}
            aria-invalid={error !== undefined}
            aria-describedby={`${id}-error`}
            placeholder="Text, or status:error model:gpt-4o* latency:>2s -tag:test"
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            value={text}
            onChange={(event) => {
              edit(event.target.value, event.target.selectionStart ?? event.target.value.length)
              setIsOpen(true)
            }}
            onSelect={onSelect}
            onScroll={alignLayer}
            onClick={() => setIsOpen(true)}
            onBlur={() => setIsOpen(false)}
            onKeyDown={onKeyDown}
            // The letters are drawn by the layer behind.
            className="relative block w-full bg-transparent px-1 py-2 text-transparent touch:min-h-11 caret-ink outline-none placeholder:text-faint forced-colors:text-[CanvasText]"
          />
        </div>
        {(query !== '' || text !== '') && (
          <Button
            look="quiet"
            size="small"
            className="touch:min-h-11"
            onClick={() => {
              edit('', 0)
              submit('')
              field.current?.focus()
            }}
          >
            Clear
          </Button>
        )}
        <QueryHelp />
        <ShortcutKeys id="focusQuery" />
      </form>
      {isOpen && (isListed || isLoading) && (
        <div
          style={{ left }}
          className="absolute top-full z-30 mt-1 w-[26rem] max-w-full rounded-card border border-line bg-raised shadow-float max-sm:!left-0 max-sm:w-full"
        >
          {isListed ? (
            <SuggestionList
              id={`${id}-list`}
              suggestions={suggestions}
              active={active}
              onHighlight={setActive}
              onAccept={(suggestion) => accept(suggestion)}
            />
          ) : (
            <p className="px-3.5 py-2 text-data text-faint">Loading values…</p>
          )}
        </div>
      )}
      <span role="status" className="sr-only">
        {isListed && countOf(suggestions.length, 'suggestion')}
      </span>
      <p id={`${id}-error`} role="alert" className={error ? 'mt-1 text-data text-danger' : 'sr-only'}>
        {error}
      </p>
    </search>
  )
}

/** Pixels: the class of the list. */
const LIST_WIDTH = 416

/** Beyond the ends of the list there is no highlight, so that Enter runs what is typed. */
function step(active: number, by: 1 | -1, count: number): number {
  const next = active + by
  if (next < -1) return count - 1
  return next >= count ? -1 : next
}

/** Errors of the query language begin with "The query is invalid at character 12", counted from 1. */
function errorPosition(message: string): number | undefined {
  const match = /at character (\d+)/.exec(message)
  return match ? Number(match[1]) - 1 : undefined
}
