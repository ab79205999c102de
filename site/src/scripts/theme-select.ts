/** The menu for the theme. It stores the same setting as the interface; `public/theme.js` applies it to the next page. */
const STORAGE_KEY = 'touchstone.theme'
const prefersDark = matchMedia('(prefers-color-scheme: dark)')

class GuideTheme extends HTMLElement {
  connectedCallback(): void {
    const select = this.querySelector('select')
    if (!select) return
    select.value = storedTheme()
    select.addEventListener('change', () => {
      store(select.value)
      applyTheme(select.value)
      for (const other of document.querySelectorAll<HTMLSelectElement>('guide-theme select')) other.value = select.value
    })
  }
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

function applyTheme(theme: string): void {
  const systemTheme = prefersDark.matches ? 'dark' : 'light'
  document.documentElement.dataset['theme'] = theme === 'light' || theme === 'dark' ? theme : systemTheme
}

prefersDark.addEventListener('change', () => applyTheme(storedTheme()))
customElements.define('guide-theme', GuideTheme)
