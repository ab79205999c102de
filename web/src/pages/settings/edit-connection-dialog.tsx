import { type ConnectionSettings, useUpdateConnection } from '../../api/connections-query.ts'
import type { Connection } from '../../api/generated/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ConnectionForm } from './connection-form.tsx'

interface EditConnectionDialogProps {
  applicationId: string
  connection: Connection
  onClose: () => void
}

export function EditConnectionDialog({ applicationId, connection, onClose }: EditConnectionDialogProps) {
  const update = useUpdateConnection(applicationId, connection.id)
  const { hasKey } = connection
  const keyField = (baseUrl: string) => {
    const isLost = hasKey && !isSameUrl(baseUrl, connection.baseUrl)
    return {
      placeholder: hasKey && !isLost ? 'set; leave empty to keep it' : 'sk-…',
      hint: 'Stored encrypted, and never shown again.',
      notice: isLost && (
        <Notice title="A new base URL removes the key">
          Enter it again if the new endpoint needs it. The stored key is never sent to another address.
        </Notice>
      ),
    }
  }
  const save = (settings: ConnectionSettings, apiKey: string) => {
    const changes = { ...changesOf(connection, settings), ...(apiKey ? { apiKey } : {}) }
    if (Object.keys(changes).length === 0) return onClose()
    const onSuccess = (saved: Connection) => {
      const message = hasKey && !saved.hasKey ? `Saved ${saved.name}, without a key.` : `Saved ${saved.name}.`
      showToast({ tone: 'good', message })
      onClose()
    }
    return update.mutate(changes, { onSuccess })
  }
  return (
    <Dialog title="Edit connection" isOpen onClose={onClose}>
      <ConnectionForm
        applicationId={applicationId}
        connection={connection}
        submitLabel="Save changes"
        isBusy={update.isPending}
        error={update.error}
        keyField={keyField}
        onCancel={onClose}
        onSubmit={save}
      />
    </Dialog>
  )
}

/** Only what differs: the server looks up the host of every base URL it gets, which may fail for one that has not changed. */
function changesOf(before: Connection, after: ConnectionSettings): Partial<ConnectionSettings> {
  const { name, kind, baseUrl, models, retirements, concurrency, requestsPerMinute } = after
  return {
    ...(JSON.stringify(retirements) !== JSON.stringify(before.retirements) && { retirements }),
    ...(name !== before.name && { name }),
    ...(kind !== before.kind && { kind }),
    ...(!isSameUrl(baseUrl, before.baseUrl) && { baseUrl }),
    ...(models.join('\n') !== before.models.join('\n') && { models }),
    ...(concurrency !== before.concurrency && { concurrency }),
    ...(requestsPerMinute !== before.requestsPerMinute && { requestsPerMinute }),
  }
}

/** The server stores base URLs without a slash at the end. */
function isSameUrl(one: string, other: string): boolean {
  return one.replace(/\/+$/, '') === other.replace(/\/+$/, '')
}
