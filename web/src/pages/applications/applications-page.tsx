import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Layers, Plus } from 'lucide-react'
import type { Workspace } from '../../api/generated/api.ts'
import { useCreateWorkspace, workspacesQuery } from '../../api/workspaces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { NameForm } from '../shell/name-form.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { TopRow } from '../shell/top-row.tsx'

const route = getRouteApi('/_signed-in/')

export function ApplicationsPage() {
  const { data: workspaces } = useSuspenseQuery(workspacesQuery)
  const { new: isNew } = route.useSearch()
  const navigate = useNavigate()
  const create = (
    <Button look="primary" onClick={() => void navigate({ to: pagePaths.home(), search: { new: true } })}>
      <Plus aria-hidden className="size-4" />
      New application
    </Button>
  )
  return (
    <>
      <TopRow current="Applications" />
      <PageBody>
        <PageHeader
          title="Applications"
          text="An AI application holds components, their traces and everything measured on them."
          actions={workspaces.length > 0 && create}
        />
        {workspaces.length === 0 ? (
          <EmptyState
            icon={Layers}
            title="No application yet"
            text="Create one, or ask an admin of an existing one to invite you."
            action={create}
          />
        ) : (
          <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
            {workspaces.map((workspace) => (
              <ApplicationCard key={workspace.id} workspace={workspace} />
            ))}
          </ul>
        )}
      </PageBody>
      {isNew && <CreateApplicationDialog onClose={() => void navigate({ to: pagePaths.home(), replace: true })} />}
    </>
  )
}

function ApplicationCard({ workspace }: { workspace: Workspace }) {
  return (
    <li className="group relative flex min-h-36 flex-col rounded-2xl border border-line bg-surface p-5 shadow-lift transition-colors hover:border-gold">
      <h2 className="font-display text-section font-semibold break-words">
        {/* The whole card is the target of the link; its name is that of the application. */}
        <Link
          to={pagePaths.application(workspace.id)}
          className="rounded-control after:absolute after:inset-0 after:rounded-2xl"
        >
          {workspace.name}
        </Link>
      </h2>
      {workspace.description && <p className="mt-1 line-clamp-2 text-soft">{workspace.description}</p>}
      <p className="mt-auto pt-4 text-data text-faint">
        Created <RelativeTime time={workspace.createdAt} />
      </p>
    </li>
  )
}

function CreateApplicationDialog({ onClose }: { onClose: () => void }) {
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
