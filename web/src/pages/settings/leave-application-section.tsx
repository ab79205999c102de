import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Workspace } from '../../api/generated/api.ts'
import { useLeaveApplication } from '../../api/members-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'

export function LeaveApplicationSection({ application }: { application: Workspace }) {
  const [isAsking, setIsAsking] = useState(false)
  const leave = useLeaveApplication(application.id)
  const navigate = useNavigate()
  const confirm = () =>
    leave.mutate(undefined, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `You have left ${application.name}.` })
        return navigate({ to: pagePaths.home(), replace: true })
      },
    })
  return (
    <section className="rounded-card border border-line p-5">
      <h2 className="font-display text-section font-semibold">Leave this application</h2>
      <p className="mt-1 mb-4 text-soft">You lose access, and your API keys are revoked. Your annotations stay.</p>
      <Button onClick={() => setIsAsking(true)}>Leave application…</Button>
      {isAsking && (
        <ConfirmDialog
          title="Leave application"
          confirmLabel="Leave"
          isBusy={leave.isPending}
          error={<ErrorReport error={leave.error} />}
          onConfirm={confirm}
          onClose={() => setIsAsking(false)}
        >
          You lose access to <bdi className="font-medium text-ink">{application.name}</bdi> at once. Only a new
          invitation brings you back.
        </ConfirmDialog>
      )}
    </section>
  )
}
