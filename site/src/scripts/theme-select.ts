/** The menu for the theme. It stores the same setting as the interface, whose `theme.js` applies it to the next page. */
const STORAGE_KEY = 'touchstone.theme'

export function startThemeSelect(): void {
  const select = document.querySelector<HTMLSelectElement>('#theme')
  if (!select) return
  select.value = storedTheme()
  select.addEventListener('change', () => {
    store(select.value)
    // Without it, the style sheet follows the browser.
    if (select.value === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = select.value
  })
}

function storedTheme(): string {
  try {
    const stored = localStorage.getItem(STORAGE_KEY)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    // Storage is blocked: follow the browser.
    return 'system'
  }
}

function store(theme: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, theme)
  } catch {
    // Storage is blocked: the choice lasts for this page.
  }
}
