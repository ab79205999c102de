import { Search } from 'lucide-react'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'

interface QueryBarProps {
  query: string
  /** What the server said about the query. */
  error: string | undefined
  onSubmit: (query: string) => void
}

/** The query of the list. Errors appear below, and the caret moves to their position. */
export function QueryBar({ query, error, onSubmit }: QueryBarProps) {
  const [text, setText] = useState(query)
  const [shown, setShown] = useState(query)
  const field = useRef<HTMLInputElement>(null)
  const errorId = useId()
  // Another address was opened, such as by the back button.
  if (shown !== query) {
    setShown(query)
    setText(query)
  }
  useShortcut('focusQuery', () => field.current?.focus())
  const position = error ? errorPosition(error) : undefined
  useEffect(() => {
    if (position !== undefined) field.current?.setSelectionRange(position, position)
  }, [position])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit(text.trim())
  }
  return (
    <search>
      <form
        onSubmit={submit}
        className="flex min-h-10 items-center gap-2 rounded-control border border-edge bg-raised px-3 focus-within:outline-2 focus-within:outline-gold-ink"
      >
        <Search aria-hidden className="size-4 shrink-0 text-faint" />
        <input
          ref={field}
          type="search"
          aria-label="Query"
          aria-invalid={error !== undefined}
          aria-describedby={errorId}
          placeholder="Text, or status:error model:gpt-4o* latency:>2s -tag:test"
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="min-w-0 flex-1 bg-transparent font-mono text-code outline-none"
        />
        {query !== '' && (
          <Button look="quiet" size="small" onClick={() => onSubmit('')}>
            Clear
          </Button>
        )}
        <ShortcutKeys id="focusQuery" />
      </form>
      <p id={errorId} role="alert" className={error ? 'mt-1 text-data text-danger' : 'sr-only'}>
        {error}
      </p>
    </search>
  )
}

/** Errors of the query language begin with "The query is invalid at character 12", counted from 1. */
function errorPosition(message: string): number | undefined {
  const match = /at character (\d+)/.exec(message)
  return match ? Number(match[1]) - 1 : undefined
}
