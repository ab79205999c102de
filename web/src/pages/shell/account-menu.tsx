import { useQuery } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { describeError } from '../../api/api-error.ts'
import { sessionQuery, useSignOut } from '../../api/session-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Menu, menuItemClass } from '../../ui/menu.tsx'
import { showToast } from '../../ui/toast-store.ts'

export function AccountMenu() {
  const { data: session } = useQuery(sessionQuery)
  const signOut = useSignOut()
  if (!session) return null
  const { name, email } = session.user
  const leave = () =>
    signOut.mutate(undefined, {
      // A full page load, so that no data of this account stays in memory.
      onSuccess: () => window.location.assign(pagePaths.signIn()),
      onError: (error) => showToast({ tone: 'danger', ...describeError(error) }),
    })
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label="Account"
          className="grid size-8 place-items-center rounded-full bg-gold-wash text-sm font-semibold text-gold-ink uppercase ring-gold/40 hover:ring-2"
        >
          {(name || email).slice(0, 1)}
        </button>
      }
    >
      <DropdownMenu.Label className="px-2.5 py-1.5">
        <span className="block truncate text-sm font-medium">{name}</span>
        <span className="block truncate text-sm text-faint">{email}</span>
      </DropdownMenu.Label>
      <DropdownMenu.Separator className="my-1.5 border-t border-line" />
      <DropdownMenu.Item className={menuItemClass} onSelect={leave}>
        <LogOut aria-hidden className="size-4 text-faint" />
        Sign out
      </DropdownMenu.Item>
    </Menu>
  )
}
