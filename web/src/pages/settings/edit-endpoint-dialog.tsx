import { type EndpointSettings, useUpdateEndpoint } from '../../api/endpoints-query.ts'
import type { Endpoint } from '../../api/generated/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { type HeaderRow, headerChanges } from './header-rows.ts'

interface EditEndpointDialogProps {
  applicationId: string
  endpoint: Endpoint
  onClose: () => void
}

export function EditEndpointDialog({ applicationId, endpoint, onClose }: EditEndpointDialogProps) {
  const update = useUpdateEndpoint(applicationId, endpoint.id)
  const save = (settings: EndpointSettings, rows: HeaderRow[]) => {
    const headers = headerChanges(endpoint.headerNames, rows)
    const changes = { ...changesOf(endpoint, settings), ...(headers && { headers }) }
    if (Object.keys(changes).length === 0) return onClose()
    const onSuccess = (saved: Endpoint) => {
      showToast({ tone: 'good', message: `Saved ${saved.name}.` })
      onClose()
    }
    return update.mutate(changes, { onSuccess })
  }
  return (
    <Dialog title="Edit endpoint" isOpen onClose={onClose}>
      <EndpointForm
        applicationId={applicationId}
        endpoint={endpoint}
        submitLabel="Save changes"
        isBusy={update.isPending}
        error={update.error}
        lostNotice={
          <Notice title="A new base URL removes the headers">
            Enter their values again, or remove them. Stored headers are never sent to another address.
          </Notice>
        }
        onCancel={onClose}
        onSubmit={save}
      />
    </Dialog>
  )
}

/** Only what differs: the server looks up the host of every base URL it gets, which may fail for one that has not changed. */
function changesOf(before: Endpoint, after: EndpointSettings): Partial<EndpointSettings> {
  const { name, baseUrl, concurrency, requestsPerMinute, timeoutSeconds } = after
  return {
    ...(name !== before.name && { name }),
    ...(baseUrl !== before.baseUrl && { baseUrl }),
    ...(concurrency !== before.concurrency && { concurrency }),
    ...(requestsPerMinute !== before.requestsPerMinute && { requestsPerMinute }),
    ...(timeoutSeconds !== before.timeoutSeconds && { timeoutSeconds }),
  }
}
