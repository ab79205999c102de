// Runs before the first paint. The choice is the interface's, whose pages have the same origin; the style sheets of the guide need an
// explicit theme.
;(() => {
  let theme = 'system'
  try {
    theme = localStorage.getItem('touchstone.theme') ?? theme
  } catch {
    // Storage is blocked: follow the browser.
  }
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  document.documentElement.dataset.theme = theme === 'light' || theme === 'dark' ? theme : isDark ? 'dark' : 'light'
})()
