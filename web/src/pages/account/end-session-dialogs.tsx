import { useEndOtherSessions, useEndSession } from '../../api/account-query.ts'
import type { SessionEntry } from '../../api/session.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { describeDevice } from './describe-device.ts'

export function EndSessionDialog({ session, onClose }: { session: SessionEntry; onClose: () => void }) {
  const end = useEndSession()
  const confirm = () =>
    end.mutate(session.id, {
      onSuccess: () => {
        showToast({ tone: 'good', message: 'The session has ended.' })
        onClose()
      },
    })
  return (
    <ConfirmDialog
      title="End session"
      confirmLabel="End session"
      isBusy={end.isPending}
      error={<ErrorReport error={end.error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      <span className="font-medium text-ink">{describeDevice(session.userAgent)}</span>, last used{' '}
      <RelativeTime time={session.lastUsedAt} />, is signed out at once. If you do not know it, change your password,
      too.
    </ConfirmDialog>
  )
}

export function EndOthersDialog({ onClose }: { onClose: () => void }) {
  const end = useEndOtherSessions()
  const confirm = () =>
    end.mutate(undefined, {
      onSuccess: () => {
        showToast({ tone: 'good', message: 'All other sessions have ended.' })
        onClose()
      },
    })
  return (
    <ConfirmDialog
      title="End all other sessions"
      confirmLabel="End them"
      isBusy={end.isPending}
      error={<ErrorReport error={end.error} />}
      onConfirm={confirm}
      onClose={onClose}
    >
      You are signed out on all other devices at once. This session and your API keys stay.
    </ConfirmDialog>
  )
}
