const NAME_SHOWN_MAX = 80

/** Truncates a name for display: clients may send names of any length. */
export function truncateName(name: string): string {
  return name.length <= NAME_SHOWN_MAX ? name : `${name.slice(0, NAME_SHOWN_MAX - 1)}…`
}

/** "14 of 80 calls (18 %)" */
export function formatShare(part: number, whole: number, noun: string): string {
  return `${formatInteger(part)} of ${formatInteger(whole)} ${noun}${whole === 1 ? '' : 's'} (${formatPercent(part / whole)})`
}

/** Small shares keep one decimal: "9.9 %" must not be displayed as 10 %. */
export function formatPercent(share: number): string {
  const hundredths = share * 100
  if (hundredths > 0 && hundredths < 0.1) return 'less than 0.1 %'
  return `${Number(hundredths.toFixed(hundredths < 10 ? 1 : 0))} %`
}

function formatInteger(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

export function formatCount(count: number, noun: string): string {
  return `${formatInteger(count)} ${noun}${count === 1 ? '' : 's'}`
}

export function formatDuration(value: number): string {
  return value < 1_000 ? `${Number(value.toFixed(1))} ms` : `${Number((value / 1_000).toFixed(2))} s`
}

export function formatDollars(value: number): string {
  return `$${value < 0.01 ? Number(value.toPrecision(2)) : value.toFixed(2)}`
}
