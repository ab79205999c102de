import { useNavigate } from '@tanstack/react-router'
import { useCreateWorkspace } from '../../api/workspaces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { NameForm } from '../shell/name-form.tsx'

export function CreateApplicationDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateWorkspace()
  const navigate = useNavigate()
  return (
    <Dialog title="New application" isOpen onClose={onClose}>
      <NameForm
        submitLabel="Create application"
        namePlaceholder="Customer support"
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(named) =>
          create.mutate(named, { onSuccess: ({ id }) => navigate({ to: pagePaths.application(id), replace: true }) })
        }
        onCancel={onClose}
      />
    </Dialog>
  )
}
