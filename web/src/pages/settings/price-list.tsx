import { Trash2 } from 'lucide-react'
import type { Price } from '../../api/generated/api.ts'
import { IconButton } from '../../ui/icon-button.tsx'

interface PriceListProps {
  prices: Price[]
  /** Why the user may not delete a price. */
  disabledReason: string | undefined
  onDelete: (price: Price) => void
}

/** Newest first, which is also the order in which they are tried. */
export function PriceList({ prices, disabledReason, onDelete }: PriceListProps) {
  return (
    <div className="@container">
      <ul aria-label="Prices" className="divide-y divide-line rounded-card border border-line bg-surface shadow-lift">
        {prices.map((price) => (
          <li
            key={price.id}
            aria-label={price.modelPattern}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 px-5 py-3 @2xl:grid-cols-[minmax(0,1fr)_auto_auto]"
          >
            <div className="min-w-0">
              <code className="font-mono text-[0.8125rem] font-medium wrap-anywhere">{price.modelPattern}</code>
              <p className="text-data wrap-anywhere text-soft">
                <bdi>{price.provider ?? 'any provider'}</bdi> · {describePeriod(price)}
              </p>
            </div>
            <dl className="grid grid-cols-4 gap-x-3 @max-2xl:col-span-2 @max-2xl:row-start-2 @2xl:grid-cols-[repeat(4,5.25rem)]">
              <Amount name="Input" usd={price.inputPerMillion} />
              <Amount name="Output" usd={price.outputPerMillion} />
              <Amount name="Cache read" usd={price.cacheReadPerMillion} />
              <Amount name="Cache write" usd={price.cacheWritePerMillion} />
            </dl>
            <IconButton
              label={`Delete ${price.modelPattern}`}
              size="small-icon"
              disabledReason={disabledReason}
              onClick={() => onDelete(price)}
            >
              <Trash2 aria-hidden className="size-4" />
            </IconButton>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-meta text-faint">
        US dollars for a million tokens; days in UTC. Of several prices that match a call, the newest counts. A cost
        that the sender reports is used as it is.
      </p>
    </div>
  )
}

/** Without a price of their own, cached tokens cost as much as other input tokens. */
function Amount({ name, usd }: { name: string; usd: number | null }) {
  return (
    <div className="@2xl:text-right">
      <dt className="text-meta text-faint">{name}</dt>
      <dd className={usd === null ? 'text-data text-faint' : 'tabular-nums'}>
        {usd === null ? 'as input' : formatUsd(usd)}
      </dd>
    </div>
  )
}

function describePeriod({ validFrom, validUntil }: Price): string {
  const from = validFrom && `from ${formatDay(validFrom)}`
  const until = validUntil && `before ${formatDay(validUntil)}`
  return [from, until].filter(Boolean).join(', ') || 'at any time'
}

const dollars = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
})

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** At least cents; as many digits as a price for a million tokens needs. */
function formatUsd(usd: number): string {
  return dollars.format(usd)
}

/** In UTC, as the form reads days. */
function formatDay(time: string): string {
  return day.format(new Date(time))
}
