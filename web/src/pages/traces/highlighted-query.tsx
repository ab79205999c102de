import { Fragment, type Ref } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { type QueryPart, splitQuery } from './query-parts.ts'

interface HighlightedQueryProps {
  query: string
  /** The offset of an error, to mark the part that has it. */
  errorAt: number | undefined
  /** The part that suggestions replace; they open below it. */
  anchorAt: number
  anchor: Ref<HTMLSpanElement>
}

/**
 * The text of the query field once more, behind it: its letters are at the same places, so terms can have a background and colors while
 * the field stays one text field.
 */
export function HighlightedQuery({ query, errorAt, anchorAt, anchor }: HighlightedQueryProps) {
  const parts = splitQuery(query)
  return (
    <>
      {parts.map((part) => (
        <Fragment key={part.start}>
          {part.start <= anchorAt && anchorAt < part.end && <span ref={anchor} />}
          <Part
            query={query}
            part={part}
            isWrong={errorAt !== undefined && part.start <= errorAt && errorAt < part.end}
          />
        </Fragment>
      ))}
      {anchorAt >= query.length && <span ref={anchor} />}
      {errorAt !== undefined && errorAt >= query.length && (
        <span className="underline decoration-danger decoration-wavy">{'\u00a0\u00a0'}</span>
      )}
    </>
  )
}

function Part({ query, part, isWrong }: { query: string; part: QueryPart; isWrong: boolean }) {
  const text = query.slice(part.start, part.end)
  const wrong = isWrong && 'underline decoration-danger decoration-wavy underline-offset-4'
  // Positioned, so that the background of a neighbor does not cover letters.
  if (part.type === 'operator' || part.type === 'parenthesis')
    return <span className={classNames('relative text-gold-ink', wrong)}>{text}</span>
  if (!part.field) return <span className={classNames('relative', wrong)}>{text}</span>
  const { valueStart } = part.field
  return (
    // The shadow widens the background without moving letters.
    <span
      className={classNames(
        'rounded-[3px] py-1',
        part.isNegated
          ? 'bg-danger-wash shadow-[0_0_0_2px_var(--color-danger-wash)]'
          : 'bg-sunken shadow-[0_0_0_2px_var(--color-sunken)]',
        wrong,
      )}
    >
      <span className={part.isNegated ? 'text-danger' : 'text-soft'}>{query.slice(part.start, valueStart)}</span>
      {query.slice(valueStart, part.end)}
    </span>
  )
}
