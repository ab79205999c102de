import { ChevronRight } from 'lucide-react'
import { type Ref, useState } from 'react'
import { classNames } from '../class-names.ts'
import { countOf } from '../format-number.ts'
import { Highlighted } from './highlighted.tsx'
import type { JsonLine } from './json-lines.ts'

interface JsonRowProps {
  id: string
  ref: Ref<HTMLDivElement> | undefined
  line: JsonLine
  index: number
  /** Among the visible lines. */
  position: number
  /** Undefined for values without children. */
  isOpen: boolean | undefined
  isActive: boolean
  query: string
  isCurrentMatch: boolean
  onActivate: () => void
  onToggle: () => void
}

/** Longer texts are cut until asked for: laying out a megabyte would block the page. */
const textMax = 1000

export function JsonRow({ line, index, position, isOpen, isActive, query, isCurrentMatch, ...props }: JsonRowProps) {
  const { id, ref, onActivate, onToggle } = props
  const [isWhole, setIsWhole] = useState(false)
  const key = line.path.at(-1)
  const isCut = line.text.length > textMax && !isWhole
  return (
    // The tree handles the keys; a line is only clicked.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div
      id={id}
      ref={ref}
      role="treeitem"
      aria-level={line.path.length + 1}
      aria-expanded={isOpen}
      aria-selected={isActive}
      data-index={position}
      data-line={index}
      onClick={isOpen === undefined ? onActivate : onToggle}
      className={classNames(
        'flex items-start gap-1 pr-3 hover:bg-hover',
        isActive && 'bg-hover shadow-[inset_2px_0_0_var(--color-gold)]',
      )}
      style={{ paddingLeft: 8 + Math.min(line.path.length, 24) * 16 }}
    >
      <ChevronRight
        aria-hidden
        className={classNames(
          'mt-1 size-3 shrink-0 text-faint',
          isOpen === undefined && 'invisible',
          isOpen === true && 'rotate-90',
        )}
      />
      <span className="min-w-0 wrap-anywhere whitespace-pre-wrap">
        {key !== undefined && (
          <span className={typeof key === 'number' ? 'text-faint' : 'text-gold-ink'}>
            <Highlighted text={String(key)} query={query} isCurrent={isCurrentMatch} />
            <span className="text-faint">: </span>
          </span>
        )}
        <span className={kinds[line.kind]}>
          <Highlighted
            text={isCut ? line.text.slice(0, textMax) : line.text}
            query={isOpen === undefined ? query : ''}
            isCurrent={isCurrentMatch}
          />
        </span>
        {isCut && (
          <button
            type="button"
            tabIndex={isActive ? 0 : -1}
            onClick={() => setIsWhole(true)}
            className="ml-1 rounded-sm font-sans text-meta text-soft underline underline-offset-3"
          >
            {countOf(line.text.length - textMax, 'more character')}
          </button>
        )}
      </span>
    </div>
  )
}

const kinds = {
  object: 'text-faint',
  array: 'text-faint',
  string: 'text-ink',
  number: 'text-info',
  boolean: 'text-info',
  null: 'text-faint italic',
}
