import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { componentsQuery } from '../../api/components-query.ts'
import { workspacesQuery } from '../../api/workspaces-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { shortcutCaps, shortcutList } from '../../shortcuts/shortcut-list.ts'
import { runShortcut, useActiveShortcuts } from '../../shortcuts/shortcut-store.ts'
import { type Choice, ComboboxList } from '../../ui/combobox-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { distinctNames } from '../../ui/shared-names.ts'
import { theme } from '../../ui/theme.ts'
import { accountSections } from '../account/account-sections.ts'
import { settingsSections } from '../settings/settings-sections.ts'

interface CommandPaletteProps {
  applicationId: string | undefined
  onClose: () => void
}

interface Command extends Choice {
  run: () => void
}

/** Finds pages, components, applications and actions by a part of their name. */
export function CommandPalette({ applicationId, onClose }: CommandPaletteProps) {
  const commands = useCommands(applicationId)
  return (
    <Dialog title="Find or jump to" isOpen onClose={onClose}>
      <ComboboxList
        label="Find a page or an action"
        choices={commands}
        currentId={undefined}
        onChoose={(id) => {
          // Closed first: an action may open a dialog of its own.
          onClose()
          commands.find((command) => command.id === id)?.run()
        }}
      />
    </Dialog>
  )
}

function useCommands(applicationId: string | undefined): Command[] {
  const navigate = useNavigate()
  const { data: workspaces = [] } = useQuery(workspacesQuery)
  const components = useAllComponents(applicationId)
  const page = (group: string, label: string, to: string, hash?: string): Command => ({
    id: hash ? `${to}#${hash}` : to,
    group,
    label,
    run: () => void navigate(hash ? { to, hash } : { to }),
  })
  const actions = useActiveShortcuts()
    .filter((id) => id !== 'palette')
    .map((id) => ({
      id,
      group: shortcutList[id].group,
      label: shortcutList[id].label,
      hint: shortcutCaps(id),
      run: () => runShortcut(id),
    }))
  const names = distinctNames(components)
  const inApplication = applicationId
    ? [
        ...components.map(({ id }) => page('Components', names.get(id) ?? '', pagePaths.component(applicationId, id))),
        ...settingsSections.map(({ section, title }) =>
          page('Settings', title, pagePaths.settings(applicationId, section)),
        ),
      ]
    : []
  const isForPage = ({ group }: Choice) => group !== 'Everywhere'
  return [
    ...actions.filter(isForPage),
    ...inApplication,
    ...workspaces
      .filter(({ id }) => id !== applicationId)
      .map(({ id, name }) => page('Applications', name, pagePaths.application(id))),
    ...(workspaces.length > 1 ? [page('Applications', 'All applications', pagePaths.home())] : []),
    ...accountSections.map(({ id, title }) => page('Account', title, pagePaths.account(), id)),
    ...(applicationId ? [page('Help', 'Send your first trace', pagePaths.firstTrace(applicationId))] : []),
    { id: pagePaths.guide(), group: 'Help', label: 'Guide', run: () => window.location.assign(pagePaths.guide()) },
    page('Help', 'API reference', pagePaths.docs()),
    ...actions.filter((action) => !isForPage(action)).map((action) => ({ ...action, group: 'Help' })),
    ...theme.values.map((value) => ({
      id: `theme-${value}`,
      group: 'Theme',
      label: `Theme: ${value}`,
      run: () => theme.choose(value),
    })),
  ]
}

/** Loads all pages of the list, one after the other: a palette that finds only the newest components would mislead. */
function useAllComponents(applicationId: string | undefined) {
  const { data, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    ...componentsQuery(applicationId ?? ''),
    enabled: applicationId !== undefined,
  })
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])
  return data ?? []
}
