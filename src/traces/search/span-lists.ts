/**
 * The spans that contain a trigram, as bytes: the difference of each number to the one before it, seven bits a byte, lowest first. The
 * numbers are those within a segment, from 1 in ascending order.
 */
export function decodeList(list: Uint8Array): number[] {
  const numbers: number[] = []
  let number = 0
  for (let at = 0; at < list.length; ) {
    let difference = 0
    let shift = 0
    let byte = 0
    do {
      byte = list[at++] ?? 0
      difference |= (byte & 127) << shift
      shift += 7
    } while (byte > 127)
    number += difference
    numbers.push(number)
  }
  return numbers
}

export function encodeList(numbers: readonly number[]): Uint8Array {
  // A difference has at most five bytes.
  const bytes = new Uint8Array(numbers.length * 5)
  let length = 0
  let last = 0
  for (const number of numbers) {
    let rest = number - last
    last = number
    for (; rest > 127; rest >>>= 7) bytes[length++] = (rest & 127) | 128
    bytes[length++] = rest
  }
  return bytes.subarray(0, length)
}

/** Lists as one, each with its numbers increased; they must ascend from list to list. Only the first number of each is written again. */
export function joinLists(parts: readonly { list: Uint8Array; increase: number }[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { list }) => sum + list.length + 5, 0))
  let length = 0
  let last = 0
  for (const { list, increase } of parts) {
    let firstLength = 1
    while ((list[firstLength - 1] ?? 0) > 127) firstLength += 1
    const [first = 0] = decodeList(list.subarray(0, firstLength))
    const start = encodeList([first + increase - last])
    joined.set(start, length)
    joined.set(list.subarray(firstLength), length + start.length)
    length += start.length + list.length - firstLength
    last = lastNumber(list) + increase
  }
  return joined.subarray(0, length)
}

function lastNumber(list: Uint8Array): number {
  let number = 0
  let shift = 0
  for (const byte of list) {
    number += (byte & 127) << shift
    shift = byte > 127 ? shift + 7 : 0
  }
  return number
}

/** The numbers that are in all lists. */
export function intersectLists(lists: readonly Uint8Array[]): number[] {
  const [shortest, ...others] = lists.toSorted((a, b) => a.length - b.length)
  let common = shortest ? decodeList(shortest) : []
  for (const list of others) {
    if (common.length === 0) return common
    const numbers = decodeList(list)
    let at = 0
    common = common.filter((number) => {
      while ((numbers[at] ?? Number.POSITIVE_INFINITY) < number) at += 1
      return numbers[at] === number
    })
  }
  return common
}
