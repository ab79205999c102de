const dollars = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
})

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

/** At least cents; as many digits as a price for a million tokens needs. */
export function formatUsd(usd: number): string {
  return dollars.format(usd)
}

/** In UTC, as the form reads days. */
export function formatDay(time: string): string {
  return day.format(new Date(time))
}
