/** The anchors of a page, as on GitHub: links between documents name them. */
export function headingAnchors(): (heading: string) => string {
  const uses = new Map<string, number>()
  return (heading) => {
    const name = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-')
    const used = uses.get(name) ?? 0
    uses.set(name, used + 1)
    return used === 0 ? name : `${name}-${used}`
  }
}
