import { useQuery } from '@tanstack/react-query'
import { DatabaseZap } from 'lucide-react'
import { useState } from 'react'
import { apiQuery } from '../../api/api-query.ts'
import type { Trace } from '../../api/generated/api.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { lazyDialog } from '../shell/lazy-dialog.tsx'
import { missingRole } from '../shell/roles.ts'
import { useApplicationId, useMe } from '../shell/use-application.ts'

const AddToDatasetDialog = lazyDialog(
  async () => (await import('../datasets/add-to-dataset-dialog.tsx')).AddToDatasetDialog,
)

/** Adds the trace to a dataset. Its expected output is the newest correction of its output, if there is one. */
export function AddTraceToDataset({ trace }: { trace: Trace }) {
  const applicationId = useApplicationId()
  const [isOpen, setIsOpen] = useState(false)
  const notAllowed = missingRole(useMe(), 'editor', 'Adding to a dataset')
  const annotations = useQuery({
    ...apiQuery('/traces/{traceId}/annotations', { applicationId, params: { path: { traceId: trace.id } } }),
    enabled: isOpen,
  })
  const corrected = annotations.data?.data
    .filter(({ correctedOutput }) => correctedOutput)
    .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))[0]?.correctedOutput
  useShortcut('addToDataset', notAllowed === undefined ? () => setIsOpen(true) : undefined)
  return (
    <>
      <Button look="quiet" size="small" disabledReason={notAllowed} onClick={() => setIsOpen(true)}>
        <DatabaseZap aria-hidden className="size-4" />
        <span className="max-sm:sr-only">Add to dataset</span>
        <ShortcutKeys id="addToDataset" />
      </Button>
      {/* The text of the dialog is not replaced while it is edited, so it waits for the corrections. */}
      {isOpen && !annotations.isPending && (
        <AddToDatasetDialog
          applicationId={applicationId}
          source={{
            type: 'trace',
            id: trace.id,
            expected: corrected ?? trace.output ?? '',
            isCorrected: Boolean(corrected),
          }}
          componentId={trace.aiComponentId ?? undefined}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  )
}
