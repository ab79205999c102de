import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { componentsQuery, useCreateComponent } from '../../api/components-query.ts'
import type { Component } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { NameForm } from '../shell/name-form.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { missingRole } from '../shell/roles.ts'
import { TopRow } from '../shell/top-row.tsx'
import { useApplication, useApplicationCrumb, useApplicationId, useMe } from '../shell/use-application.ts'
import { ComponentTable } from './component-table.tsx'
import { DeleteComponentDialog } from './delete-component-dialog.tsx'
import { NoComponents } from './no-components.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/components')

export function ComponentsPage() {
  const applicationId = useApplicationId()
  const application = useApplication()
  const components = useInfiniteQuery(componentsQuery(applicationId))
  const { new: isNew } = route.useSearch()
  const navigate = useNavigate()
  const [componentToDelete, setComponentToDelete] = useState<Component>()
  const disabledReason = missingRole(useMe(), 'editor', 'Changing components')
  const path = pagePaths.components(applicationId)
  const applicationCrumb = useApplicationCrumb()
  const create = (
    <Button
      look="primary"
      disabledReason={disabledReason}
      onClick={() => void navigate({ to: path, search: { new: true } })}
    >
      <Plus aria-hidden className="size-4" />
      New component
    </Button>
  )
  return (
    <>
      <TopRow parents={[applicationCrumb]} current="Components" />
      <PageBody width="wide">
        <PageHeader
          title="Components"
          within={application?.name ?? ''}
          text="The prompts, pipelines and agents whose quality you want to know."
          actions={Boolean(components.data?.length) && create}
        />
        <PagedList query={components} empty={<NoComponents applicationId={applicationId} action={create} />}>
          {(rows) => (
            <ComponentTable
              applicationId={applicationId}
              components={rows}
              disabledReason={disabledReason}
              onDelete={setComponentToDelete}
            />
          )}
        </PagedList>
      </PageBody>
      {isNew && !disabledReason && (
        <CreateComponentDialog
          applicationId={applicationId}
          onClose={() => void navigate({ to: path, replace: true })}
        />
      )}
      {componentToDelete && (
        <DeleteComponentDialog
          applicationId={applicationId}
          component={componentToDelete}
          onDeleted={() => setComponentToDelete(undefined)}
          onClose={() => setComponentToDelete(undefined)}
        />
      )}
    </>
  )
}

function CreateComponentDialog({ applicationId, onClose }: { applicationId: string; onClose: () => void }) {
  const create = useCreateComponent(applicationId)
  const navigate = useNavigate()
  return (
    <Dialog title="New component" isOpen onClose={onClose}>
      <NameForm
        submitLabel="Create component"
        namePlaceholder="support-assistant"
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(named) =>
          create.mutate(named, {
            onSuccess: ({ id }) => navigate({ to: pagePaths.component(applicationId, id), replace: true }),
          })
        }
        onCancel={onClose}
      />
    </Dialog>
  )
}
