import { Check } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { controlClass } from './field.tsx'
import { Kbd } from './kbd.tsx'
import { menuItemClass } from './menu.tsx'

export interface Choice {
  id: string
  label: string
  /** Choices of one group follow each other, below its name. */
  group?: string
  /** Keys that do the same. */
  hint?: string[]
}

interface ComboboxListProps {
  /** The accessible name of both the field and the list. */
  label: string
  choices: Choice[]
  currentId: string | undefined
  onChoose: (id: string) => void
}

/** A list filtered by typing a part of a name; arrow keys move, Enter selects. */
export function ComboboxList({ label, choices, currentId, onChoose }: ComboboxListProps) {
  const listId = useId()
  const [text, setText] = useState('')
  const matches = choices.filter((choice) => choice.label.toLowerCase().includes(text.trim().toLowerCase()))
  const groups = [...Map.groupBy(matches, ({ group }) => group)]
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      choices.findIndex((choice) => choice.id === currentId),
    ),
  )
  const highlighted = matches[active]
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextIndex(event.key, active, matches.length)
    if (next !== undefined) setActive(next)
    else if (event.key === 'Enter' && highlighted) onChoose(highlighted.id)
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        role="combobox"
        aria-label={label}
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={highlighted ? `${listId}-${highlighted.id}` : undefined}
        autoComplete="off"
        placeholder="Find…"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
        className={`${controlClass} mb-1.5 text-data`}
      />
      <div role="listbox" id={listId} aria-label={label} className="max-h-[min(26rem,50dvh)] overflow-y-auto">
        {groups.map(([group, members]) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot group options
          <div key={group ?? ''} role="group" aria-label={group ?? label}>
            {group && (
              <div aria-hidden className="px-2.5 pt-2 pb-1 text-meta text-faint">
                {group}
              </div>
            )}
            {members.map((choice) => (
              // The field has the focus and handles the keys; options are only clicked.
              // biome-ignore lint/a11y/useKeyWithClickEvents: see above
              // biome-ignore lint/a11y/useFocusableInteractive: see above
              <div
                key={choice.id}
                ref={choice === highlighted ? scrollIntoView : null}
                id={`${listId}-${choice.id}`}
                role="option"
                aria-selected={choice.id === currentId}
                data-highlighted={choice === highlighted || undefined}
                onClick={() => onChoose(choice.id)}
                onPointerMove={() => setActive(matches.indexOf(choice))}
                className={menuItemClass}
              >
                <span className="min-w-0 flex-1 truncate">{choice.label}</span>
                {choice.hint && <Kbd caps={choice.hint} />}
                {choice.id === currentId && <Check aria-hidden className="size-4 text-gold-ink" />}
              </div>
            ))}
          </div>
        ))}
      </div>
      {matches.length === 0 && <p className="px-2.5 py-2 text-data text-faint">Nothing matches “{text}”.</p>}
    </>
  )
}

function scrollIntoView(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' })
}

function nextIndex(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowDown') return Math.min(index + 1, count - 1)
  if (key === 'ArrowUp') return Math.max(index - 1, 0)
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}
