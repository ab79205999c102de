import type { CliContext, CommonFlags } from './cli-context.ts'
import { escapeLine, printableJson } from './output/escape-text.ts'
import { printTable } from './output/print-table.ts'

/** A list as a table of these columns, or as JSON with everything. */
export function printList<Entry extends object>(
  { terminal }: CliContext,
  { json }: CommonFlags,
  { entries, columns }: { entries: Entry[]; columns: (keyof Entry & string)[] },
): void {
  if (json) terminal.data(`${printableJson(entries)}\n`)
  else if (entries.length === 0 && terminal.isTerminal) terminal.message('There are none.')
  else {
    const rows = entries.map((entry) => columns.map((column) => entry[column]))
    printTable(terminal, columns.map(headingOf), rows)
  }
}

/** `createdAt` is the heading CREATED AT. */
function headingOf(field: string): string {
  return field.replace(/([a-z])([A-Z])/g, '$1 $2').toUpperCase()
}

/** One resource: its fields, one per line, or JSON. Fields that are objects are JSON in both. */
export function printResource({ terminal }: CliContext, { json }: CommonFlags, resource: object): void {
  if (json) {
    terminal.data(`${printableJson(resource)}\n`)
    return
  }
  const fields = Object.entries(resource)
  const width = terminal.isTerminal ? Math.max(...fields.map(([name]) => name.length)) : 0
  for (const [name, value] of fields) {
    const text = value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
    const label = terminal.isTerminal ? terminal.paint('bold', name.padEnd(width)) : name
    terminal.data(`${label}${terminal.isTerminal ? '  ' : '\t'}${escapeLine(text)}\n`)
  }
}
