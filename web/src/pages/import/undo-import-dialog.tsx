import { useQuery } from '@tanstack/react-query'
import { describeError } from '../../api/api-error.ts'
import { type ImportKey, undoCheckQuery } from '../../api/imports-query.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { useUndoImport } from './use-undo-import.ts'

/** Says what goes and what stays before the items of an import are removed. */
export function UndoImportDialog({ importKey, onClose }: { importKey: ImportKey; onClose: () => void }) {
  const check = useQuery(undoCheckQuery(importKey))
  const undo = useUndoImport(onClose)
  const { data } = check
  return (
    <ConfirmDialog
      title="Undo this import?"
      confirmLabel={data ? `Remove ${countOf(data.removed, 'item')}` : 'Remove the items'}
      isBusy={undo.isPending || check.isFetching}
      error={undo.error && <ErrorNotice {...describeError(undo.error)} />}
      onConfirm={() => undo.mutate(importKey)}
      onClose={onClose}
    >
      {!data && (check.error ? <QueryError query={check} /> : <Skeleton rows={2} />)}
      {data && (
        <>
          <p>{countOf(data.removed, 'item')} of this import will be removed. Other items stay as they are.</p>
          {data.kept.changed > 0 && (
            <p className="mt-2">
              {countOf(data.kept.changed, 'item')} {data.kept.changed === 1 ? 'stays' : 'stay'}, because someone has
              changed {data.kept.changed === 1 ? 'it' : 'them'}.
            </p>
          )}
          {data.kept.used > 0 && (
            <p className="mt-2">
              {countOf(data.kept.used, 'item')} {data.kept.used === 1 ? 'stays' : 'stay'}, because a run or an
              evaluation uses {data.kept.used === 1 ? 'it' : 'them'}. Delete that first to remove{' '}
              {data.kept.used === 1 ? 'it' : 'them'}, too.
            </p>
          )}
        </>
      )}
    </ConfirmDialog>
  )
}
