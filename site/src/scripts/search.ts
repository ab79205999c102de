/** The search: the sections of all pages are one file, which is loaded when the search is opened first. */
import { findSections, type SearchedSection, snippetOf } from '../find-sections.ts'

export function startSearch(): void {
  const dialog = document.querySelector<HTMLDialogElement>('dialog#search')
  const input = dialog?.querySelector('input')
  const status = dialog?.querySelector('[role=status]')
  const list = dialog?.querySelector('ul')
  const button = document.querySelector('#open-search')
  if (!dialog || !input || !status || !list || !button) return
  let sections: Promise<SearchedSection[]> | undefined

  const open = () => {
    if (!dialog.open) dialog.showModal()
    input.select()
    sections ??= load(dialog.dataset['index'] ?? '')
  }

  const show = async () => {
    const query = input.value
    sections ??= load(dialog.dataset['index'] ?? '')
    try {
      const found = findSections(await sections, query)
      // Another letter was typed meanwhile.
      if (query !== input.value) return
      list.replaceChildren(...found.map((section) => resultOf(section, query)))
      status.textContent = query.trim() === '' || found.length > 0 ? '' : `Nothing found for “${query}”.`
    } catch {
      sections = undefined
      status.textContent = 'The search could not be loaded. Check the connection and type again.'
    }
  }

  button.addEventListener('click', open)
  input.addEventListener('input', () => void show())
  list.addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && document.activeElement === input) list.querySelector('a')?.click()
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') moveFocus(event, input, list)
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
    const isShortcut = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey))
    if (!isShortcut) return
    event.preventDefault()
    open()
  })
}

async function load(address: string): Promise<SearchedSection[]> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  return response.json()
}

function resultOf(section: SearchedSection, query: string): HTMLLIElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = section.address
  link.textContent = section.heading
  const place = document.createElement('p')
  place.append(`${section.page}: `)
  for (const { text, isMatch } of snippetOf(section.text, query)) {
    const part = document.createElement(isMatch ? 'mark' : 'span')
    part.textContent = text
    place.append(part)
  }
  item.append(link, place)
  return item
}

function moveFocus(event: KeyboardEvent, input: HTMLInputElement, list: HTMLUListElement): void {
  const stops: HTMLElement[] = [input, ...list.querySelectorAll('a')]
  const index = stops.findIndex((stop) => stop.matches(':focus'))
  event.preventDefault()
  stops[index + (event.key === 'ArrowDown' ? 1 : -1)]?.focus()
}
