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

/**
 * Ascending numbers as runs: the first of each run, then the number behind its last. For lists that have most numbers. Lists of runs are
 * encoded and joined as lists of numbers are.
 */
export function runsOf(numbers: readonly number[]): number[] {
  const runs: number[] = []
  for (const number of numbers) {
    if (runs.at(-1) === number) runs[runs.length - 1] = number + 1
    else runs.push(number, number + 1)
  }
  return runs
}

/** Those of the ascending numbers that are in one of the runs of the list. */
export function keepInRuns(numbers: readonly number[], list: Uint8Array): number[] {
  const runs = decodeList(list)
  let place = 0
  return numbers.filter((number) => {
    while ((runs[place] ?? Number.POSITIVE_INFINITY) <= number) place += 1
    // Behind the first number of a run, and not behind its last.
    return place % 2 === 1
  })
}

/** Those of the ascending numbers that are in the list, too. Reads the list no further than the last of them. */
export function keepListed(numbers: readonly number[], list: Uint8Array): number[] {
  const found: number[] = []
  let place = 0
  let next = numbers[0] ?? Number.POSITIVE_INFINITY
  let number = 0
  let shift = 0
  for (let at = 0; at < list.length && next !== Number.POSITIVE_INFINITY; at += 1) {
    const byte = list[at] ?? 0
    number += (byte & 127) << shift
    if (byte > 127) {
      shift += 7
      continue
    }
    shift = 0
    while (next < number) next = numbers[++place] ?? Number.POSITIVE_INFINITY
    if (next === number) found.push(number)
  }
  return found
}
