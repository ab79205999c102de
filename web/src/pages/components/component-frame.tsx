import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { EllipsisVertical } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { componentQuery } from '../../api/components-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { CopyIdItem, DeleteItem, MenuNote } from '../../ui/menu-items.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { missingRole } from '../shell/roles.ts'
import { TopRow } from '../shell/top-row.tsx'
import { useApplication, useMe } from '../shell/use-application.ts'
import { ComponentNav } from './component-nav.tsx'
import { DeleteComponentDialog } from './delete-component-dialog.tsx'

interface ComponentFrameProps {
  applicationId: string
  componentId: string
  /** "Runs"; the overview has none. */
  part?: string
  /** At the right of the title, before the menu. */
  actions?: ReactNode
  /** At the right of the top row. */
  top?: ReactNode
  children: ReactNode
}

/** What all pages of a component share: where they are, its name, and the links between them. */
export function ComponentFrame({ applicationId, componentId, part, actions, top, children }: ComponentFrameProps) {
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const application = useApplication()
  const navigate = useNavigate()
  const [isDeleting, setIsDeleting] = useState(false)
  const listPath = pagePaths.components(applicationId)
  const list = { label: 'Components', to: listPath }
  const own = { label: component.name, to: pagePaths.component(applicationId, componentId) }
  const disabledReason = missingRole(useMe(), 'editor', 'Deleting a component')
  return (
    <>
      <TopRow parents={part ? [list, own] : [list]} current={part ?? component.name}>
        {top}
      </TopRow>
      <PageBody width="wide">
        <PageHeader
          title={component.name}
          within={[part, application?.name].filter(Boolean).join(' · ')}
          text={component.description}
          actions={actions}
          menu={
            <Menu
              trigger={
                <Button look="quiet" size="icon" aria-label="More about this component">
                  <EllipsisVertical aria-hidden className="size-4" />
                </Button>
              }
            >
              <CopyIdItem title="Copy component id" id={component.id} />
              <DeleteItem
                title="Delete component"
                isDisabled={disabledReason !== undefined}
                onSelect={() => setIsDeleting(true)}
              />
              <MenuNote text={disabledReason} />
            </Menu>
          }
        />
        <ComponentNav applicationId={applicationId} componentId={componentId} />
        {children}
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
