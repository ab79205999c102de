// Runs before the first paint, so that a chosen theme never flashes. Absent or 'system' means: follow the browser.
try {
  const theme = localStorage.getItem('touchstone.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is blocked: the browser's own preference is the right answer.
}
