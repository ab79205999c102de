/** Saves a file that was read with a request. The request has the headers that a link cannot send. */
export function saveFile(text: string, name: string, mediaType: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has taken the address when the event is handled.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
