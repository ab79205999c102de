import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePersonName } from '../../api/directory-query.ts'
import type { DatasetImport } from '../../api/generated/api.ts'
import { importsQuery } from '../../api/imports-query.ts'
import type { DatasetKey } from '../../api/run-query.ts'
import { Button } from '../../ui/button.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { UndoImportDialog } from './undo-import-dialog.tsx'

/** The files that were imported into the dataset before. */
export function FormerImports({ datasetKey, undoReason }: { datasetKey: DatasetKey; undoReason: string | undefined }) {
  const query = useInfiniteQuery(importsQuery(datasetKey))
  const nameOf = usePersonName(datasetKey.applicationId)
  const [undoneId, setUndoneId] = useState<string>()
  const columns: Column<DatasetImport>[] = [
    { title: 'File', isRowHeader: true, cell: fileName },
    { title: 'By', cell: ({ createdBy }) => nameOf(createdBy) },
    { title: 'When', cell: ({ createdAt }) => <RelativeTime time={createdAt} /> },
    { title: 'Rows', align: 'right', cell: ({ rows }) => <Count count={rows} /> },
    { title: 'Imported', align: 'right', cell: ({ imported }) => <Count count={imported} /> },
    { title: 'Bad', align: 'right', cell: ({ bad }) => <Count count={bad} /> },
    { title: 'Duplicates', align: 'right', cell: ({ duplicates }) => <Count count={duplicates} /> },
    {
      title: 'State',
      cell: (row) =>
        row.state === 'imported' ? (
          <Button
            size="small"
            aria-label={`Undo the import of ${fileName(row)}`}
            disabledReason={undoReason}
            onClick={() => setUndoneId(row.id)}
          >
            Undo
          </Button>
        ) : (
          <span className="text-soft">
            undone, {countOf(row.removed ?? 0, 'item')} removed{row.kept ? `, ${formatCount(row.kept)} stayed` : ''}
          </span>
        ),
    },
  ]
  return (
    <div className="mt-8">
      <h2 className="mb-3 font-display text-section font-semibold">Former imports</h2>
      <PagedList query={query} empty={<p className="text-soft">Nothing was imported into this dataset yet.</p>}>
        {(rows) => <Table caption="Former imports" columns={columns} rows={rows} rowKey={({ id }) => id} />}
      </PagedList>
      {undoneId && (
        <UndoImportDialog importKey={{ ...datasetKey, importId: undoneId }} onClose={() => setUndoneId(undefined)} />
      )}
    </div>
  )
}

function fileName({ fileName: name, format }: DatasetImport): string {
  return name ?? `${format.toUpperCase()} by the API`
}

function Count({ count }: { count: number }) {
  return <span className="tabular-nums">{formatCount(count)}</span>
}
