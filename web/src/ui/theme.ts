import { useSyncExternalStore } from 'react'

const storageKey = 'touchstone.theme'

export const themes = ['system', 'light', 'dark'] as const

export type Theme = (typeof themes)[number]

const listeners = new Set<() => void>()

/** The selected theme. `public/theme.js` applies the stored one before the first paint. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme)
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme)
  try {
    localStorage.setItem(storageKey, theme)
  } catch {
    // Storage is blocked: the selection lasts until the page is closed.
  }
}

function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  for (const listener of listeners) listener()
}

function readTheme(): Theme {
  return readThemeName(document.documentElement.dataset['theme'])
}

function readThemeName(text: string | null | undefined): Theme {
  return themes.find((theme) => theme === text) ?? 'system'
}

function subscribe(listener: () => void): () => void {
  // Follows the selection in other tabs.
  const follow = (event: StorageEvent) => {
    if (event.key === storageKey) applyTheme(readThemeName(event.newValue))
  }
  listeners.add(listener)
  window.addEventListener('storage', follow)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', follow)
  }
}
