/** `bench/recorded.json`: the figures of the last recorded run, by the name of their line. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure } from './figure.ts'

const FILE = join(import.meta.dirname, '../recorded.json')

export type RecordedFigure = Figure & {
  effort: 'full' | 'quick'
  /** Of the commit that was measured. */
  date: string
}

export function hasRecorded(): boolean {
  return existsSync(FILE)
}

export function readRecorded(file = FILE): Map<string, RecordedFigure> {
  const lines: Record<string, RecordedFigure> = JSON.parse(readFileSync(file, 'utf8'))
  return new Map(Object.entries(lines))
}

export function writeRecorded(figures: ReadonlyMap<string, RecordedFigure>, file = FILE): void {
  writeFileSync(file, recordedText(figures))
}

/** One line each, so that a change of a figure is a change of a line in a diff. */
export function recordedText(figures: ReadonlyMap<string, RecordedFigure>): string {
  const lines = [...figures].map(([name, figure]) => `  ${JSON.stringify(name)}: ${objectText(figure)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}

function objectText(figure: RecordedFigure): string {
  const fields = Object.entries(figure).map(([name, value]) => `${JSON.stringify(name)}: ${valueText(value)}`)
  return `{ ${fields.join(', ')} }`
}

function valueText(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(valueText).join(', ')}]` : JSON.stringify(value)
}

type MergedGroups = { measured: readonly string[]; all: readonly string[] }

/**
 * Groups that were not measured keep their figures. All lines of a measured group are replaced, and groups that no longer exist are
 * dropped, so that no line remains that cannot be measured.
 */
export function mergeRecorded(
  before: ReadonlyMap<string, RecordedFigure>,
  now: ReadonlyMap<string, RecordedFigure>,
  { measured, all }: MergedGroups,
): Map<string, RecordedFigure> {
  return new Map(all.flatMap((group) => [...ofGroups(measured.includes(group) ? now : before, [group])]))
}

export function ofGroups<T>(figures: ReadonlyMap<string, T>, groups: readonly string[]): Map<string, T> {
  return new Map([...figures].filter(([name]) => groups.includes(groupOf(name))))
}

export function groupOf(name: string): string {
  return name.slice(0, name.indexOf(': '))
}
