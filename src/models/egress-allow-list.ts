/** What the operator allows beside the public internet: names, addresses and networks, each with a port or without. */
import type { BlockList } from 'node:net'
import { isIPv4, isIPv6 } from 'node:net'
import { AppError } from '../base/errors.ts'
import { rangesOf } from './address-kinds.ts'

export type AllowList = {
  allowsName(host: string, port: number): boolean
  /** Also if a name leads there. */
  allowsAddress(address: string, port: number): boolean
}

type Entry = { port: number | undefined } & ({ name: string } | { range: BlockList })

export function readAllowList(texts: readonly string[]): AllowList {
  const entries = texts.map(readEntry)
  const isOfPort = ({ port }: Entry, asked: number) => port === undefined || port === asked
  return {
    allowsName: (host, port) =>
      entries.some((entry) => 'name' in entry && entry.name === host && isOfPort(entry, port)),
    allowsAddress: (address, port) =>
      entries.some((entry) => 'range' in entry && isOfPort(entry, port) && isWithin(entry.range, address)),
  }
}

function isWithin(range: BlockList, address: string): boolean {
  return range.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^:[\]/@?#\s*]+)(?::([0-9]{1,5}))?$/i

function readEntry(text: string): Entry {
  const range = readRange(text)
  if (range) return { range, port: undefined }
  const [, host = '', portText] = HOST_AND_PORT.exec(isIPv6(text) ? `[${text}]` : text) ?? []
  const hostname = host === '' ? undefined : URL.parse(`http://${host}/`)?.hostname
  const port = portText === undefined ? undefined : Number(portText)
  if (!hostname || (port !== undefined && (port < 1 || port > 65_535))) {
    throw new AppError(
      500,
      `TOUCHSTONE_ALLOWED_EGRESS must be a list such as localhost:11434,10.0.0.0/8, without ${JSON.stringify(text)}`,
    )
  }
  const name = hostKey(hostname)
  if (isIPv4(name)) return { range: rangesOf([`${name}/32`]), port }
  return isIPv6(name) ? { range: rangesOf([`${name}/128`]), port } : { name, port }
}

function readRange(text: string): BlockList | undefined {
  const [, address = '', bits = ''] = /^([0-9a-f:.]+)\/([0-9]{1,3})$/i.exec(text) ?? []
  const bitsMax = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1
  return Number(bits) <= bitsMax ? rangesOf([text]) : undefined
}

/** One way to write a host: as a URL has it, but without brackets and without the dot that may end a full name. */
export function hostKey(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
}
