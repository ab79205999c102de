import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookOpen, Code, Keyboard, LogOut, UserRound } from 'lucide-react'
import { describeError } from '../../api/api-error.ts'
import { sessionQuery, useSignOut } from '../../api/session-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { runShortcut } from '../../shortcuts/shortcut-store.ts'
import { Menu, menuItemClass } from '../../ui/menu.tsx'
import { MenuItem, MenuLabel, MenuSeparator } from '../../ui/menu-parts.tsx'
import { ThemeItems } from '../../ui/theme-menu.tsx'
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
      align="start"
      trigger={
        <button
          type="button"
          aria-label={`Account: ${name || email}`}
          className="flex w-full min-w-0 items-center gap-2.5 rounded-control px-1.5 py-1 text-data hover:bg-hover max-rail:justify-center touch:min-h-11 touch:min-w-11"
        >
          <span
            aria-hidden
            className="grid size-6 shrink-0 place-items-center rounded-full bg-sunken text-[10px] font-semibold text-soft uppercase"
          >
            {initials(name || email)}
          </span>
          <span className="truncate max-rail:hidden">{name || email}</span>
        </button>
      }
    >
      <MenuLabel className="px-2.5 py-1.5">
        <span className="block truncate text-data font-medium">{name}</span>
        <span className="block truncate text-data text-faint">{email}</span>
      </MenuLabel>
      <MenuSeparator className="my-1.5 border-t border-line" />
      <MenuItem className={menuItemClass} asChild>
        <Link to={pagePaths.account()}>
          <UserRound aria-hidden className="size-4 text-faint" />
          Account
        </Link>
      </MenuItem>
      <MenuSeparator className="my-1.5 border-t border-line" />
      <ThemeItems />
      <MenuSeparator className="my-1.5 border-t border-line" />
      <MenuItem className={menuItemClass} asChild>
        <a href={pagePaths.guide()}>
          <BookOpen aria-hidden className="size-4 text-faint" />
          Guide
        </a>
      </MenuItem>
      <MenuItem className={menuItemClass} asChild>
        <Link to={pagePaths.docs()}>
          <Code aria-hidden className="size-4 text-faint" />
          API reference
        </Link>
      </MenuItem>
      <MenuItem className={menuItemClass} onSelect={() => runShortcut('help')}>
        <Keyboard aria-hidden className="size-4 text-faint" />
        <span className="flex-1">Keyboard shortcuts</span>
        <ShortcutKeys id="help" />
      </MenuItem>
      <MenuSeparator className="my-1.5 border-t border-line" />
      <MenuItem className={menuItemClass} onSelect={leave}>
        <LogOut aria-hidden className="size-4 text-faint" />
        Sign out
      </MenuItem>
    </Menu>
  )
}

/** "Ada Lovelace" becomes "AL", "ada@example.com" becomes "A". */
function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean)
  return `${words[0]?.[0] ?? ''}${words.length > 1 ? (words.at(-1)?.[0] ?? '') : ''}`
}
