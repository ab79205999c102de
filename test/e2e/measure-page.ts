import type { Page } from 'playwright-core'

/**
 * Compares rectangles: whether the page is wider than its window, whether an element to press is cut by a box that does
 * not scroll, and, for `finger`, whether it is at least 44 px high and wide. Returns a line for each problem.
 */
export function measurePage(page: Page, by: 'finger' | 'mouse'): Promise<string[]> {
  return page.evaluate<string[]>(`(${MEASURE})(${by === 'finger'})`)
}

/** In the browser. A modal dialog makes everything else inert, so only its content counts then. */
const MEASURE = `(isForFingers) => {
  const TARGET = 44
  const problems = []
  const excess = document.documentElement.scrollWidth - innerWidth
  if (excess > 0) {
    const isCut = (element) => element.parentElement && (getComputedStyle(element.parentElement).overflowX !== 'visible' || isCut(element.parentElement))
    const widest = [...document.querySelectorAll('body *')].find((element) => element.getBoundingClientRect().right > innerWidth && !isCut(element))
    problems.push('the page is ' + excess + ' px wider than the window: ' + widest?.cloneNode().outerHTML)
  }
  const scope = [...document.querySelectorAll('dialog')].findLast((dialog) => dialog.matches(':modal')) ?? document
  const pressable = 'a[href], button, input, select, textarea, summary, label:has(input), [role=option], [role^=menuitem], [role=treeitem]'
  for (const element of scope.querySelectorAll(pressable)) {
    const rect = element.getBoundingClientRect()
    // Hidden, or only for screen readers.
    if (rect.width <= 1 || rect.height <= 1 || !element.checkVisibility({ visibilityProperty: true })) continue
    if (getComputedStyle(element).clipPath === 'inset(50%)') continue
    if (cut(element, rect)) problems.push('cut: ' + describe(element))
    if (!isForFingers || isInText(element) || isLine(element) || isChoiceInLabel(element)) continue
    const { width, height } = targetOf(element, rect)
    if (width < TARGET - 0.5 || height < TARGET - 0.5)
      problems.push(Math.round(width) + ' x ' + Math.round(height) + ': ' + describe(element))
  }
  return problems

  /** Lines of JSON are text; "Expand all" does the same for a finger. */
  function isLine(element) {
    return element.hasAttribute('data-line')
  }

  /** Pseudo-elements at absolute positions belong to the target. */
  function targetOf(element, rect) {
    const around = element.matches('input') ? element.parentElement : element
    const sizes = [element, around].flatMap((one) => ['::before', '::after'].map((part) => getComputedStyle(one, part)))
    const extended = sizes.filter(({ content, position }) => content !== 'none' && position === 'absolute')
    return {
      width: Math.max(rect.width, ...extended.map(({ width }) => parseFloat(width) || 0)),
      height: Math.max(rect.height, ...extended.map(({ height }) => parseFloat(height) || 0)),
    }
  }

  /** A link within a line of text can only be as high as the line (WCAG 2.5.5). */
  function isInText(element) {
    if (element.tagName !== 'A' || getComputedStyle(element).display !== 'inline') return false
    return element.closest('p, dd, li, span, td')?.textContent.trim() !== element.textContent.trim()
  }

  function isChoiceInLabel(element) {
    return element.matches('input[type=radio], input[type=checkbox]') && element.closest('label') !== null
  }

  function cut(element, rect) {
    const axes = { x: ['left', 'right'], y: ['top', 'bottom'] }
    for (const [axis, [start, end]] of Object.entries(axes)) {
      for (let box = element.parentElement; box && box !== document.body; box = box.parentElement) {
        const style = getComputedStyle(box)
        const overflow = axis === 'x' ? style.overflowX : style.overflowY
        if (overflow === 'auto' || overflow === 'scroll') break
        if (overflow !== 'visible') {
          const limits = box.getBoundingClientRect()
          if (rect[start] < limits[start] - 1 || rect[end] > limits[end] + 1) return true
        }
        if (style.position === 'fixed') break
      }
    }
    return false
  }

  function describe(element) {
    return element.outerHTML.replace(/ class="[^"]*"/g, '').slice(0, 160)
  }
}`
