import { formatFixed } from '../../statistics/interval.ts'

/** Three significant digits or more, with the minus sign and, if wanted, a plus sign. */
export function formatValue(value: number, sign: 'plain' | 'signed' = 'plain'): string {
  const size = Math.abs(value)
  const digits =
    size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : Math.min(12, 1 - Math.floor(Math.log10(size)))
  const text = grouped(formatFixed(value, digits))
  return sign === 'signed' && value > 0 ? `+${text}` : text
}

export function formatCount(count: number): string {
  return grouped(String(count))
}

export function formatP(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(p < 0.1 ? 3 : 2)
}

/** `2026-11-17 01:42 UTC` */
export function formatTime(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`
}

function grouped(text: string): string {
  const [whole = '', ...decimals] = text.split('.')
  return [whole.replace(/\d(?=(\d{3})+$)/g, (digit) => `${digit},`), ...decimals].join('.')
}
