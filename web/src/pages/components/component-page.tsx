import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { componentQuery } from '../../api/components-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { IdLabel } from '../../ui/id-label.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { missingRole } from '../shell/roles.ts'
import { TopRow } from '../shell/top-row.tsx'
import { useApplication, useApplicationCrumb, useMe } from '../shell/use-application.ts'
import { ComponentTabs } from './component-tabs.tsx'
import { DeleteComponentDialog } from './delete-component-dialog.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId')

export function ComponentPage() {
  const { applicationId, componentId } = route.useParams()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const application = useApplication()
  const navigate = useNavigate()
  const [isDeleting, setIsDeleting] = useState(false)
  const listPath = pagePaths.components(applicationId)
  return (
    <>
      <TopRow parents={[useApplicationCrumb(), { label: 'Components', to: listPath }]} current={component.name} />
      <PageBody width="wide">
        <PageHeader
          title={component.name}
          within={application?.name ?? ''}
          text={component.description}
          actions={
            <Button
              disabledReason={missingRole(useMe(), 'editor', 'Deleting a component')}
              onClick={() => setIsDeleting(true)}
            >
              <Trash2 aria-hidden className="size-4" />
              Delete component
            </Button>
          }
        />
        <div className="-mt-4 mb-8 flex flex-wrap items-center gap-x-5 gap-y-1 text-sm text-faint">
          <IdLabel id={component.id} label="Copy component id" look="whole" />
          <span>
            Created <RelativeTime time={component.createdAt} />
          </span>
        </div>
        <ComponentTabs applicationId={applicationId} componentId={componentId} />
      </PageBody>
      {isDeleting && (
        <DeleteComponentDialog
          applicationId={applicationId}
          component={component}
          onDeleted={() => void navigate({ to: listPath, replace: true })}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </>
  )
}
