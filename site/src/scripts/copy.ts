/** The button that copies the Markdown of the page, and one for each block of code. */
export function addCopyButtons(): void {
  const actions = document.querySelector<HTMLElement>('.page-actions')
  const status = actions?.querySelector('[role=status]')
  const { address } = actions?.dataset ?? {}
  actions?.querySelector('button')?.addEventListener('click', async () => {
    if (status && address !== undefined) status.textContent = await copyFile(address)
  })
  for (const block of document.querySelectorAll('pre')) addCodeButton(block)
}

async function copyFile(address: string): Promise<string> {
  try {
    const response = await fetch(address)
    if (!response.ok) return 'The Markdown could not be loaded.'
    return copyText(await response.text())
  } catch {
    return 'The Markdown could not be loaded.'
  }
}

async function copyText(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text)
    return 'Copied'
  } catch {
    // Browsers allow the clipboard only on secure origins, and when the user has not denied it.
    return 'The browser denied access to the clipboard.'
  }
}

function addCodeButton(block: HTMLPreElement): void {
  const frame = document.createElement('div')
  frame.className = 'code'
  block.replaceWith(frame)
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', 'Copy the code')
  button.addEventListener('click', async () => {
    button.textContent = await copyText(block.textContent ?? '')
  })
  frame.append(block, button)
}
