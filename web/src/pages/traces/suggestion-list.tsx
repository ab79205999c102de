import { classNames } from '../../ui/class-names.ts'
import { Kbd } from '../../ui/kbd.tsx'
import type { Suggestion } from './query-suggestions.ts'

interface SuggestionListProps {
  id: string
  suggestions: Suggestion[]
  /** -1 if none is highlighted. */
  active: number
  onHighlight: (index: number) => void
  onAccept: (suggestion: Suggestion) => void
}

/** The options of the query field, which keeps the focus. */
export function SuggestionList({ id, suggestions, active, onHighlight, onAccept }: SuggestionListProps) {
  const groups = [...Map.groupBy(suggestions, ({ group }) => group)]
  return (
    <>
      <div role="listbox" id={id} aria-label="Suggestions" className="max-h-[min(22rem,50dvh)] overflow-y-auto p-1">
        {groups.map(([group, members]) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot group options
          <div key={group} role="group" aria-label={group}>
            <div aria-hidden className="px-2.5 pt-1.5 pb-0.5 text-meta text-faint">
              {group}
            </div>
            {members.map((suggestion) => {
              const index = suggestions.indexOf(suggestion)
              return (
                // The field has the focus and handles the keys; options are only clicked.
                // biome-ignore lint/a11y/useKeyWithClickEvents: see above
                // biome-ignore lint/a11y/useFocusableInteractive: see above
                <div
                  key={index}
                  id={optionId(id, index)}
                  ref={index === active ? scrollIntoView : null}
                  role="option"
                  aria-selected={index === active}
                  // The field must not lose the focus.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => onAccept(suggestion)}
                  onPointerMove={() => index === active || onHighlight(index)}
                  className={classNames(
                    'flex min-h-7 cursor-pointer items-center gap-3 rounded-control px-2.5 text-data select-none touch:min-h-11',
                    index === active && 'bg-hover shadow-[inset_2px_0_0_var(--color-gold)]',
                  )}
                >
                  <span className="truncate font-mono text-code font-medium">{suggestion.label}</span>
                  {suggestion.meaning && (
                    <span className="min-w-0 flex-1 truncate text-meta text-soft">{suggestion.meaning}</span>
                  )}
                  {suggestion.count !== undefined && (
                    <span className="ml-auto text-meta text-faint tabular-nums">
                      {suggestion.count}
                      <span className="sr-only"> traces</span>
                    </span>
                  )}
                </div>
              )
            })}
          </div>
        ))}
      </div>
      <div
        aria-hidden
        className="flex items-center gap-4 border-t border-line px-3 py-1.5 text-meta text-faint max-sm:hidden pointer-coarse:hidden"
      >
        <span className="flex items-center gap-1.5">
          <Kbd caps={['↑↓']} /> choose
        </span>
        <span className="flex items-center gap-1.5">
          <Kbd caps={['Tab']} /> complete
        </span>
        <span className="flex items-center gap-1.5">
          <Kbd caps={['↵']} /> {active === -1 ? 'search' : 'take'}
        </span>
        <span className="flex items-center gap-1.5">
          <Kbd caps={['Esc']} /> close
        </span>
      </div>
    </>
  )
}

export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`
}

function scrollIntoView(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' })
}
