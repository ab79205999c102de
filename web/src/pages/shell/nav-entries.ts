import { Activity, Boxes, Inbox, LayoutDashboard, type LucideIcon } from 'lucide-react'
import { pagePaths } from '../../path-builder.ts'
import type { ShortcutId } from '../../shortcuts/shortcut-list.ts'

export interface NavEntry {
  label: string
  icon: LucideIcon
  shortcut: ShortcutId
  path: (applicationId: string) => string
  matches?: 'exact'
}

/** The sections of an application. */
export const navEntries: NavEntry[] = [
  { label: 'Overview', icon: LayoutDashboard, shortcut: 'goToOverview', path: pagePaths.application, matches: 'exact' },
  { label: 'My work', icon: Inbox, shortcut: 'goToWork', path: pagePaths.work },
  { label: 'Traces', icon: Activity, shortcut: 'goToTraces', path: pagePaths.traces },
  { label: 'Components', icon: Boxes, shortcut: 'goToComponents', path: pagePaths.components },
]
