import type { ItemRow, RunColumn } from '../../api/generated/api.ts'
import type { DataColumn } from '../../ui/data-table/data-column.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { runTitle } from '../runs/run-title.ts'
import { EditableCell } from './editable-cell.tsx'
import type { ItemEditing, ItemField } from './item-editing.ts'
import { ItemResultMark, RunNote } from './item-results.tsx'
import { SplitSelect } from './split-select.tsx'

export const sourceWords = { trace: 'trace', import: 'import', hand: 'by hand' } as const

export function buildItemColumns(runs: readonly RunColumn[], editing: ItemEditing): DataColumn<ItemRow>[] {
  const cell = (field: ItemField, title: string) => (row: ItemRow) => (
    <EditableCell row={row} field={field} title={title} editing={editing} />
  )
  return [
    { id: 'number', title: 'Item', width: 62, cell: ({ number }) => <span className="tabular-nums">{number}</span> },
    { id: 'input', title: 'Question', width: 200, grows: true, cell: cell('input', 'Question') },
    { id: 'expected', title: 'Expected', width: 200, grows: true, cell: cell('expected', 'Expected') },
    { id: 'metadata', title: 'Metadata', width: 180, cell: cell('metadata', 'Metadata') },
    {
      id: 'split',
      title: 'Split',
      width: 112,
      cell: (row) => (
        <SplitSelect
          label={`Split of item ${row.number}`}
          split={row.split}
          onChange={editing.onEdit && ((split) => editing.onSplit(row, split))}
        />
      ),
    },
    { id: 'group', title: 'Group', width: 110, cell: ({ group }) => <GroupName group={group} /> },
    { id: 'source', title: 'Source', width: 76, cell: ({ source }) => sourceWords[source.kind] },
    ...runs.map((column, place) => ({
      id: `run.${column.run.id}`,
      title: runName(column),
      width: 116,
      note: <RunNote column={column} />,
      cell: ({ results }: ItemRow) => <ItemResultMark result={results[place]} column={column} />,
    })),
  ]
}

export function runName({ run }: RunColumn): string {
  return runTitle({ ...run, datasetName: undefined })
}

/** Groups are JSON, so that the text "1" and the number 1 are two. */
export function GroupName({ group }: { group: string | null }) {
  if (group === null) return <span className="text-faint">–</span>
  const value: unknown = JSON.parse(group)
  return <>{typeof value === 'string' ? value : group}</>
}

/** A row on a phone. */
export function ItemCard({ row, runs, onOpen }: { row: ItemRow; runs: readonly RunColumn[]; onOpen: () => void }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="flex gap-3">
        <button type="button" onClick={onOpen} className="min-w-0 flex-1 rounded-sm text-left touch:min-h-11">
          <span className="line-clamp-2 font-medium break-words">{row.input?.text ?? 'no input'}</span>
        </button>
        <span className="text-meta text-soft tabular-nums">{row.number}</span>
      </span>
      <span className="line-clamp-2 text-soft break-words">{row.expected?.text ?? 'no expected output'}</span>
      <span className="flex flex-wrap gap-x-4 gap-y-1 text-meta text-soft">
        <span>{row.split ?? 'no split'}</span>
        <span>{sourceWords[row.source.kind]}</span>
        {runs.slice(-3).map((column, place) => (
          <span key={column.run.id} className="inline-flex min-w-0 gap-1.5">
            <span className="max-w-24 truncate">{runName(column)}</span>
            <ItemResultMark result={row.results[place + Math.max(0, runs.length - 3)]} column={column} />
          </span>
        ))}
      </span>
    </div>
  )
}

export function MarkLegend({ runs }: { runs: readonly RunColumn[] }) {
  const names = [...new Set(runs.flatMap(({ headline }) => (headline ? metricTitle(headline) : [])))]
  if (names.length === 0) return null
  return (
    <p className="text-meta text-soft">
      Each run: {names.join(', ')} first, then the next metric; <span aria-hidden>▲ ▼</span> turned since the run
      before; <span aria-hidden>·</span> not measured. On top the mean of {names.join(', ')} with its 95 % interval.
    </p>
  )
}
