import { useRevokeApiKey } from '../../api/api-keys-query.ts'
import type { ApiKey } from '../../api/generated/api.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'

interface RevokeApiKeyDialogProps {
  applicationId: string
  apiKey: ApiKey
  onClose: () => void
}

export function RevokeApiKeyDialog({ applicationId, apiKey, onClose }: RevokeApiKeyDialogProps) {
  const revoke = useRevokeApiKey(applicationId)
  const confirm = () =>
    revoke.mutate(apiKey.id, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `Revoked ${apiKey.name}.` })
        onClose()
      },
    })
  return (
    <ConfirmDialog
      title="Revoke API key"
      confirmLabel="Revoke key"
      isBusy={revoke.isPending}
      error={<ErrorReport error={revoke.error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      <bdi className="font-medium text-ink">{apiKey.name}</bdi>{' '}
      {apiKey.lastUsedAt ? (
        <>
          was last used <RelativeTime time={apiKey.lastUsedAt} />. Programs that use it stop working at once.
        </>
      ) : (
        'was never used. It stops working at once.'
      )}
    </ConfirmDialog>
  )
}
