/** Numbers as text. Missing numbers have words of their own: an unknown cost is never $0. */

const counts = new Intl.NumberFormat('en')
const percents = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

export function formatCount(count: number): string {
  return minusSign(counts.format(count))
}

/** A number of things: "1 span", "2 spans". Without `plural`, an s is added. */
export function countOf(count: number, one: string, plural = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : plural}`
}

/** Two decimals, as for a mean or a rate. */
export function formatScore(value: number): string {
  return minusSign(value.toFixed(2))
}

/** Scores have two decimals; durations and tokens would have more digits than anyone reads. */
export function formatMetric(value: number): string {
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : formatScore(value)
}

/** A difference carries its sign, also when it is positive. */
export function formatDifference(value: number): string {
  const text = formatScore(value)
  return value > 0 ? `+${text}` : text
}

/** "1.40 ×": at least two decimals, and two digits of small ratios. */
export function formatRatio(ratio: number, decimals = 2): string {
  const digits = ratio > 0 && ratio < 0.1 ? 1 - Math.floor(Math.log10(ratio)) : decimals
  return `${ratio >= 100 ? formatCount(Math.round(ratio)) : ratio.toFixed(Math.max(decimals, digits))} ×`
}

export function formatPercent(share: number): string {
  return percents.format(share).replace('%', '\u202f%')
}

export function formatDuration(ms: number): string {
  if (ms < 10) return `${trimZeros(ms.toFixed(1))} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_995) return `${(ms / 1000).toFixed(2)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${formatCount(Math.floor(minutes / 60))} h ${minutes % 60} min`
}

/** US dollars. Costs of single calls are fractions of a cent, so small amounts have four decimals. */
export function formatCost(dollars: number | null | undefined): string {
  if (dollars === null || dollars === undefined) return 'unknown'
  if (dollars === 0) return '$0'
  if (dollars < 0.0001) return '<$0.0001'
  if (dollars < 1) return `$${dollars.toFixed(4)}`
  return `$${dollars.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
}

/** The mean of small costs has two digits that count: "<$0.0001 to <$0.0001" would be no interval. */
export function formatSmallCost(dollars: number): string {
  return dollars > 0 && dollars < 0.0001
    ? `$${dollars.toFixed(1 - Math.floor(Math.log10(dollars)))}`
    : formatCost(dollars)
}

/** Decimal units, as disks and quotas are measured. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.max(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 0), byteUnits.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? formatCount(Math.round(value)) : trimZeros(value.toFixed(1))} ${byteUnits[power]}`
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB']

function trimZeros(text: string): string {
  return text.replace(/\.0$/, '')
}

/** The hyphen of the formatter is too short next to digits. */
function minusSign(text: string): string {
  return text.replace('-', '−').replace(/^−(0(?:\.0+)?)$/, '$1')
}
