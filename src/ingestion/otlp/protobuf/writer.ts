/** Writes the small protobuf messages of our responses. Fields with their default value are not written. */

export function numberField(field: number, value: number): Buffer {
  return value === 0 ? EMPTY : Buffer.from([...varint(field << 3), ...varint(value)])
}

export function textField(field: number, text: string): Buffer {
  return text === '' ? EMPTY : messageField(field, Buffer.from(text))
}

/** An empty message is written too: its presence may be its only information. */
export function messageField(field: number, message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(message.length)]), message])
}

const EMPTY = Buffer.alloc(0)

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
  return bytes
}
