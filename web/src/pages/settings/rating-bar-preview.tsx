import { Kbd } from '../../ui/kbd.tsx'
import { RatingMark } from '../../ui/rating-mark.tsx'
import type { RatingRow } from './rating-draft.ts'

/** The buttons of the annotation page, as a picture: nothing can be rated here. */
export function RatingBarPreview({ rows }: { rows: RatingRow[] }) {
  return (
    <section
      aria-labelledby="rating-bar-title"
      className="rounded-card border border-line bg-surface p-4 shadow-lift sm:p-5"
    >
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="rating-bar-title" className="text-data font-medium text-soft">
          As annotators see it
        </h2>
        <p className="text-meta text-faint">A number rates and moves on</p>
      </div>
      <ol className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,8.5rem),1fr))] gap-2">
        {rows.map((row) => (
          <li
            key={row.id}
            className="flex min-h-11 min-w-0 items-center justify-between gap-3 rounded-control border border-edge bg-raised px-3.5 py-2 font-medium"
          >
            <span className="flex min-w-0 items-center gap-2.5">
              <RatingMark color={row.color} />
              <RatingText row={row} />
            </span>
            {row.key && (
              <span className="inline-flex text-soft">
                <Kbd caps={[row.key]} />
              </span>
            )}
          </li>
        ))}
      </ol>
      {rows.some(({ key }) => key === null) && (
        <p className="mt-3 text-meta text-faint">Words without a key are clicked.</p>
      )}
    </section>
  )
}

function RatingText({ row: { label, word } }: { row: RatingRow }) {
  const text = label.trim() ? label : word
  if (text.trim() === '') return <span className="font-normal text-faint">New word</span>
  return <bdi className="min-w-0 wrap-anywhere">{text}</bdi>
}
