/** Targets that the operator allows in addition to the public internet: names, addresses and networks, with or without a port. */
import type { BlockList } from 'node:net'
import { isIPv6 } from 'node:net'
import { isInRanges, rangeOfAddress, rangesOf, readRange } from '../base/address-ranges.ts'
import { AppError } from '../base/errors.ts'

export type AllowList = {
  allowsName(host: string, port: number): boolean
  /** Also if a name resolves to it. */
  allowsAddress(address: string, port: number): boolean
}

type Entry = { port: number | undefined } & ({ name: string } | { range: BlockList })

export function readAllowList(texts: readonly string[], setting: string): AllowList {
  const entries = texts.map((text) => readEntry(text, setting))
  const matchesPort = ({ port }: Entry, requested: number) => port === undefined || port === requested
  return {
    allowsName: (host, port) =>
      entries.some((entry) => 'name' in entry && entry.name === host && matchesPort(entry, port)),
    allowsAddress: (address, port) =>
      entries.some((entry) => 'range' in entry && matchesPort(entry, port) && isInRanges(entry.range, address)),
  }
}

const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^:[\]/@?#\s*]+)(?::([0-9]{1,5}))?$/i

function readEntry(text: string, setting: string): Entry {
  const range = readRange(text)
  if (range) return { range: rangesOf([range]), port: undefined }
  const [, host = '', portText] = HOST_AND_PORT.exec(isIPv6(text) ? `[${text}]` : text) ?? []
  const hostname = host === '' ? undefined : URL.parse(`http://${host}/`)?.hostname
  const port = portText === undefined ? undefined : Number(portText)
  if (!hostname || (port !== undefined && (port < 1 || port > 65_535))) {
    throw new AppError(
      500,
      `${setting} must be a list such as localhost:11434,10.0.0.0/8, without ${JSON.stringify(text)}`,
    )
  }
  const name = hostKey(hostname)
  const single = rangeOfAddress(name)
  return single === undefined ? { name, port } : { range: rangesOf([single]), port }
}

/** Normalizes a host: as in a URL, but without brackets and without the trailing dot of a full name. */
export function hostKey(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
}
