import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Copy, EllipsisVertical, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { componentQuery } from '../../api/components-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { Menu, menuItemClass } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { showToast } from '../../ui/toast-store.ts'
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
          actions={
            <>
              {actions}
              <Menu
                trigger={
                  <Button look="quiet" size="icon" aria-label="More about this component">
                    <EllipsisVertical aria-hidden className="size-4" />
                  </Button>
                }
              >
                <DropdownMenu.Item className={menuItemClass} onSelect={() => void copyId(component.id)}>
                  <Copy aria-hidden className="size-4 text-faint" />
                  <span className="flex-1">Copy component id</span>
                  <code className="font-mono text-code text-faint">…{component.id.slice(-8)}</code>
                </DropdownMenu.Item>
                <DropdownMenu.Item
                  className={`${menuItemClass} text-danger data-disabled:cursor-not-allowed data-disabled:opacity-55`}
                  disabled={disabledReason !== undefined}
                  onSelect={() => setIsDeleting(true)}
                >
                  <Trash2 aria-hidden className="size-4" />
                  Delete component
                </DropdownMenu.Item>
                {disabledReason && <p className="max-w-60 px-2.5 py-1.5 text-meta text-soft">{disabledReason}</p>}
              </Menu>
            </>
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

async function copyId(id: string): Promise<void> {
  showToast(
    (await copyText(id))
      ? { tone: 'good', message: 'The id is copied.' }
      : { tone: 'danger', message: `The browser denied it. The id is ${id}` },
  )
}
