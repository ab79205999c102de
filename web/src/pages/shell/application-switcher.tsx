import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { ChevronsUpDown, LayoutGrid, Plus } from 'lucide-react'
import { workspacesQuery } from '../../api/workspaces-query.ts'
import { pagePaths, switchApplicationPath } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ComboboxList } from '../../ui/combobox-list.tsx'
import { menuItemClass } from '../../ui/menu.tsx'
import { Popover } from '../../ui/popover.tsx'

export function ApplicationSwitcher() {
  const { applicationId } = useParams({ strict: false })
  const { data: workspaces = [] } = useQuery(workspacesQuery)
  const pathname = useLocation({ select: (location) => location.pathname })
  const navigate = useNavigate()
  const current = workspaces.find((workspace) => workspace.id === applicationId)
  return (
    <Popover
      label="Switch application"
      align="start"
      isInPortal
      className="w-72"
      trigger={
        <button
          type="button"
          aria-label={current ? `Application: ${current.name}` : 'Choose an application'}
          className={`${buttonClass('secondary', 'small')} min-w-0 sm:max-rail:px-0`}
        >
          <span className="flex-1 truncate text-left sm:max-rail:hidden">{current?.name ?? 'Applications'}</span>
          <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-faint" />
        </button>
      }
    >
      {(close) => (
        <>
          <ComboboxList
            label="Find an application"
            choices={workspaces.map(({ id, name }) => ({ id, label: name }))}
            currentId={applicationId}
            onChoose={(id) => {
              close()
              void navigate({ to: switchApplicationPath(pathname, id) })
            }}
          />
          <div className="mt-1.5 border-t border-line pt-1.5" onClickCapture={close}>
            {workspaces.length > 1 && (
              <Link to={pagePaths.home()} className={`${menuItemClass} hover:bg-hover`}>
                <LayoutGrid aria-hidden className="size-4 text-faint" />
                All applications
              </Link>
            )}
            <Link to={pagePaths.home()} search={{ new: true }} className={`${menuItemClass} hover:bg-hover`}>
              <Plus aria-hidden className="size-4 text-faint" />
              New application…
            </Link>
          </div>
        </>
      )}
    </Popover>
  )
}
