/** As a ref: moves the focus to what has taken the place of the control that was just used. Needs `tabIndex={-1}`. */
export function focusOnMount(element: HTMLElement | null): void {
  element?.focus()
}
