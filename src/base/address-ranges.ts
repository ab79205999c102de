/** Networks of IP addresses, such as `10.0.0.0/8` and `fd00::/8`. */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** A list of ranges to query with `check`. Throws for a text that is not a range. */
export function rangesOf(texts: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) {
    const [address = '', bits = ''] = text.split('/')
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return list
}

/** The text if it is a network with its prefix length (`10.0.0.0/8`), undefined otherwise. */
export function readRange(text: string): string | undefined {
  const [, address = '', bits = ''] = /^([0-9a-f:.]+)\/([0-9]{1,3})$/i.exec(text) ?? []
  const bitsMax = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1
  return Number(bits) <= bitsMax ? text : undefined
}

/** A single address as the range that contains only it, undefined if the text is not an address. */
export function rangeOfAddress(text: string): string | undefined {
  if (isIPv4(text)) return `${text}/32`
  return isIPv6(text) && !text.includes('%') ? `${text}/128` : undefined
}

export function isInRanges(ranges: BlockList, address: string): boolean {
  return ranges.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
