import { useNavigate } from '@tanstack/react-router'
import { pagePaths } from '../../path-builder.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'

/** `g` and a letter lead to a section of the application. */
export function useGoToShortcuts(applicationId: string | undefined): void {
  const navigate = useNavigate()
  const goTo = (path: (applicationId: string) => string) =>
    applicationId === undefined ? undefined : () => void navigate({ to: path(applicationId) })
  useShortcut('goToOverview', goTo(pagePaths.application))
  useShortcut('goToWork', goTo(pagePaths.work))
  useShortcut('goToTraces', goTo(pagePaths.traces))
  useShortcut('goToComponents', goTo(pagePaths.components))
  useShortcut('goToSettings', goTo(pagePaths.allSettings))
}
