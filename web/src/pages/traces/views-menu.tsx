import { useQuery } from '@tanstack/react-query'
import { Bookmark, BookmarkPlus, Check, ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { describeError } from '../../api/api-error.ts'
import type { View } from '../../api/generated/api.ts'
import { useChangeView, viewsQuery } from '../../api/views-query.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, menuItemClass } from '../../ui/menu.tsx'
import {
  MenuItem,
  MenuItemIndicator,
  MenuLabel,
  MenuRadioGroup,
  MenuRadioItem,
  MenuSeparator,
} from '../../ui/menu-parts.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { lazyDialog } from '../shell/lazy-dialog.tsx'
import { hasRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { isChanged, type ViewContent } from './view-content.ts'

const DeleteViewDialog = lazyDialog(async () => (await import('./delete-view-dialog.tsx')).DeleteViewDialog)
const SaveViewDialog = lazyDialog(async () => (await import('./save-view-dialog.tsx')).SaveViewDialog)

interface ViewsMenuProps {
  applicationId: string
  /** The view in the address. */
  viewId: string | undefined
  /** What the page shows now. */
  content: ViewContent
  onOpen: (view: View) => void
  /** Forgets the view; the list stays as it is. */
  onLeave: () => void
}

/** The view is kept until the dialog is closed: after a deletion it is no longer in the list. */
type OpenDialog = { type: 'create' } | { type: 'edit' | 'delete'; view: View }

/** Saved searches: open one, save what is shown, rename, share, delete. */
export function ViewsMenu({ applicationId, viewId, content, onOpen, onLeave }: ViewsMenuProps) {
  const me = useMe()
  const { data: views = [], error } = useQuery(viewsQuery(applicationId))
  const change = useChangeView(applicationId)
  const [dialog, setDialog] = useState<OpenDialog>()
  const current = views.find(({ id }) => id === viewId)
  const isOwn = current?.userId === me.userId
  const differs = current !== undefined && isChanged(current, content)
  const own = views.filter(({ userId }) => userId === me.userId)
  const others = views.filter(({ userId }) => userId !== me.userId)
  const saveChanges = (view: View) =>
    change.mutate(
      { viewId: view.id, change: content },
      {
        onSuccess: () => showToast({ tone: 'good', message: `“${view.name}” is saved.` }),
        onError: (failure) => showToast({ tone: 'danger', ...describeError(failure) }),
      },
    )
  return (
    <>
      <Menu
        trigger={
          <Button size="small" className="max-w-64 min-w-0 touch:min-h-11">
            <Bookmark aria-hidden className={`size-3.5 shrink-0 ${current ? 'text-gold-ink' : 'text-faint'}`} />
            <span className="truncate">{current?.name ?? 'Views'}</span>
            {differs && <span className="font-normal text-gold-ink">changed</span>}
            <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
          </Button>
        }
      >
        {error && <p className="max-w-64 px-2.5 py-1.5 text-data text-danger">{describeError(error).message}</p>}
        {views.length === 0 && !error && (
          <p className="max-w-64 px-2.5 py-1.5 text-data text-soft">
            A view keeps a query with its order and columns. Save the first one.
          </p>
        )}
        <div className="max-h-[50dvh] overflow-y-auto">
          <ViewGroup title="Yours" views={own} currentId={viewId} onOpen={onOpen} />
          <ViewGroup title="Shared by others" views={others} currentId={viewId} onOpen={onOpen} />
        </div>
        <MenuSeparator className="my-1 border-t border-line" />
        {current && differs && isOwn && <Item onSelect={() => saveChanges(current)}>Save changes</Item>}
        {current && differs && <Item onSelect={() => onOpen(current)}>Discard changes</Item>}
        <Item onSelect={() => setDialog({ type: 'create' })}>
          {current ? 'Save as a new view…' : 'Save this view…'}
        </Item>
        {current && isOwn && <Item onSelect={() => setDialog({ type: 'edit', view: current })}>Rename or share…</Item>}
        {current && <Item onSelect={onLeave}>Leave the view</Item>}
        {current && (isOwn || hasRole(me.role, 'admin')) && (
          <Item tone="danger" onSelect={() => setDialog({ type: 'delete', view: current })}>
            Delete the view…
          </Item>
        )}
      </Menu>
      {(current === undefined || differs) && (
        <Button
          look="quiet"
          size="small"
          className="touch:min-h-11 max-sm:hidden"
          onClick={() => setDialog({ type: 'create' })}
        >
          <BookmarkPlus aria-hidden className="size-3.5 text-faint" />
          Save view
        </Button>
      )}
      {dialog?.type === 'create' && (
        <SaveViewDialog
          applicationId={applicationId}
          content={content}
          taken={own.map(({ name }) => name)}
          onSaved={onOpen}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog?.type === 'edit' && (
        <SaveViewDialog
          applicationId={applicationId}
          view={dialog.view}
          taken={own.filter(({ id }) => id !== dialog.view.id).map(({ name }) => name)}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog?.type === 'delete' && (
        <DeleteViewDialog
          applicationId={applicationId}
          view={dialog.view}
          onDeleted={onLeave}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  )
}

interface ViewGroupProps {
  title: string
  views: View[]
  currentId: string | undefined
  onOpen: (view: View) => void
}

function ViewGroup({ title, views, currentId, onOpen }: ViewGroupProps) {
  if (views.length === 0) return null
  return (
    <MenuRadioGroup aria-label={title} value={currentId ?? ''}>
      <MenuLabel className="px-2.5 pt-1.5 pb-0.5 text-meta text-faint">{title}</MenuLabel>
      {views.map((view) => (
        <MenuRadioItem
          key={view.id}
          value={view.id}
          onSelect={() => onOpen(view)}
          className={`${menuItemClass} max-w-80`}
        >
          <span className="min-w-0 flex-1">
            <bdi className="block truncate">{view.name}</bdi>
            {view.query && <span className="block truncate font-mono text-meta text-faint">{view.query}</span>}
          </span>
          {view.shared && title === 'Yours' && <span className="text-meta text-soft">shared</span>}
          <MenuItemIndicator>
            <Check aria-hidden className="size-4 text-gold-ink" />
          </MenuItemIndicator>
        </MenuRadioItem>
      ))}
    </MenuRadioGroup>
  )
}

interface ItemProps {
  tone?: 'danger'
  onSelect: () => void
  children: string
}

function Item({ tone, onSelect, children }: ItemProps) {
  return (
    <MenuItem onSelect={onSelect} className={`${menuItemClass} ${tone ? 'text-danger' : ''}`}>
      {children}
    </MenuItem>
  )
}
