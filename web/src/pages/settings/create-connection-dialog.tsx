import { useCreateConnection } from '../../api/connections-query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ConnectionForm } from './connection-form.tsx'

export function CreateConnectionDialog({ applicationId, onClose }: { applicationId: string; onClose: () => void }) {
  const create = useCreateConnection(applicationId)
  return (
    <Dialog title="Connect a model" isOpen onClose={onClose}>
      <ConnectionForm
        submitLabel="Connect"
        isBusy={create.isPending}
        error={create.error}
        keyField={() => ({ hint: 'Stored encrypted, and never shown again.', placeholder: 'sk-…' })}
        onCancel={onClose}
        onSubmit={(settings, apiKey) =>
          create.mutate(
            { ...settings, ...(apiKey ? { apiKey } : {}) },
            {
              onSuccess: ({ name }) => {
                showToast({ tone: 'good', message: `Connected ${name}. Test it to see its models.` })
                onClose()
              },
            },
          )
        }
      />
    </Dialog>
  )
}
