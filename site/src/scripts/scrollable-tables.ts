/** A table that is wider than the window scrolls, and needs a tab stop to do so by keyboard (WCAG 2.1.1). */
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0')
    else target.removeAttribute('tabindex')
  }
})
for (const table of document.querySelectorAll('.sl-markdown-content table')) sizes.observe(table)
