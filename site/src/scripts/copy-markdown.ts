/** The button that copies the Markdown of the page. */
class CopyMarkdown extends HTMLElement {
  connectedCallback(): void {
    const button = this.querySelector('button')
    const status = this.querySelector('[role=status]')
    const { address } = this.dataset
    if (!button || !status || address === undefined) return
    button.addEventListener('click', async () => {
      status.textContent = await copy(address)
    })
  }
}

async function copy(address: string): Promise<string> {
  try {
    const response = await fetch(address)
    if (!response.ok) return 'The Markdown could not be loaded.'
    await navigator.clipboard.writeText(await response.text())
    return 'Copied'
  } catch {
    // Browsers allow the clipboard only on secure origins, and when the user has not denied it.
    return 'The browser denied access to the clipboard. Open the Markdown instead.'
  }
}

customElements.define('copy-markdown', CopyMarkdown)
