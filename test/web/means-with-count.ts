/** Fails if a mean is on the page without the number of values behind it. For every page that shows means. */
export function expectMeansWithCount(page: HTMLElement): void {
  for (const mean of page.querySelectorAll('[data-mean]')) {
    const text = mean.closest('[data-estimate]')?.textContent ?? ''
    if (!/\bn [\d,]+/.test(text)) throw new Error(`The mean ${mean.textContent} is shown without n: "${text}"`)
  }
}
