/** Classifies IP addresses. Only addresses that are certainly on the public internet are `public`. */
import { isIPv4, isIPv6 } from 'node:net'
import { rangesOf } from '../base/address-ranges.ts'

/** `private`: a network of the operator, which a host name in the allow list permits. `special`: an address that no name may resolve to. */
export type AddressKind = 'public' | 'private' | 'special'

export function addressKind(address: string): AddressKind {
  if (isIPv4(address)) {
    if (SPECIAL_IPV4.check(address, 'ipv4')) return 'special'
    return PRIVATE.check(address, 'ipv4') ? 'private' : 'public'
  }
  // An address with a zone is local to a network interface.
  if (!isIPv6(address) || address.includes('%')) return 'special'
  if (PRIVATE.check(address, 'ipv6')) return 'private'
  return GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL_IPV6.check(address, 'ipv6') ? 'public' : 'special'
}

/** IPv4-mapped IPv6 addresses (`::ffff:10.0.0.1`) match the IPv4 ranges of a list. */
const PRIVATE = rangesOf([
  '10.0.0.0/8',
  // Carrier-grade NAT and virtual networks.
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
  // NAT64: the translated IPv4 address may be private and is not checked.
  '64:ff9b::/96',
  '64:ff9b:1::/48',
])

/** https://www.iana.org/assignments/iana-ipv4-special-registry */
const SPECIAL_IPV4 = rangesOf([
  '0.0.0.0/8',
  // Link-local, including the metadata service of cloud machines, which returns credentials.
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's platform service for its machines, in a public range.
  '168.63.129.16/32',
  // Alibaba Cloud's metadata service, in the carrier-grade NAT range.
  '100.100.100.200/32',
])

/** All global unicast addresses assigned so far. Excludes mapped, translated, link-local and multicast addresses. */
const GLOBAL_IPV6 = rangesOf(['2000::/3'])

/** https://www.iana.org/assignments/iana-ipv6-special-registry */
const SPECIAL_IPV6 = rangesOf([
  // Protocol assignments, including Teredo and benchmarking.
  '2001::/23',
  '2001:db8::/32',
  // 6to4, which embeds an IPv4 address.
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
])
