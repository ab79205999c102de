import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Workspace } from '../../api/generated/api.ts'
import { useDeleteWorkspace } from '../../api/workspaces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { ErrorReport } from '../shell/error-report.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

export function DeleteApplicationSection({ application }: { application: Workspace }) {
  const [isAsking, setIsAsking] = useState(false)
  const remove = useDeleteWorkspace(application.id)
  const navigate = useNavigate()
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        showToast({ tone: 'good', message: `Deleted ${application.name}.` })
        return navigate({ to: pagePaths.home(), replace: true })
      },
    })
  return (
    <section className="rounded-card border border-danger/30 p-5">
      <h2 className="font-display text-section font-semibold">Delete this application</h2>
      <p className="mt-1 mb-4 text-soft">
        Components, traces, datasets, runs, annotations, evaluations, keys and memberships go with it.
      </p>
      <Button
        look="danger"
        disabledReason={missingRole(useMe(), 'owner', 'Deleting the application')}
        onClick={() => setIsAsking(true)}
      >
        Delete application…
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Delete application"
          confirmLabel="Delete application"
          typedName={application.name}
          isBusy={remove.isPending}
          error={<ErrorReport error={remove.error} />}
          onConfirm={confirm}
          onClose={() => setIsAsking(false)}
        >
          Everything in <bdi className="font-medium text-ink">{application.name}</bdi> is deleted for everyone. This
          cannot be undone.
        </ConfirmDialog>
      )}
    </section>
  )
}
