import type { ImportReport } from '../../api/generated/api.ts'
import { formatCount } from '../../ui/format-number.ts'
import { type Column, Table } from '../../ui/table.tsx'

type BadRow = ImportReport['bad']['rows'][number]

const columns: Column<BadRow>[] = [
  { title: 'Row', cell: ({ row }) => <span className="tabular-nums">{formatCount(row)}</span> },
  {
    title: 'Column',
    cell: ({ column }) =>
      column === null ? <span className="text-soft">whole row</span> : <code className="text-code">{column}</code>,
  },
  { title: 'What is wrong', isRowHeader: true, cell: ({ reason }) => reason },
  {
    title: 'Found',
    cell: ({ found }) =>
      found === null ? (
        <span className="text-faint">nothing</span>
      ) : (
        <code className="line-clamp-2 max-w-96 text-code break-words">{found}</code>
      ),
  },
]

/** The bad rows that the server reports, in the order of the file. */
export function BadRowTable({ bad }: { bad: ImportReport['bad'] }) {
  return (
    <div className="flex flex-col gap-2">
      <div className="max-h-96 overflow-y-auto">
        <Table caption="Bad rows" columns={columns} rows={bad.rows} rowKey={({ row }) => String(row)} />
      </div>
      {bad.count > bad.rows.length && (
        <p className="text-data text-soft">
          The first {formatCount(bad.rows.length)} of {formatCount(bad.count)}. The download has all of them.
        </p>
      )}
    </div>
  )
}
