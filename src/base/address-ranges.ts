/** Ranges of IP addresses, such as `10.0.0.0/8` and `fd00::/8`. */
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

/** Returns the text if it is a network with a prefix length (`10.0.0.0/8`), else undefined. */
export function readRange(text: string): string | undefined {
  const [, address = '', bits = ''] = /^([0-9a-f:.]+)\/([0-9]{1,3})$/i.exec(text) ?? []
  const bitsMax = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1
  return Number(bits) <= bitsMax ? text : undefined
}

/** Returns a single address as the range that contains only it; undefined if the text is not an address. */
export function rangeOfAddress(text: string): string | undefined {
  if (isIPv4(text)) return `${text}/32`
  return isIPv6(text) && !text.includes('%') ? `${text}/128` : undefined
}

export function isInRanges(ranges: BlockList, address: string): boolean {
  return ranges.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/**
 * The unit by which addresses are counted: one IPv4 address, or the /64 network of an IPv6 address, because a single
 * customer gets at least that many IPv6 addresses.
 */
export function addressGroup(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}
