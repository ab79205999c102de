import { countOf } from '../../ui/format-number.ts'
import type { DisagreementRow } from './agreement-model.ts'

/** More would not be readable at this size. */
const DOTS_MAX = 7

/** Where the ratings are on the scale, and how far apart. Nothing if the ratings have no order. */
export function StepScale({ row, order }: { row: DisagreementRow; order: string[] }) {
  if (row.steps === null) return null
  const given = new Set(row.ratings.map(({ rating }) => rating))
  const ranks = [...given].map((rating) => order.indexOf(rating))
  const [low, high] = [Math.min(...ranks), Math.max(...ranks)]
  return (
    <span className="inline-flex items-center gap-2">
      {order.length <= DOTS_MAX && (
        <span aria-hidden className="inline-flex items-center">
          {order.map((rating, rank) => (
            <span key={rating} className="inline-flex items-center">
              {rank > 0 && <span className={`h-0.5 w-2.5 ${rank > low && rank <= high ? 'bg-ink' : ''}`} />}
              <span
                className={`size-2 rounded-full border-[1.5px] ${given.has(rating) ? 'border-ink bg-ink' : 'border-edge'}`}
              />
            </span>
          ))}
        </span>
      )}
      <span className="text-meta whitespace-nowrap text-soft tabular-nums">{countOf(row.steps, 'step')}</span>
    </span>
  )
}
