import type { Comparison } from './compare.ts'

/** A line of the table. A line without a bar is informational. */
export type Line = { name: string; value: string; bar?: string; isMet?: boolean; detail: string }

export function ratioLine(name: string, comparison: Comparison, ratioMax?: number): Line {
  const { ratio, low, high, subjectMicros, yardstickMicros, perSecond } = comparison
  return {
    name,
    value: `${ratio.toFixed(2)}x`,
    ...(ratioMax === undefined ? {} : { bar: `<= ${ratioMax}x`, isMet: ratio <= ratioMax }),
    detail:
      `${low.toFixed(2)}-${high.toFixed(2)}; CPU ${subjectMicros.toFixed(0)} by ${yardstickMicros.toFixed(0)} us; ` +
      `${perSecond.toFixed(0)} requests/s`,
  }
}

export function limitLine(name: string, measured: number, { max, unit }: { max?: number; unit: string }): Line {
  return {
    name,
    value: `${measured.toFixed(0)} ${unit}`,
    ...(max === undefined ? {} : { bar: `<= ${max} ${unit}`, isMet: measured <= max }),
    detail: '',
  }
}

export function printHead(): void {
  console.log(row('what', 'measured', 'bar', '', 'spread and amounts'))
  console.log('-'.repeat(130))
}

export function printLine({ name, value, bar, isMet, detail }: Line): void {
  const verdict = isMet === undefined ? '' : isMet ? 'pass' : 'FAIL'
  console.log(row(name, value, bar ?? '-', verdict, detail))
}

function row(name: string, value: string, bar: string, verdict: string, detail: string): string {
  return `${name.padEnd(46)}${value.padStart(10)}  ${bar.padEnd(10)}  ${verdict.padEnd(4)}  ${detail}`.trimEnd()
}
