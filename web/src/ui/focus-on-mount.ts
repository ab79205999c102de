/** A ref that moves the focus to the element that replaced the last used control. Needs `tabIndex={-1}`. */
export function focusOnMount(element: HTMLElement | null): void {
  element?.focus()
}
