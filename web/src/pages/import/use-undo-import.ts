import { useQueryClient } from '@tanstack/react-query'
import { describeError } from '../../api/api-error.ts'
import type { UndoneImport } from '../../api/generated/api.ts'
import { type ImportKey, refreshImports, undoImport } from '../../api/imports-query.ts'
import { useSubmission } from '../../api/use-submission.ts'
import { countOf } from '../../ui/format-number.ts'
import { showToast } from '../../ui/toast-store.ts'

/** Removes the items of an import, and reports how many. */
export function useUndoImport(onUndone: () => void = () => {}) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: undoImport,
    onSuccess: async (undone: UndoneImport, importKey: ImportKey) => {
      showToast({ tone: 'good', message: messageOf(undone) })
      onUndone()
      await refreshImports(queryClient, importKey)
    },
  })
}

/** The same for a toast, which has no location for an error of its own. */
export function showUndoError(error: Error): void {
  showToast({ tone: 'danger', ...describeError(error) })
}

function messageOf({ removed, kept }: UndoneImport): string {
  const stayed = kept.changed + kept.used
  const rest = stayed === 0 ? '' : ` ${countOf(stayed, 'item')} ${stayed === 1 ? 'stays' : 'stay'}.`
  return `${countOf(removed, 'item')} removed.${rest}`
}
